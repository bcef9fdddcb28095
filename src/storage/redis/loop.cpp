#include "storage/redis/loop.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t waiting_bytes_max = 64 * limits::mib;  // then more is refused
constexpr std::size_t batch_bytes_max = 4 * limits::mib;     // sent before answers are read
constexpr std::size_t batch_max = 1'000;
constexpr std::size_t word_bytes = 48;  // about what a short one takes
constexpr auto tick_time = 1s;
constexpr auto first_pause = 50ms;  // before it is tried again, then twice as long each time
constexpr auto longest_pause = 2s;

// Only the kind store_unavailable is worth another connection at once.
Error not_available(ErrorKind kind, std::string detail) {
    Error error{kind, "The shared store is not available"};
    error.detail = std::move(detail);
    return error;
}

// What a server says that can't serve now, or is not the one to ask any more.
bool is_out_of_order(const RedisReply& reply) {
    constexpr std::string_view signs[] = {"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN"};
    return reply.kind == RedisReply::Kind::error &&
           std::ranges::any_of(signs, [&](auto sign) { return reply.text.starts_with(sign); });
}

bool lacks_script(const RedisReply& reply) {
    return reply.kind == RedisReply::Kind::error && reply.text.starts_with("NOSCRIPT");
}

}  // namespace

RedisLoop::RedisLoop(RedisAddress address, RedisClient::Options options)
    : address_(std::move(address)),
      options_(std::move(options)) {}

void RedisLoop::start() {
    thread_ = std::thread([this] { run(); });
}

RedisLoop::~RedisLoop() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

bool RedisLoop::wait_until_connected(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, longest, [this] { return connected_.load(); });
}

void RedisLoop::post(Command command) {
    for (const std::string& word : command.words) command.bytes += word_bytes + word.size();
    {
        const std::scoped_lock lock(mutex_);
        if (connected_ && !stopping_ && waiting_bytes_ + command.bytes <= waiting_bytes_max) {
            waiting_bytes_ += command.bytes;
            waiting_.push_back(std::move(command));
            wake_.notify_all();
            return;
        }
    }
    command.answer(
        fail(not_available(ErrorKind::store_unavailable, "not connected, or too much is waiting")));
}

void RedisLoop::run() {
    // Signals are for other threads, and a connection that is gone is no reason to die.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    while (connection_ || connect() || pause()) {
        if (!connection_) continue;
        Batch batch = wait_for_work();
        if (batch.empty() && stopping_) return;
        carry_out(std::move(batch));
        tick();
    }
}

Result<RedisConnection> RedisLoop::open() const {
    auto opened = RedisConnection::open(address_, options_.connect_time, options_.command_time);
    if (!opened) return opened;
    for (const RedisScript* script : options_.scripts)
        if (auto done = opened->ask({"SCRIPT", "LOAD", script->source()}); !done)
            return propagate(done);
    return opened;
}

bool RedisLoop::connect() {
    auto opened = open();
    if (!opened) {
        give_up(opened.error());
        return false;
    }
    connection_ = std::move(*opened);
    pause_time_ = 0ms;
    if (std::exchange(complained_, false)) log::Line(log::Level::info, "redis_is_back").write();
    {
        const std::scoped_lock lock(mutex_);
        connected_ = true;
    }
    wake_.notify_all();
    if (options_.on_connected) options_.on_connected();
    return true;
}

RedisLoop::Batch RedisLoop::wait_for_work() {
    Batch batch;
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, next_tick_, [this] { return stopping_ || !waiting_.empty(); });
    std::size_t bytes = 0;
    while (!waiting_.empty() && batch.size() < batch_max && bytes < batch_bytes_max) {
        bytes += waiting_.front().bytes;
        batch.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    waiting_bytes_ -= bytes;
    return batch;
}

void RedisLoop::tick() {
    const auto now = Clock::now();
    if (now < next_tick_) return;
    next_tick_ = now + tick_time;
    if (options_.on_tick) options_.on_tick();
}

void RedisLoop::carry_out(Batch batch) {
    if (batch.empty()) return;
    auto done = exchange(batch);
    // A connection that was closed while nobody used it is the usual reason.
    if (!done && done.error().kind == ErrorKind::store_unavailable && connect())
        done = exchange(batch);
    if (done) return;
    if (connection_) give_up(done.error());
    fail_all(std::move(batch), done.error());
}

Result<void> RedisLoop::exchange(Batch& batch) {
    for (const Command& command : batch) connection_->add(command.words);
    const auto deadline = Clock::now() + options_.command_time;
    Batch again;
    Result<void> outcome;
    std::size_t answered = 0;
    while (answered < batch.size()) {
        auto reply = connection_->read();
        if (reply && is_out_of_order(*reply))
            reply = fail(not_available(ErrorKind::overloaded, reply->text));
        if (reply && Clock::now() > deadline && answered + 1 < batch.size())
            reply = fail(not_available(ErrorKind::upstream_timeout, "too slow"));
        if (!reply) {
            outcome = propagate(reply);
            break;
        }
        Command& command = batch[answered++];
        if (command.script && lacks_script(*reply)) {
            command.words[0] = "EVAL";
            command.words[1] = command.script->source();
            command.script = nullptr;
            again.push_back(std::move(command));
        } else if (reply->kind == RedisReply::Kind::error) {
            command.answer(
                fail(not_available(ErrorKind::store_unavailable, std::move(reply->text))));
        } else {
            command.answer(std::move(*reply));
        }
    }
    batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(answered));
    std::ranges::move(again, std::back_inserter(batch));
    if (outcome && !batch.empty()) return exchange(batch);
    return outcome;
}

void RedisLoop::fail_all(Batch batch, const Error& why) {
    for (Command& command : batch) command.answer(fail(why));
}

void RedisLoop::give_up(const Error& why) {
    connection_.reset();
    Batch batch;
    {
        const std::scoped_lock lock(mutex_);
        connected_ = false;
        std::ranges::move(waiting_, std::back_inserter(batch));
        waiting_.clear();
        waiting_bytes_ = 0;
    }
    if (!std::exchange(complained_, true))
        log::Line(log::Level::warning, "redis_is_away").add("detail", why.detail).write();
    fail_all(std::move(batch), why);
}

bool RedisLoop::pause() {
    pause_time_ =
        std::clamp<std::chrono::milliseconds>(2 * pause_time_, first_pause, longest_pause);
    std::unique_lock lock(mutex_);
    return !wake_.wait_for(lock, pause_time_, [this] { return stopping_.load(); });
}

}  // namespace runnel::storage
