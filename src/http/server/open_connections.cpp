#include "http/server/open_connections.hpp"

#include "http/server/trusted_proxies.hpp"

namespace runnel::http {
namespace {

using namespace std::chrono_literals;

// How many are looked at for one to close: a flood must not make each newcomer cost more.
constexpr std::size_t looked_at_max = 1024;
constexpr std::size_t asked_max = 16;  // at the price of a system call each
constexpr auto close_idle_again_time = 100ms;

}  // namespace

OpenConnections::Place::Place(OpenConnections* all, tcp::socket* socket, Service offered)
    : all_(all),
      socket_(socket),
      service_(Service::full),
      self_(all->asking_.insert(all->asking_.end(), this)) {
    all_->count_.add();
    if (offered == Service::essential)
        become_essential(Seats::Lack::descriptors);
    else if (all_->seats_->take() || (all_->make_room() && all_->seats_->take()))
        has_seat_ = true;
    else
        become_essential(Seats::Lack::all);
}

OpenConnections::Place::~Place() {
    leave_seats();
    all_->list_of(state_).erase(self_);
    all_->count_.add(-1);
}

void OpenConnections::Place::comes_from(const runnel::IpBytes& client) {
    peer_ = client;
    if (!has_seat_) return;
    const runnel::IpBytes network = network_of(client);
    Seats* seats = all_->seats_;
    if (seats->take_for(network) || (all_->make_room_for(network) && seats->take_for(network)))
        network_ = network;
    else
        become_essential(Seats::Lack::address);
}

void OpenConnections::Place::comes_from_proxy(const runnel::IpBytes& proxy) { peer_ = proxy; }

void OpenConnections::Place::answers(Responder* responder, Stop* stop) {
    enter(State::answering);
    responder_ = responder;
    stop_ = stop;
    if (all_->draining_ || service_ == Service::essential || all_->is_memory_short())
        responder->forbid_keep_alive();
}

void OpenConnections::Place::close_if_it_waits() {
    if (state_ != State::answering) give_up();
}

void OpenConnections::Place::enter(State state) {
    if (state_ == State::closed) return;
    Places& from = all_->list_of(state_);
    Places& to = all_->list_of(state);
    state_ = state;
    if (&from != &to) to.splice(to.end(), from, self_);
}

void OpenConnections::Place::close() {
    error_code ignored;
    if (socket_ != nullptr) socket_->close(ignored);
}

void OpenConnections::Place::give_up() {
    close();
    leave_seats();
    enter(State::closed);
}

void OpenConnections::Place::become_essential(Seats::Lack lack) {
    all_->seats_->note(lack, lack == Seats::Lack::address ? text_of(peer_) : std::string());
    leave_seats();
    const bool has_room = all_->essential_ < all_->essential_max_ || all_->make_essential_room();
    service_ = Service::essential;
    ++all_->essential_;
    if (!has_room) give_up();
}

void OpenConnections::Place::leave_seats() {
    if (service_ == Service::essential && state_ != State::closed) --all_->essential_;
    if (network_) all_->seats_->give_back_for(*network_);
    network_.reset();
    if (has_seat_) all_->seats_->give_back();
    has_seat_ = false;
}

bool OpenConnections::Place::has_unread_bytes() const {
    error_code error;
    return socket_ != nullptr && socket_->available(error) > 0 && !error;
}

OpenConnections::Places& OpenConnections::list_of(Place::State state) {
    switch (state) {
        case Place::State::fresh:
        case Place::State::reading:
        case Place::State::leaving: return asking_;
        case Place::State::idle: return idle_;
        case Place::State::answering:
        case Place::State::reading_rest:
        case Place::State::closed: break;
    }
    return busy_;
}

template <class Fits>
bool OpenConnections::close_oldest(Places* places, Fits fits) {
    std::size_t looked_at = 0;
    std::size_t asked = 0;
    for (Place* place : *places) {
        if (++looked_at > looked_at_max || asked > asked_max) break;
        if (!fits(*place)) continue;
        ++asked;
        // What it asks for has come, and would have been read in a moment.
        if (place->state_ != Place::State::leaving && place->has_unread_bytes()) continue;
        place->give_up();
        seats_->note_closed();
        return true;
    }
    return false;
}

bool OpenConnections::make_room() {
    const auto fits = [](const Place& place) { return place.has_seat_; };
    return close_oldest(&asking_, fits) || close_oldest(&idle_, fits);
}

bool OpenConnections::make_room_for(const runnel::IpBytes& network) {
    const auto fits = [&network](const Place& place) { return place.network_ == network; };
    return close_oldest(&asking_, fits) || close_oldest(&idle_, fits);
}

// Those that answer leave soon: what they were asked for is short.
bool OpenConnections::make_essential_room() {
    return close_oldest(&asking_,
                        [](const Place& place) { return place.service_ == Service::essential; });
}

bool OpenConnections::is_memory_short() {
    if (memory_ == nullptr || !memory_->is_short()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - idle_closed_ >= close_idle_again_time) {
        idle_closed_ = now;
        close_idle();
    }
    return true;
}

void OpenConnections::begin_drain() {
    draining_ = true;
    for (Place* place : busy_)
        if (place->state_ == Place::State::answering) place->responder_->forbid_keep_alive();
}

void OpenConnections::close_idle() {
    for (Place* place : idle_)
        if (!place->has_unread_bytes()) place->close();
}

void OpenConnections::close_unasked() {
    for (Places* places : {&asking_, &idle_, &busy_})
        for (Place* place : *places)
            if (place->state_ != Place::State::answering) place->close();
}

std::size_t OpenConnections::stop_answers(Stop::Reason reason) {
    std::size_t count = 0;
    for (Place* place : busy_) {
        if (place->state_ != Place::State::answering) continue;
        place->stop_->request(reason);
        ++count;
    }
    return count;
}

}  // namespace runnel::http
