#include "tools/mcp/stdio.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"
#include "framing/json_lines.hpp"
#include "http/as_error.hpp"
#include "tools/sandbox/line_log.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace runnel::tools::mcp {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;

namespace {

using namespace std::chrono_literals;

constexpr auto long_life = 10s;     // one that dies younger is restarted later and later
constexpr auto restart_pause = 1s;  // after its second early death; twice as long after each
constexpr auto restart_pause_max = 30s;
constexpr auto worth_waiting = 1s;  // a restart that near is waited for
constexpr auto exit_time = 500ms;   // between the end of its output and of the process
constexpr std::size_t unsent_bytes_max = limits::frame_bytes;  // a server that does not read

struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor)
        : bell(executor, asio::steady_timer::time_point::max()) {}

    void take(Result<Answer> result) {
        if (outcome) return;
        outcome = std::move(result);
        bell.cancel();
    }

    asio::steady_timer bell;
    std::optional<Result<Answer>> outcome;
};

}  // namespace

struct StdioTransport::Life {
    Life(const asio::any_io_executor& executor, std::unique_ptr<ChildProcess> process)
        : child(std::move(process)),
          over_bell(executor, asio::steady_timer::time_point::max()) {}

    // It must end, or has ended.
    void be_over(std::string_view reason) {
        if (over) return;
        over = true;
        why = reason;
        over_bell.cancel();
    }

    std::unique_ptr<ChildProcess> child;
    Clock::time_point began = Clock::now();
    std::map<std::int64_t, std::shared_ptr<Waiter>> waiting;  // by the id of the request
    std::string unsent;
    bool writing = false;
    bool noise_told = false;
    bool over = false;
    std::string why;  // empty: as the process says
    asio::steady_timer over_bell;
    LineLog errors;
};

StdioTransport::StdioTransport(std::string name, ChildProcess::Command command,
                               http::TaskGroup* tasks)
    : name_(std::move(name)),
      command_(std::move(command)),
      tasks_(tasks) {}

StdioTransport::~StdioTransport() = default;

// Without the arguments, which may hold secrets.
std::string StdioTransport::place() const { return fmt::format("`{}`", command_.program); }

awaitable<Result<void>> StdioTransport::open(Inbox* inbox, Stop* stop) {
    inbox_ = inbox;
    if (life_ && !life_->over) co_return Result<void>{};
    const auto pause = not_before_ - Clock::now();
    if (pause > worth_waiting)
        co_return fail(ErrorKind::upstream_unreachable,
                       fmt::format("died {} times in a row and is started again in {} s; its words "
                                   "are in the log",
                                   early_deaths_,
                                   std::chrono::ceil<std::chrono::seconds>(pause).count()));
    if (pause > 0s) {
        asio::steady_timer timer(tasks_->executor(), pause);
        Stop::Guard guard(stop, [&timer] { timer.cancel(); });
        if (!stop->requested()) co_await timer.async_wait(as_error);
    }
    if (stop->requested()) co_return fail(ErrorKind::upstream_timeout, "was not waited for");
    co_return start();
}

Result<void> StdioTransport::start() {
    auto child = ChildProcess::start(tasks_->executor(), command_);
    if (!child) return propagate(child);
    life_ = std::make_shared<Life>(tasks_->executor(), std::move(*child));
    ++life_number_;
    life_->child->when_ended([life = life_] { life->be_over({}); });
    const Self self = shared_from_this();
    tasks_->start("read an MCP server's output", read_output(self, life_));
    tasks_->start("read an MCP server's errors", read_errors(self, life_));
    tasks_->start("watch over an MCP server", watch_over(self, life_));
    return {};
}

awaitable<Result<Answer>> StdioTransport::ask(Outgoing request, Stop* stop) {
    const SharedLife life = life_;
    if (!life || life->over) co_return fail(ErrorKind::upstream_unreachable, "is not running");
    const auto waiter = std::make_shared<Waiter>(tasks_->executor());
    life->waiting[request.id] = waiter;
    send(life, request.json);
    Stop::Guard guard(stop, [&waiter] { waiter->bell.cancel(); });
    if (!waiter->outcome && !stop->requested()) co_await waiter->bell.async_wait(as_error);
    life->waiting.erase(request.id);
    if (!waiter->outcome) co_return fail(ErrorKind::upstream_timeout, "was not waited for");
    co_return std::move(*waiter->outcome);
}

awaitable<Result<void>> StdioTransport::tell(Outgoing notification, Stop*) {
    if (life_) send(life_, notification.json);
    co_return Result<void>{};
}

void StdioTransport::give_up(Outgoing cancelled, Era) {
    if (life_) send(life_, cancelled.json);
}

void StdioTransport::listen(Outgoing request, Era era) {
    // A legacy server says it anyway.
    if (life_ && era == Era::modern) send(life_, request.json);
}

void StdioTransport::close() {
    inbox_ = nullptr;
    if (life_) life_->be_over("is stopped");
}

