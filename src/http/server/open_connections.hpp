#pragma once

#include "base/memory_budget.hpp"
#include "base/own_count.hpp"
#include "http/server/connection_slots.hpp"
#include "http/server/responder.hpp"
#include "http/stop.hpp"
#include "http/stream.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>

namespace runnel::http {

// The client connections of one thread: so that those who only wait make room for others where
// there are too many, and so that a server that is about to end can see to each.
//
// A connection for which there is no slot, whoever has them, gets one of a few that are kept for
// health checks and for the admin, and is the first to go where these are all taken.
class OpenConnections {
public:
    // What a connection may ask for: everything, or what must be answered whatever else goes on.
    enum class Service { full, essential };

    // Both pointers must outlive it. So many essential ones there may be.
    OpenConnections(ConnectionSlots* slots, const MemoryBudget* memory, std::size_t essential_max)
        : slots_(slots),
          memory_(memory),
          essential_max_(essential_max) {}

    // One connection among them, for as long as it lives. A new one counts as one whose
    // first request is on its way.
    class Entry {
    public:
        // At most this is offered; `service()` says what there is.
        Entry(OpenConnections* all, tcp::socket* socket, Service offered = Service::full);
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

        // Who it is that asks; of a proxy's connection it may say so itself, later. A client's
        // connections are counted, and are `essential` beyond what it may have.
        void comes_from(const runnel::IpBytes& client);
        void comes_from_proxy(const runnel::IpBytes& proxy);
        const runnel::IpBytes& peer() const { return peer_; }
        Service service() const { return service_; }

        // Where the connection's socket is now.
        void is_at(tcp::socket* socket) { socket_ = socket; }
        void is_idle() { enter(State::idle); }
        // Until one of the others is called. Of a request whose head was already answered to, the
        // rest is on its way: its connection need not make room.
        void reads_request() {
            enter(state_ == State::answering ? State::reading_rest : State::reading);
        }
        void answers(Responder* responder, Stop* stop);
        // It has its answer; what else it sends is read by nobody.
        void leaves() { enter(State::leaving); }
        // Unless an answer is under way.
        void close_if_it_waits();

    private:
        friend OpenConnections;
        enum class State { fresh, reading, answering, reading_rest, idle, leaving, closed };

        void enter(State state);
        void close();
        // Its slots are free from now on, though its last turn of the loop is yet to come.
        void give_up();
        void become_essential(ConnectionSlots::Lack lack);
        void give_back_slots();
        bool has_unread_bytes() const;

        OpenConnections* all_;
        tcp::socket* socket_;
        State state_ = State::fresh;
        Service service_;
        bool has_slot_ = false;
        runnel::IpBytes peer_{};
        std::optional<runnel::IpBytes> network_{};  // whose slot it has
        std::list<Entry*>::iterator self_;
        Responder* responder_ = nullptr;  // of the answer under way
        Stop* stop_ = nullptr;
    };

    // Closes the connection that has waited longest without having asked for anything, or else the
    // one that has been idle longest. False: there is none.
    bool make_room();

    // From now on each answer is the last one of its connection, and says so.
    void begin_drain();
    // Those between two requests. One whose next request has just arrived is not among them.
    void close_idle();
    // Those whose request has not come or not come whole.
    void close_unasked();
    // Tells those who answer to come to an end; so many there were.
    std::size_t stop_answers(Stop::Reason reason);

    bool empty() const { return asking_.empty() && idle_.empty() && busy_.empty(); }
    // From any thread.
    std::int64_t count() const { return count_.read(); }
    ConnectionSlots* slots() const { return slots_; }

private:
    using Entries = std::list<Entry*>;
    Entries& list_of(Entry::State state);
    // Of those that fit; false: none does.
    template <class Fits>
    bool close_oldest(Entries* entries, Fits fits);
    bool make_room_for(const runnel::IpBytes& network);
    bool make_essential_room();
    bool is_memory_short();

    ConnectionSlots* slots_;
    const MemoryBudget* memory_;
    std::size_t essential_max_;
    std::size_t essential_ = 0;  // there are now
    // Each in the order in which they came to be so, the oldest first.
    Entries asking_;  // fresh ones, those whose request has not come whole, and those that leave
    Entries idle_;
    Entries busy_;  // with an answer or with the rest of a request, or closed
    OwnCount count_;
    bool draining_ = false;
    std::chrono::steady_clock::time_point idle_closed_{};
};

}  // namespace runnel::http
