#include "exchange/credentials/surroundings.hpp"

#include "http/as_error.hpp"
#include "http/client/url.hpp"
#include "http/task_group.hpp"
#include "http/timed_stop.hpp"
#include "tools/sandbox/child_process.hpp"

#include <boost/asio/buffer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <unistd.h>

namespace runnel::exchange {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using namespace std::chrono_literals;
using provider::OutsideReply;

constexpr std::chrono::milliseconds service_time = 10s;
constexpr std::chrono::milliseconds command_time = 30s;  // one that asks a browser is not for here
constexpr std::size_t reply_bytes_max = 256 * 1024;
constexpr std::size_t file_bytes_max = 256 * 1024;
constexpr std::size_t printed_bytes_max = 64 * 1024;

// With it a connection is a new one, and is not kept.
bool any_address(const asio::ip::address&) { return true; }

awaitable<Result<OutsideReply>> fetched(http::Client* client, http::ClientRequest request) {
    http::Stop never;
    http::TimedStop timed(co_await asio::this_coro::executor, &never, service_time);
    auto response = co_await client->fetch(std::move(request), timed.get());
    if (timed.get()->requested())
        co_return fail(ErrorKind::upstream_timeout,
                       fmt::format("no answer within {} s", service_time / 1s));
    if (!response) co_return propagate(response);
    OutsideReply reply{response->status, std::move(response->body)};
    reply.date = response->headers.get("date");
    co_return reply;
}

// All of our environment: whoever writes the command into the config is who runs us.
std::vector<std::string> whole_environment() {
    std::vector<std::string> out;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        out.emplace_back(*entry);
    return out;
}

// What is printed, up to its end or the limit.
awaitable<std::string> all_output(tools::ChildProcess* child) {
    std::string text;
    std::array<char, 4096> part;
    while (text.size() <= printed_bytes_max) {
        const auto [error, size] =
            co_await child->output().async_read_some(asio::buffer(part), as_error);
        text.append(part.data(), size);
        if (error) break;
    }
    co_return text;
}

awaitable<void> drop_errors(std::shared_ptr<tools::ChildProcess> child) {
    std::array<char, 4096> part;
    while (true) {
        const auto [error, size] =
            co_await child->errors().async_read_some(asio::buffer(part), as_error);
        if (error) co_return;
    }
}

awaitable<Result<std::string>> printed_by(http::TaskGroup* tasks,
                                          tools::ChildProcess::Command command) {
    const auto failed = [](std::string_view how) {
        return fail(ErrorKind::upstream_auth,
                    fmt::format("the command that prints the gateway's key {}", how));
    };
    const auto executor = co_await asio::this_coro::executor;
    auto started = tools::ChildProcess::start(executor, command);
    if (!started) co_return failed("could not be started");
    const std::shared_ptr<tools::ChildProcess> child = std::move(*started);
    child->input().close();
    tasks->start("a command's errors", drop_errors(child));
    http::Stop never;
    http::TimedStop timed(executor, &never, command_time);
    std::string text;
    bool ended = false;
    {
        const http::Stop::Guard guard(timed.get(), [&child] {
            child->output().close();
            child->errors().close();
        });
        text = co_await all_output(child.get());
        ended = co_await child->ended_within(1s);
    }
    child->errors().close();
    if (timed.get()->requested() || !ended) {
        co_await child->end();
        co_return failed(fmt::format("did not end within {} s", command_time / 1s));
    }
    if (const std::string how = child->how_it_ended(); how != "exited with status 0")
        co_return failed(how);
    if (text.size() > printed_bytes_max) co_return failed("printed too much");
    co_return text;
}

template <class T>
awaitable<void> keep_result(awaitable<T> work, std::optional<T>* out, asio::io_context* loop) {
    out->emplace(co_await std::move(work));
    loop->stop();
}

}  // namespace

class Surroundings::Waiting {
public:
    explicit Waiting(Surroundings* all) : all_(all), tasks_(loop_.get_executor()) {
        const std::scoped_lock lock(all_->mutex_);
        all_->loops_.push_back(&loop_);
        if (all_->closing_) loop_.stop();
    }
    ~Waiting() {
        const std::scoped_lock lock(all_->mutex_);
        all_->loops_.remove(&loop_);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    asio::io_context* loop() { return &loop_; }
    http::TaskGroup* tasks() { return &tasks_; }

    template <class T>
    T result_of(awaitable<T> work) {
        std::optional<T> out;
        tasks_.start("credentials", keep_result(std::move(work), &out, &loop_));
        loop_.run();
        if (out) return std::move(*out);
        return fail(ErrorKind::overloaded, "the gateway is shutting down");
    }

private:
    Surroundings* all_;
    asio::io_context loop_{1};
    http::TaskGroup tasks_;
};

void Surroundings::close() {
    {
        const std::scoped_lock lock(mutex_);
        closing_ = true;
        for (asio::io_context* loop : loops_) loop->stop();
    }
    // A thread that ends notes it in its own entry, so the list stays where it is.
    for (Work& work : works_)
        if (work.thread.joinable()) work.thread.join();
}

Result<OutsideReply> Surroundings::ask(const provider::OutsideRequest& request) {
    auto url = http::read_url(request.url);
    if (!url) return fail(ErrorKind::invalid_value, "its address is no URL");
    http::ClientRequest wanted{.method = request.method,
                               .url = std::move(*url),
                               .headers = request.headers,
                               .body = request.body};
    wanted.response_bytes_max = reply_bytes_max;
    wanted.may_connect_to = any_address;
    Waiting waiting(this);
    http::Client client(waiting.loop(), waiting.tasks(), tls_);
    return waiting.result_of(fetched(&client, std::move(wanted)));
}

Result<std::string> Surroundings::run(const std::vector<std::string>& command) {
    if (command.empty()) return fail(ErrorKind::invalid_value, "a command has a program");
    tools::ChildProcess::Command started{
        command.front(), {command.begin() + 1, command.end()}, whole_environment(), ""};
    started.sandbox.on = false;
    Waiting waiting(this);
    return waiting.result_of(printed_by(waiting.tasks(), std::move(started)));
}

Result<std::string> Surroundings::read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string content(file_bytes_max + 1, '\0');
    if (!file) return fail(ErrorKind::not_found, fmt::format("{} can't be opened", path));
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad() || content.size() > file_bytes_max)
        return fail(ErrorKind::invalid_value,
                    fmt::format("{} can't be read, or is too large", path));
    return content;
}

std::string Surroundings::variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

provider::Outside::Time Surroundings::now() { return std::chrono::system_clock::now(); }

double Surroundings::random() {
    const std::scoped_lock lock(mutex_);
    return std::uniform_real_distribution<double>(0, 1)(random_);
}

void Surroundings::start(std::move_only_function<void()> work) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(works_, [](const Work& earlier) { return earlier.ended; });
    Work& here = works_.emplace_back();
    here.thread = std::jthread([this, &here, work = std::move(work)]() mutable {
        work();
        work = nullptr;  // what it keeps alive goes with this thread
        const std::scoped_lock ending(mutex_);
        here.ended = true;
    });
}

}  // namespace runnel::exchange