void StdioTransport::send(const SharedLife& life, std::string_view json) {
    if (life->over) return;
    life->unsent += json;
    life->unsent += '\n';
    if (life->unsent.size() > unsent_bytes_max) {
        life->be_over("does not read its input");
    } else if (!std::exchange(life->writing, true)) {
        tasks_->start("write an MCP server's input", write_input(shared_from_this(), life));
    }
}

awaitable<void> StdioTransport::write_input(Self, SharedLife life) {
    while (!life->unsent.empty() && !life->over) {
        const std::string bytes = std::exchange(life->unsent, {});
        const auto [error, count] =
            co_await asio::async_write(life->child->input(), asio::buffer(bytes), as_error);
        if (error) break;  // its output will end too
    }
    life->writing = false;
}

awaitable<void> StdioTransport::read_output(Self self, SharedLife life) {
    struct Lines final : framing::FrameSink {
        Lines(StdioTransport* transport, const SharedLife& owner) : self(transport), life(owner) {}
        void on_frame(const framing::Frame& frame) override { self->take_line(life, frame.data); }
        StdioTransport* self;
        const SharedLife& life;
    } lines(self.get(), life);
    framing::JsonLines framing(limits::frame_bytes);
    std::vector<char> buffer(64 * limits::kib + padding_bytes);
    while (!life->over) {
        const auto space = asio::buffer(buffer.data(), buffer.size() - padding_bytes);
        const auto [error, count] = co_await life->child->output().async_read_some(space, as_error);
        if (error) break;
        const auto bytes = Padded::vouched({buffer.data(), count});
        if (!framing.feed(bytes, lines)) {
            life->be_over(
                fmt::format("sent more than {} MiB at once", limits::frame_bytes / limits::mib));
            co_return;
        }
    }
    life->be_over({});
}

void StdioTransport::take_line(const SharedLife& life, Padded line) {
    auto message = read_message(&parser_, line);
    if (!message) {
        take_noise(life, line.text());
        return;
    }
    if (message->kind == Message::Kind::notification) {
        if (inbox_ != nullptr) inbox_->on_notification(*message);
    } else if (message->kind == Message::Kind::request) {
        if (inbox_ != nullptr) send(life, inbox_->on_request(*message).json);
    } else if (const auto waiter = life->waiting.find(message->id); waiter != life->waiting.end()) {
        waiter->second->take(Answer{std::move(*message)});
    } else {
        log::Line(log::Level::debug, "mcp answer nobody waits for")
            .add("tools", name_)
            .add("id", message->id)
            .write();
    }
}

// Some servers print a banner. But a broken message was for whoever waits, if only one does.
void StdioTransport::take_noise(const SharedLife& life, std::string_view line) {
    if (line.starts_with('{') && life->waiting.size() == 1) {
        life->waiting.begin()->second->take(
            fail(ErrorKind::upstream_malformed, "answers with something that is not JSON-RPC"));
        return;
    }
    if (std::exchange(life->noise_told, true)) return;
    log::Line(log::Level::warning, "mcp")
        .add("tools", name_)
        .add("message", "what it prints on its standard output is not MCP, and is passed over")
        .add("line", LineLog::shown(line))
        .write();
}

awaitable<void> StdioTransport::read_errors(Self self, SharedLife life) {
    std::array<char, 4096> buffer;
    while (true) {
        const auto [error, count] =
            co_await life->child->errors().async_read_some(asio::buffer(buffer), as_error);
        if (error) co_return;
        life->errors.add({buffer.data(), count}, self->name_, Clock::now());
    }
}

// Waits for its end, whatever the cause, and sees to it that nothing is left.
awaitable<void> StdioTransport::watch_over(Self self, SharedLife life) {
    if (!life->over) co_await life->over_bell.async_wait(as_error);
    if (self->life_ == life) {
        self->life_.reset();
        ++self->life_number_;
    }
    // One that ends by itself can say how.
    const bool ended = life->why.empty() && co_await life->child->ended_within(exit_time);
    const std::string how = life->why.empty() ? life->child->how_it_ended() : life->why;
    if (self->inbox_ != nullptr) self->note_death(*life, how);
    for (const auto& [id, waiter] : life->waiting)
        waiter->take(fail({ErrorKind::upstream_truncated, how, {}, life->errors.last_line()}));
    if (!ended) co_await life->child->end();
    boost::system::error_code ignored;
    life->child->output().close(ignored);
    life->child->errors().close(ignored);
}

void StdioTransport::note_death(const Life& life, std::string_view how) {
    const auto now = Clock::now();
    early_deaths_ = now - life.began < long_life ? early_deaths_ + 1 : 1;
    Clock::duration pause = 0s;
    if (early_deaths_ > 1)
        pause = std::min<Clock::duration>(restart_pause_max,
                                          restart_pause * (1 << std::min(early_deaths_ - 2, 5)));
    not_before_ = now + pause;
    log::Line(log::Level::warning, "mcp")
        .add("tools", name_)
        .add("message", fmt::format("the MCP server {} {}", place(), how))
        .add("last_words", life.errors.last_line())
        .write();
}

}  // namespace runnel::tools::mcp
