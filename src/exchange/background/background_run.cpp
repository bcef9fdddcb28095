#include "exchange/background/background_run.hpp"

#include "api/responses/response_object.hpp"
#include "base/log.hpp"
#include "base/release.hpp"
#include "exchange/background/background_runs.hpp"
#include "exchange/background/limits.hpp"
#include "exchange/utc_now.hpp"
#include "http/as_error.hpp"
#include "storage/ask.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;
using http::Stop;

namespace {

constexpr std::string_view end_of_stream = "data: [DONE]\n\n";

access::UtcTime lease_end() { return utc_now() + limits::background_lease_time; }

}  // namespace

BackgroundRun::BackgroundRun(const Means& means, http::Request request, std::string client_address)
    : means_(means),
      watchdog_(means.worker->executor()),
      transaction_{.request = std::move(request),
                   .body = nullptr,
                   .responder = &responder_,
                   .stop = &stop_,
                   .watchdog = &*watchdog_,
                   .client = nullptr,
                   .executor = means.worker->executor(),
                   .client_address = std::move(client_address)},
      lease_timer_(means.worker->executor()) {
    // Whoever reads the frames is sent pings of its own.
    transaction_.request.headers.add("Sse-Stream-Options", "no-ping");
    means_.worker->background.insert(&stop_);
}

void BackgroundRun::leave() {
    means_.worker->background.erase(&stop_);
    watchdog_.reset();
    lease_timer_.reset();
}

awaitable<Result<void>> BackgroundRun::begin(storage::StoredResponse queued, Frames frames) {
    queued_ = std::move(queued);
    queued_.running_until = lease_end();
    if (auto added = means_.runs->add(queued_.id, queued_.owner, shared_from_this()); !added)
        co_return added;
    auto stored = co_await storage::ask<bool>(
        means_.store, [response = queued_](storage::Database& database) -> Result<bool> {
            if (auto kept = storage::add_response(database, response); !kept)
                return propagate(kept);
            return true;
        });
    if (!stored) {
        means_.runs->remove(queued_.id);
        co_return propagate(stored);
    }
    release(queued_.input_json);
    if (frames == Frames::kept) frames_ = std::make_shared<KeptStream>(means_.memory);
    has_begun_ = true;
    means_.worker->tasks.start("background lease", keep_lease(shared_from_this()));
    co_return Result<void>{};
}

// The store is told now and then that it is still under way, and tells when it is not any more:
// it was cancelled or deleted by way of another process.
awaitable<void> BackgroundRun::keep_lease(std::shared_ptr<BackgroundRun> run) {
    while (true) {
        run->lease_timer_->expires_after(limits::background_renewal_time);
        const auto [error] = co_await run->lease_timer_->async_wait(as_error);
        if (error || run->is_over_) co_return;
        auto runs = co_await storage::ask<bool>(
            run->means_.store, [id = run->id(), until = lease_end()](storage::Database& database) {
                return storage::prolong_response(database, id, until);
            });
        if (run->is_over_) co_return;
        if (runs && !*runs) run->cancel();
    }
}

void BackgroundRun::on_begun(std::function<void(Outcome)> action) {
    if (outcome_)
        action(std::move(*outcome_));
    else
        on_begun_ = std::move(action);
}

void BackgroundRun::tell(Outcome outcome) {
    if (outcome_) return;
    outcome_ = std::move(outcome);
    if (on_begun_) std::exchange(on_begun_, nullptr)(std::move(*outcome_));
}

void BackgroundRun::take_whole(int status, const http::HeaderList& headers, std::string_view body) {
    if (has_begun_) return;  // what became of it is told in its frames
    tell(Refusal{status, headers, std::string(body)});
}

bool BackgroundRun::take_piece(std::string_view bytes) {
    if (!has_begun_) return false;
    {
        const std::lock_guard lock(mutex_);
        ++pieces_;
    }
    if (!outcome_) {
        const bool fits = !frames_ || frames_->add(bytes);
        tell({});
        return fits;
    }
    if (!frames_ || bytes.empty()) return true;
    // Whoever reads the end goes on from it at once: the store has it by then.
    if (bytes.ends_with(end_of_stream)) {
        last_frames_ = bytes;
        return true;
    }
    return frames_->add(bytes);
}

std::string BackgroundRun::how_it_ended() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
        if (is_cancelled_) {
            last_frames_ = end_of_stream;
            return api::responses::cancelled_response(queued_.response_json);
        }
    }
    if (!final_.empty()) return std::move(final_);
    if (last_frames_.empty()) last_frames_ = end_of_stream;
    return api::responses::failed_response(
        queued_.response_json,
        {ErrorKind::internal_error,
         stop_.reason() == Stop::Reason::shutdown
             ? "the gateway was shut down before the answer was complete; ask again"
             : "the answer was too long to be kept in the background"});
}

awaitable<void> BackgroundRun::end() {
    is_over_ = true;
    lease_timer_->cancel();
    if (!has_begun_) {
        tell(Refusal{503, {}, {}});
        co_return;
    }
    std::string response = how_it_ended();
    std::string frames;
    if (frames_) frames = frames_->bytes() + last_frames_;
    auto stored = co_await storage::ask<bool>(
        means_.store, [id = id(), response, frames = std::move(frames)](storage::Database& found) {
            return storage::end_response(found, id, response, frames);
        });
    if (!stored)
        log::Line(log::Level::warning, "response not stored")
            .add("completion_id", id())
            .add("error", stored.error().message)
            .write();
    {
        const std::lock_guard lock(mutex_);
        ended_ = std::move(response);
    }
    if (frames_) {
        static_cast<void>(frames_->add(last_frames_));
        frames_->end();
    }
    means_.runs->remove(id());
}

std::string BackgroundRun::response() const {
    const std::lock_guard lock(mutex_);
    if (is_cancelled_) return api::responses::cancelled_response(queued_.response_json);
    if (!ended_.empty()) return ended_;
    return pieces_ > 1 ? api::responses::begun_response(queued_.response_json)
                       : queued_.response_json;
}

bool BackgroundRun::cancel() {
    {
        const std::lock_guard lock(mutex_);
        if (is_ending_) return false;
        is_cancelled_ = true;
    }
    // As if its client had gone: upstream is told at once.
    boost::asio::post(means_.worker->executor(), [run = shared_from_this()] {
        run->stop_.request(Stop::Reason::client_gone);
    });
    return true;
}

}  // namespace runnel::exchange
