#include "tools/tool_box.hpp"

#include "base/foreign_text.hpp"
#include "base/is_in.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "base/redact.hpp"
#include "http/as_error.hpp"
#include "tools/outcome.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>

namespace runnel::tools {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;

namespace {

template <class T>
using Work = std::function<awaitable<T>(Stop*)>;

// Work that one thread waits for and the tool thread does: each has its own half, and the one that
// waits may be gone with its loop before the other has ended.
struct There {
    Stop stop;
};
template <class T>
struct Here {
    explicit Here(const asio::any_io_executor& executor) : bell(executor) {}

    std::optional<T> value;
    bool over = false;  // also where the work broke and there is no value
    asio::steady_timer bell;
};

template <class T>
awaitable<void> do_there(std::shared_ptr<There> there, Work<T> work, std::weak_ptr<Here<T>> here,
                         asio::any_io_executor executor) {
    std::optional<T> value;
    std::exception_ptr broken;
    try {
        value = co_await work(&there->stop);
    } catch (...) {
        broken = std::current_exception();  // for the log, to which the task group tells it
    }
    if (!there->stop.requested())  // else nobody waits any more
        asio::post(executor, [here, value = std::move(value)]() mutable {
            const auto waiting = here.lock();
            if (!waiting) return;
            waiting->value = std::move(value);
            waiting->over = true;
            waiting->bell.cancel();
        });
    if (broken) std::rethrow_exception(broken);
}

// Empty when it was stopped first, where the work ends by itself, or when the work broke.
template <class T>
awaitable<std::optional<T>> hand_over(ToolThread* thread, Work<T> work, Stop* stop) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto there = std::make_shared<There>();
    const auto here = std::make_shared<Here<T>>(executor);
    asio::post(thread->loop(),
               [thread, there, work = std::move(work), weak = std::weak_ptr(here), executor] {
                   thread->tasks().start("tool", do_there<T>(there, work, weak, executor));
               });
    const Stop::Guard guard(stop, [thread, there, here, stop] {
        asio::post(thread->loop(),
                   [there, reason = stop->reason()] { there->stop.request(reason); });
        here->bell.cancel();
    });
    while (!here->over && !stop->requested()) {
        here->bell.expires_at(asio::steady_timer::time_point::max());
        co_await here->bell.async_wait(as_error);
    }
    co_return std::move(here->value);
}

std::string why_nothing(const Stop& stop) {
    return stop.requested() ? "stopped" : "the tool failed inside the gateway; its log has why";
}

using Entries = std::shared_ptr<std::vector<ToolBox::Entry>>;

// Two sources may have a tool of the same name: the later one's goes by "entry_tool", or by a
// number where that is taken too. No source gets the name of another entry: a server says itself
// what its tools are called, and would be called in place of a tool that the config names.
std::string unused_name(const std::vector<ToolBox::Offered>& offered,
                        std::span<const std::string_view> entries, std::string_view entry,
                        const std::string& name) {
    const auto is_taken = [&](const std::string& wanted) {
        return (wanted != entry && is_in(wanted, entries)) ||
               std::ranges::any_of(offered, [&](const ToolBox::Offered& other) {
                   return other.spec.name == wanted;
               });
    };
    std::string unused = name;
    for (int number = 1; is_taken(unused); ++number) {
        const std::string suffix = number == 1 ? "" : fmt::format("_{}", number);
        unused = fmt::format("{}_{}", entry, name);
        unused.resize(std::min(unused.size(), limits::tool_name_bytes - suffix.size()));
        unused += suffix;
    }
    return unused;
}

// Without addresses: the client need not know them.
std::string_view in_short(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::upstream_unreachable: return "can't be reached";
        case ErrorKind::upstream_timeout: return "does not answer";
        case ErrorKind::upstream_auth: return "refuses our credentials";
        default: return "does not work as it should";
    }
}

Error not_there(std::string_view entry, Error why) {
    return {
        ErrorKind::model_unavailable,
        fmt::format("the tool '{}' is not available now: its server {}", entry, in_short(why.kind)),
        {},
        std::move(why.message)};
}

