#pragma once

#include "base/own_count.hpp"
#include "http/responder.hpp"
#include "http/stop.hpp"
#include "http/stream.hpp"

#include <cstddef>
#include <list>

namespace runnel::http {

// The client connections of one thread, so that a server that is about to end can see to each.
class OpenConnections {
public:
    // One connection's place among them, for as long as it lives. A new one counts as one whose
    // first request is on its way.
    class Place {
    public:
        explicit Place(OpenConnections* all);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        // Where the connection's socket is now.
        void is_at(tcp::socket* socket) { socket_ = socket; }
        void is_idle() { state_ = State::idle; }
        // Until one of the others is called.
        void reads_request() { state_ = State::reading; }
        void answers(Responder* responder, Stop* stop);

    private:
        friend OpenConnections;
        enum class State { fresh, reading, answering, idle };

        void close();
        bool has_unread_bytes() const;

        OpenConnections* all_;
        std::list<Place*>::iterator self_;
        tcp::socket* socket_ = nullptr;
        State state_ = State::fresh;
        Responder* responder_ = nullptr;  // of the answer under way
        Stop* stop_ = nullptr;
    };

    // From now on each answer is the last one of its connection, and says so.
    void begin_drain();
    // Those between two requests. One whose next request has just arrived is not among them.
    void close_idle();
    // Those whose request has not come or not come whole.
    void close_unasked();
    // Tells those who answer to come to an end; so many there were.
    std::size_t stop_answers(Stop::Reason reason);

    bool empty() const { return places_.empty(); }
    // From any thread.
    std::int64_t count() const { return count_.read(); }

private:
    std::list<Place*> places_;
    OwnCount count_;
    bool draining_ = false;
};

}  // namespace runnel::http
