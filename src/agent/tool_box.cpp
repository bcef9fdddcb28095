#include "agent/tool_box.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace runnel::agent {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;

namespace {

constexpr auto as_error = asio::as_tuple(asio::use_awaitable);

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
    asio::steady_timer bell;
};

template <class T>
awaitable<void> do_there(std::shared_ptr<There> there, Work<T> work, std::weak_ptr<Here<T>> here,
                         asio::any_io_executor executor) {
    T value = co_await work(&there->stop);
    if (there->stop.requested()) co_return;  // nobody waits any more
    asio::post(executor, [here, value = std::move(value)]() mutable {
        const auto waiting = here.lock();
        if (!waiting) return;
        waiting->value = std::move(value);
        waiting->bell.cancel();
    });
}

// Empty when it was stopped first; the work ends by itself then.
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
    while (!here->value && !stop->requested()) {
        here->bell.expires_at(asio::steady_timer::time_point::max());
        co_await here->bell.async_wait(as_error);
    }
    co_return std::move(here->value);
}

using Entries = std::shared_ptr<std::vector<ToolBox::Entry>>;

// Two sources may have a tool of the same name: the later one's goes by "entry_tool".
std::string unused_name(const std::vector<ToolBox::Offered>& offered, std::string_view entry,
                        const std::string& name) {
    const auto taken = [&](const ToolBox::Offered& other) { return other.spec.name == name; };
    return std::ranges::any_of(offered, taken) ? fmt::format("{}_{}", entry, name) : name;
}

awaitable<Result<std::vector<ToolBox::Offered>>>
collect(Entries entries, std::vector<std::size_t> wanted, Stop* stop) {
    std::vector<ToolBox::Offered> offered;
    for (const std::size_t at : wanted) {
        auto listed = co_await (*entries)[at].source->list(stop);
        if (!listed) co_return propagate(listed);
        for (ToolSpec& spec : *listed) {
            std::string own_name = spec.name;
            spec.name = unused_name(offered, (*entries)[at].name, own_name);
            offered.push_back({std::move(spec), at, std::move(own_name)});
        }
    }
    co_return offered;
}

awaitable<ToolOutcome> run_one(Entries entries, std::size_t at, ToolCall call, Stop* stop) {
    co_return co_await (*entries)[at].source->run(std::move(call), stop);
}

}  // namespace

ToolBox::ToolBox(ToolThread* thread, std::vector<Entry> entries)
    : thread_(thread),
      entries_(std::make_shared<std::vector<Entry>>(std::move(entries))) {}

ToolBox::~ToolBox() {
    // Once nothing runs there, they can go here.
    if (!thread_->stopped()) asio::post(thread_->loop(), [entries = std::move(entries_)] {});
}

std::vector<std::string> ToolBox::names() const {
    std::vector<std::string> names;
    for (const Entry& entry : *entries_) names.push_back(entry.name);
    return names;
}

awaitable<Result<std::vector<ToolBox::Offered>>> ToolBox::offer(std::span<const std::string> names,
                                                                Stop* stop) const {
    std::vector<std::size_t> wanted;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(*entries_, name, &Entry::name);
        if (found != entries_->end())
            wanted.push_back(static_cast<std::size_t>(found - entries_->begin()));
    }
    using Offer = Result<std::vector<Offered>>;
    auto offer = co_await hand_over<Offer>(
        thread_,
        [entries = entries_, wanted = std::move(wanted)](Stop* there) {
            return collect(entries, wanted, there);
        },
        stop);
    if (!offer) co_return fail(ErrorKind::internal_error, "stopped");
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
    if (!outcome) co_return ToolOutcome{ToolOutcome::Kind::failed, "stopped", R"("stopped")"};
    co_return std::move(*outcome);
}

}  // namespace runnel::agent
