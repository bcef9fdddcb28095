#include "tools/mcp/source.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"
#include "http/timed_stop.hpp"
#include "tools/hook_nonce.hpp"
#include "tools/mcp/result.hpp"
#include "tools/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::tools::mcp {

using boost::asio::awaitable;
using http::Stop;
using http::TimedStop;

namespace {

using namespace std::chrono_literals;

// For the first question, which old servers may leave unanswered.
constexpr auto discovery_time = 5s;
// A server that was not there a moment ago is not asked again by everybody who waits for it.
constexpr auto failure_time = 1s;
// How long the old list serves when there is no new one.
constexpr auto stale_time = 30s;
constexpr std::size_t told_text_bytes = 2 * limits::kib;  // of its own words, for the model

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

// What HTTP's status says where no JSON-RPC does.
std::optional<Error> refusal(const Answer& answer) {
    const int status = answer.status;
    const auto refused = [&](ErrorKind kind, std::string_view text) {
        return Error{kind, fmt::format(fmt::runtime(text), status)};
    };
    if (status == 401 || status == 403)
        return refused(ErrorKind::upstream_auth,
                       "refuses our credentials (HTTP {}): check `headers`");
    if (status >= 300 && status < 400)
        return refused(ErrorKind::upstream_rejected,
                       "redirects to another address (HTTP {}): put that one into the config");
    if (status < 300 || answer.message.code != 0) return std::nullopt;
    if (status >= 500) return refused(ErrorKind::upstream_failed, "fails with HTTP {}");
    return refused(ErrorKind::upstream_rejected,
                   "answers with HTTP {}, not with MCP: check the URL");
}

bool is_object(const std::string& arguments_json) {
    const std::size_t first = arguments_json.find_first_not_of(" \t\r\n");
    return first != std::string::npos && arguments_json[first] == '{' &&
           json::is_whole(arguments_json);
}

// Why a call came to nothing, in words for the model: short, without addresses.
ToolOutcome failed_call(ErrorKind kind, const Stop& stop, const ToolLimits& limits) {
    std::string words = "the tool's server refuses to work";
    if (kind == ErrorKind::upstream_unreachable) words = "the tool can't be reached now";
    if (kind == ErrorKind::upstream_truncated) words = "the tool's server broke off";
    if (kind == ErrorKind::upstream_malformed)
        words = "the tool's server answered with something that can't be read";
    return failed_because({kind, std::move(words)}, stop, limits);
}

}  // namespace

Source::Source(SourceConfig config, std::shared_ptr<Transport> transport,
               boost::asio::any_io_executor executor)
    : config_(std::move(config)),
      transport_(std::move(transport)),
      executor_(std::move(executor)),
      protocol_(&parser_) {}

Source::~Source() { transport_->close(); }

awaitable<Result<std::vector<ToolSpec>>> Source::list(Stop* stop) {
    TimedStop timed(executor_, stop, config_.list_time);
    auto fresh = co_await refresh(timed.get());
    if (!fresh)
        co_return fail(explained(std::move(fresh.error()), *timed.get(), config_.list_time));
    std::vector<ToolSpec> specs;
    for (const Tool& tool : tools_) specs.push_back(tool.spec);
    co_return specs;
}

awaitable<ToolOutcome> Source::run(ToolCall call, Stop* stop) {
    const auto time = config_.limits.time;
    TimedStop timed(executor_, stop, time);
    if (!is_object(call.arguments_json))
        co_return failed_with("the arguments are not a JSON object");
    auto tool = find(call.name);
    if (!tool) {
        auto fresh = co_await refresh(timed.get());
        if (!fresh) co_return failed_call(fresh.error().kind, *timed.get(), config_.limits);
        tool = find(call.name);
    }
    if (!tool) co_return failed_with(fmt::format("there is no tool named '{}'", call.name));
    auto write = [this, &tool, &call] {
        return protocol_.call_tool(*tool, call, hook_nonce(config_.hook_key));
    };
    auto answer = co_await ask(std::move(write), timed.get());
    if (!answer) {
        if (!stop->requested()) warn(explained(answer.error(), *timed.get(), time).message);
        co_return failed_call(answer.error().kind, *timed.get(), config_.limits);
    }
    Message& message = answer->message;
    if (message.kind == Message::Kind::result)
        co_return fold_result(&parser_, std::move(message.body_json), config_.limits);
    if (const auto refused = refusal(*answer)) {
        warn(explained(*refused, *timed.get(), time).message);
        co_return failed_call(refused->kind, *timed.get(), config_.limits);
    }
    co_return failed_with(
        fmt::format("the tool failed: {}", utf8_prefix(message.text, told_text_bytes)));
}

// The tools as they are now, or were a while ago.
awaitable<Result<void>> Source::refresh(Stop* stop) {
    const auto is_fresh = [this] { return fresh_until_ && Clock::now() < *fresh_until_; };
    if (is_fresh()) co_return Result<void>{};
    const auto lock = co_await listing_.acquire(stop);
    if (!lock) co_return fail(ErrorKind::upstream_timeout, "is asked by others");
    if (is_fresh()) co_return Result<void>{};
    auto fetched = co_await fetch(stop);
    if (fetched || tools_.empty() || stop->requested()) co_return fetched;
    warn(explained(std::move(fetched.error()), *stop, config_.list_time).message);
    fresh_until_ = Clock::now() + stale_time;
    co_return Result<void>{};
}

