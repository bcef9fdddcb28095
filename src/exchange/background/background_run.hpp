#pragma once

#include "exchange/background/kept_stream.hpp"
#include "exchange/worker.hpp"
#include "http/server/connection.hpp"
#include "storage/records/responses.hpp"
#include "storage/store_thread.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace runnel::exchange {

class BackgroundRuns;

// A request that is answered without its client: it stands where the connection stands elsewhere,
// keeps the frames of the answer for whoever reads them meanwhile, and leaves the answer in the
// store. Runs on one thread; what is said to be from any thread may be called from any.
class BackgroundRun final : public http::ResponseTaker,
                            public std::enable_shared_from_this<BackgroundRun> {
public:
    struct Means {
        Worker* worker;
        storage::StoreThread* store;
        BackgroundRuns* runs;
        MemoryBudget* memory;
    };
    BackgroundRun(const Means& means, http::Request request, std::string client_address);

    http::Transaction* transaction() { return &transaction_; }

    // The request can be answered: from now on it is found, here and in the store.
    enum class Frames { dropped, kept };
    boost::asio::awaitable<Result<void>> begin(storage::StoredResponse queued, Frames frames);
    // How it ended, in its API's words. Known before the last frames are told.
    void ends_as(std::string response_json) { final_ = std::move(response_json); }
    // Nobody answers any more: what became of it goes into the store, and then to who reads it.
    boost::asio::awaitable<void> end();
    // The last that is done on its thread; others may hold it for longer.
    void leave();

    // What its client gets at first: nothing, where it has begun, or the error that kept it from
    // that.
    struct Refusal {
        int status = 500;
        http::HeaderList headers{};
        std::string body{};
    };
    using Outcome = std::optional<Refusal>;
    // Called once, which may be at once.
    void on_begun(std::function<void(Outcome)> action);

    // From any thread.
    const std::string& id() const { return queued_.id; }  // once it has begun
    const std::string& owner() const { return queued_.owner; }
    // The response object as it is now.
    std::string response() const;
    // Null: none are kept.
    std::shared_ptr<KeptStream> frames() const { return frames_; }
    // False: it has just ended.
    bool cancel();

    void take_whole(int status, const http::HeaderList& headers, std::string_view body) override;
    bool take_piece(std::string_view bytes) override;

private:
    static boost::asio::awaitable<void> keep_lease(std::shared_ptr<BackgroundRun> run);
    void tell(Outcome outcome);
    std::string how_it_ended();

    Means means_;
    http::Stop stop_;
    std::optional<http::Watchdog> watchdog_;
    http::Responder responder_{static_cast<http::ResponseTaker*>(this)};
    http::Transaction transaction_;
    std::function<void(Outcome)> on_begun_;
    std::optional<Outcome> outcome_;
    std::optional<boost::asio::steady_timer> lease_timer_;
    std::shared_ptr<KeptStream> frames_;
    std::string last_frames_;  // told when the store has them
    std::string final_;        // empty: it did not end by itself
    bool has_begun_ = false;
    bool is_over_ = false;

    storage::StoredResponse queued_;  // does not change once it has begun
    mutable std::mutex mutex_;        // of what follows
    std::size_t pieces_ = 0;
    bool is_cancelled_ = false;
    bool is_ending_ = false;
    std::string ended_;  // the response object, once the store has it
};

}  // namespace runnel::exchange
