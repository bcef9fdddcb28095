#pragma once

#include "base/result.hpp"
#include "http/stop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace runnel::exchange {

// Lets so many in at a time, and some more wait for a short while, first come, first served: what
// can't be served soon is told so soon. Shared by all threads; asked once per request or attempt.
class Admission {
public:
    struct Limits {
        std::size_t concurrent = 0;  // 0: any number
        std::size_t queue = 0;       // that may wait
        std::chrono::milliseconds queue_time{0};
    };

    // `what` is at its limit, as the client is told, e.g. "the gateway".
    Admission(std::string what, Limits limits);
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    // A place inside, until it is destroyed. It must not outlive the admission.
    class [[nodiscard]] Ticket {
    public:
        Ticket(Ticket&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
        Ticket& operator=(Ticket&& other) noexcept {
            std::swap(to_, other.to_);
            return *this;
        }
        ~Ticket() {
            if (to_ != nullptr) to_->leave();
        }

    private:
        friend Admission;
        explicit Ticket(Admission* to) : to_(to) {}
        Admission* to_;
    };

    // A place if there is one now and nobody waits for it.
    std::optional<Ticket> try_enter();
    // Waits in the queue for a place. An `overloaded` error when the queue is full or the time is
    // over; an error too when `stop` is requested meanwhile, whose reason says more.
    boost::asio::awaitable<Result<Ticket>> enter(http::Stop* stop);

    // Those inside stay, however many they are.
    void set_limits(Limits limits);

    struct Figures {
        std::size_t inside;
        std::size_t waiting;
        std::size_t concurrent;  // the limit
    };
    Figures figures() const;

private:
    class Waiter;

    std::unique_ptr<Waiter> queue_up(const boost::asio::any_io_executor& loop);
    void leave();
    void let_in();  // those who wait and now have a place; with the lock held
    bool has_place() const { return limits_.concurrent == 0 || inside_ < limits_.concurrent; }
    Error refusal() const;

    const std::string what_;
    mutable std::mutex mutex_;
    Limits limits_;
    std::size_t inside_ = 0;
    std::list<Waiter*> queue_;  // oldest first
};

// One for each name that has a limit. Names are never forgotten, so that a reload keeps the count
// of those who are inside.
class AdmissionTable {
public:
    // `kind` is what the names are of, e.g. "provider".
    explicit AdmissionTable(std::string_view kind) : kind_(kind) {}

    // Null where there never was a limit. It lives as long as the table.
    Admission* find(std::string_view name) const;
    // Names that are not among them have no limit any more.
    void set_limits(const std::map<std::string, Admission::Limits>& limits);

private:
    const std::string kind_;
    mutable std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Admission>, std::less<>> admissions_;
};

// Requests at a time: of the process, to each provider, for each model.
struct Admissions {
    Admission requests{"the gateway", {}};
    AdmissionTable to_provider{"provider"};
    AdmissionTable for_model{"model"};
};

}  // namespace runnel::exchange