awaitable<Result<void>> Source::fetch(Stop* stop) {
    ToolList list(config_.allow);
    const std::uint64_t changes = changes_;
    std::string cursor;
    do {
        auto write = [this, &cursor] { return protocol_.list_tools(cursor); };
        auto answer = co_await ask(std::move(write), stop);
        if (!answer) co_return propagate(answer);
        Message& message = answer->message;
        if (message.kind == Message::Kind::error) {
            // Perhaps it is another server by now.
            protocol_.forget();
            greeted_life_.reset();
            if (auto refused = refusal(*answer)) co_return fail(std::move(*refused));
            if (message.code == method_not_found)
                co_return fail(ErrorKind::upstream_rejected, "offers no tools");
            co_return fail(ErrorKind::upstream_rejected,
                           fmt::format("refuses to list its tools: {}",
                                       utf8_prefix(message.text, told_text_bytes)));
        }
        auto next = list.add_page(&parser_, std::move(message.body_json));
        if (!next) co_return propagate(next);
        cursor = std::move(*next);
    } while (!cursor.empty());
    list.finish();
    keep(std::move(list), Clock::now());
    if (changes != changes_) fresh_until_.reset();
    co_return Result<void>{};
}

void Source::keep(ToolList list, Clock::time_point now) {
    for (const std::string& warning : list.warnings()) warn(warning);
    const std::chrono::milliseconds most = limits::tool_list_time;
    fresh_until_ = now + std::min(most, list.time_to_live().value_or(most));
    tools_ = list.tools();
}

// Sends a request to a server that has been greeted. One that has lost the session did nothing with
// it, and is greeted and asked once more.
awaitable<Result<Answer>> Source::ask(std::function<Outgoing()> write, Stop* stop) {
    for (int attempt = 0;; ++attempt) {
        auto greeted = co_await greet(stop);
        if (!greeted) co_return propagate(greeted);
        const std::uint64_t life = transport_->life();
        Outgoing request = write();
        const std::int64_t id = request.id;
        auto answer = co_await transport_->ask(std::move(request), stop);
        if (!answer && stop->requested())
            transport_->give_up(protocol_.cancelled(id, "nobody waits for it any more"),
                                protocol_.era());
        const bool session_lost = answer && answer->status >= 400 && transport_->life() != life;
        if (!session_lost || attempt == 1) co_return answer;
    }
}

awaitable<Result<void>> Source::greet(Stop* stop) {
    if (greeted_life_ == transport_->life()) co_return Result<void>{};
    const auto lock = co_await greeting_.acquire(stop);
    if (!lock) co_return fail(ErrorKind::upstream_timeout, "is greeted by others");
    if (greeted_life_ == transport_->life()) co_return Result<void>{};
    if (failure_ && Clock::now() < failure_->until) co_return fail(failure_->error);
    auto greeted = co_await greet_now(stop);
    if (greeted) {
        failure_.reset();
    } else if (!stop->requested()) {
        failure_ = Failure{greeted.error(), Clock::now() + failure_time};
    }
    co_return greeted;
}

awaitable<Result<void>> Source::greet_now(Stop* stop) {
    if (protocol_.era() == Era::unknown) {
        auto found = co_await find_era(stop);
        if (!found) co_return found;
    }
    // A server may have died of a question it did not know.
    auto opened = co_await transport_->open(this, stop);
    if (!opened) co_return opened;
    if (protocol_.era() != Era::modern) {
        auto shaken = co_await shake_hands(stop);
        if (!shaken) co_return shaken;
    }
    greeted_life_ = transport_->life();
    if (protocol_.tells_changes()) {
        Outgoing request = protocol_.listen();
        transport_->listen(std::move(request), protocol_.era());
    }
    co_return Result<void>{};
}

awaitable<Result<void>> Source::find_era(Stop* stop) {
    auto opened = co_await transport_->open(this, stop);
    if (!opened) co_return opened;
    TimedStop timed(executor_, stop, discovery_time);
    Outgoing question = protocol_.discover();
    auto answer = co_await transport_->ask(std::move(question), timed.get());
    if (answer) {
        protocol_.take_discovery(*answer);
    } else if (stop->requested() || answer.error().kind == ErrorKind::upstream_unreachable) {
        co_return propagate(answer);
    }
    co_return Result<void>{};
}

awaitable<Result<void>> Source::shake_hands(Stop* stop) {
    Outgoing greeting = protocol_.initialize();
    auto answer = co_await transport_->ask(std::move(greeting), stop);
    if (!answer) co_return propagate(answer);
    if (auto refused = refusal(*answer)) {
        protocol_.forget();
        co_return fail(std::move(*refused));
    }
    auto taken = protocol_.take_initialization(*answer);
    if (!taken || protocol_.era() == Era::modern) co_return taken;
    Outgoing ready = protocol_.initialized();
    co_return co_await transport_->tell(std::move(ready), stop);
}

void Source::on_notification(const Message& notification) {
    if (notification.method == Protocol::tools_changed) {
        ++changes_;
        fresh_until_.reset();
    }
    log::Line(log::Level::debug, "mcp notification")
        .add("tools", config_.name)
        .add("method", notification.method)
        .add("params", redacted(utf8_prefix(notification.body_json, limits::kib)))
        .write();
}

Outgoing Source::on_request(const Message& request) { return protocol_.answer_to(request); }

std::optional<Tool> Source::find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(tools_, [&](const Tool& tool) { return tool.spec.name == name; });
    if (found == tools_.end()) return std::nullopt;
    return *found;
}

void Source::warn(std::string_view message) const {
    log::Line(log::Level::warning, "mcp")
        .add("tools", config_.name)
        .add("message", message)
        .write();
}

Error Source::explained(Error error, const Stop& stop, std::chrono::milliseconds time) const {
    if (stop.reason() == Stop::Reason::total_timeout)
        error = {ErrorKind::upstream_timeout,
                 fmt::format("did not answer within {:g} s", seconds(time))};
    error.message = fmt::format("tools.{}: the MCP server {} {}", config_.name, transport_->place(),
                                error.message);
    return error;
}

}  // namespace runnel::tools::mcp