awaitable<ToolBox::Offer> collect(Entries entries, std::vector<std::size_t> wanted, Stop* stop) {
    ToolBox::Offer offer;
    std::vector<std::string_view> names;
    for (const std::size_t at : wanted) names.push_back((*entries)[at].name);
    for (const std::size_t at : wanted) {
        const std::string& entry = (*entries)[at].name;
        auto listed = co_await (*entries)[at].source->list(stop);
        if (!listed) {
            if (!offer.missing) offer.missing = not_there(entry, std::move(listed.error()));
            continue;
        }
        for (ToolSpec& spec : *listed) {
            std::string own_name = spec.name;
            spec.name = unused_name(offer.tools, names, entry, own_name);
            offer.tools.push_back({std::move(spec), at, std::move(own_name)});
        }
    }
    co_return offer;
}

awaitable<void> list_once(Entries entries, std::size_t at, std::shared_ptr<Stop> stop) {
    const ToolBox::Entry& entry = (*entries)[at];
    const auto listed = co_await entry.source->list(stop.get());
    if (listed || stop->requested()) co_return;
    log::Line(log::Level::warning, "a tool is not there")
        .add("tools", entry.name)
        .add("message", listed.error().message)
        .add("cure", fmt::format("see to it, or correct tools.{}; until it is there, models that "
                                 "have it answer 503",
                                 entry.name))
        .write();
}

// What went wrong may be told in a server's own words, with its keys and addresses: the model and
// the client read it without them, and whoever runs the gateway finds them in the log.
ToolOutcome as_told(ToolOutcome outcome, std::string_view entry) {
    if (outcome.kind != ToolOutcome::Kind::failed) return outcome;
    ToolOutcome told = failed_with(without_addresses(outcome.text));
    if (told.text != outcome.text)
        log::Line(log::Level::info, "a tool failed")
            .add("tools", entry)
            .add("detail", without_credentials(redacted(outcome.text)))
            .write();
    return told;
}

awaitable<ToolOutcome> run_one(Entries entries, std::size_t at, ToolCall call, Stop* stop) {
    auto outcome = co_await (*entries)[at].source->run(std::move(call), stop);
    co_return as_told(std::move(outcome), (*entries)[at].name);
}

}  // namespace

ToolBox::ToolBox(ToolThread* thread, std::vector<Entry> entries)
    : thread_(thread),
      entries_(std::make_shared<std::vector<Entry>>(std::move(entries))) {}

ToolBox::~ToolBox() {
    // Once nothing runs there, they can go here.
    if (thread_->stopped()) return;
    asio::post(thread_->loop(),
               [entries = std::move(entries_), getting_ready = std::move(getting_ready_)] {
                   for (const auto& stop : getting_ready) stop->request(Stop::Reason::shutdown);
               });
}

void ToolBox::get_ready() {
    for (std::size_t at = 0; at < entries_->size(); ++at) {
        const auto stop = getting_ready_.emplace_back(std::make_shared<Stop>());
        asio::post(thread_->loop(), [thread = thread_, entries = entries_, at, stop] {
            thread->tasks().start("list tools", list_once(entries, at, stop));
        });
    }
}

std::vector<std::string> ToolBox::names() const {
    std::vector<std::string> names;
    for (const Entry& entry : *entries_) names.push_back(entry.name);
    return names;
}

awaitable<ToolBox::Offer> ToolBox::offer(std::span<const std::string> names, Stop* stop) const {
    std::vector<std::size_t> wanted;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(*entries_, name, &Entry::name);
        if (found != entries_->end())
            wanted.push_back(static_cast<std::size_t>(found - entries_->begin()));
    }
    auto offer = co_await hand_over<Offer>(
        thread_,
        [entries = entries_, wanted = std::move(wanted)](Stop* there) {
            return collect(entries, wanted, there);
        },
        stop);
    if (!offer) co_return Offer{{}, Error{ErrorKind::internal_error, why_nothing(*stop)}};
    co_return std::move(*offer);
}

awaitable<ToolOutcome> ToolBox::run(Offered tool, ToolCall call, Stop* stop) const {
    call.name = tool.own_name;
    auto outcome = co_await hand_over<ToolOutcome>(
        thread_,
        [entries = entries_, at = tool.entry, call = std::move(call)](Stop* there) {
            return run_one(entries, at, call, there);
        },
        stop);
    if (outcome) co_return std::move(*outcome);
    const std::string why = why_nothing(*stop);
    co_return ToolOutcome{ToolOutcome::Kind::failed, why, fmt::format("\"{}\"", why)};
}

}  // namespace runnel::tools
