#pragma once

#include <functional>
#include <utility>

namespace runnel::http {

// A request to stop waiting, from outside a coroutine that waits: the client hung up, a deadline
// passed, the server shuts down. The one who waits leaves word how it can be woken; the first
// reason counts.
class Stop {
public:
    enum class Reason {
        none,
        client_gone,
        first_token_timeout,
        idle_timeout,
        total_timeout,
        connect_timeout,
        finish_grace,
        outpaced,  // another attempt was faster
        shutdown
    };

    Reason reason() const { return reason_; }
    bool requested() const { return reason_ != Reason::none; }

    void request(Reason reason) {
        if (reason_ != Reason::none) return;
        reason_ = reason;
        if (wake_) wake_();
    }

    // While this guard lives, a stop calls `wake`, at once when one was requested already.
    class [[nodiscard]] Guard {
    public:
        Guard(Stop* stop, std::function<void()> wake) : stop_(stop) {
            previous_ = std::exchange(stop->wake_, std::move(wake));
            if (stop->requested()) stop->wake_();
        }
        // Whoever waits further out hears of a stop that came meanwhile.
        ~Guard() {
            stop_->wake_ = std::move(previous_);
            if (stop_->requested() && stop_->wake_) stop_->wake_();
        }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

    private:
        Stop* stop_;
        std::function<void()> previous_;
    };

private:
    Reason reason_ = Reason::none;
    std::function<void()> wake_;
};

}  // namespace runnel::http
