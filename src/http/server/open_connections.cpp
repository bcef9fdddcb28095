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

OpenConnections::Entry::Entry(OpenConnections* all, tcp::socket* socket, Service offered)
    : all_(all),
      socket_(socket),
      service_(Service::full),
      self_(all->asking_.insert(all->asking_.end(), this)) {
    all_->count_.add();
    if (offered == Service::essential)
        become_essential(ConnectionSlots::Lack::descriptors);
    else if (all_->slots_->take() || (all_->make_room() && all_->slots_->take()))
        has_slot_ = true;
    else
        become_essential(ConnectionSlots::Lack::all);
}

OpenConnections::Entry::~Entry() {
    give_back_slots();
    all_->list_of(state_).erase(self_);
    all_->count_.add(-1);
}

void OpenConnections::Entry::comes_from(const runnel::IpBytes& client) {
    peer_ = client;
    if (!has_slot_) return;
    const runnel::IpBytes network = network_of(client);
    ConnectionSlots* slots = all_->slots_;
    if (slots->take_for(network) || (all_->make_room_for(network) && slots->take_for(network)))
        network_ = network;
    else
        become_essential(ConnectionSlots::Lack::address);
}

void OpenConnections::Entry::comes_from_proxy(const runnel::IpBytes& proxy) { peer_ = proxy; }

void OpenConnections::Entry::answers(Responder* responder, Stop* stop) {
    enter(State::answering);
    responder_ = responder;
    stop_ = stop;
    if (all_->draining_ || service_ == Service::essential || all_->is_memory_short())
        responder->forbid_keep_alive();
}

void OpenConnections::Entry::close_if_it_waits() {
    if (state_ != State::answering) give_up();
}

void OpenConnections::Entry::enter(State state) {
    if (state_ == State::closed) return;
    Entries& from = all_->list_of(state_);
    Entries& to = all_->list_of(state);
    state_ = state;
    if (&from != &to) to.splice(to.end(), from, self_);
}

void OpenConnections::Entry::close() {
    error_code ignored;
    if (socket_ != nullptr) socket_->close(ignored);
}

void OpenConnections::Entry::give_up() {
    close();
    give_back_slots();
    enter(State::closed);
}

void OpenConnections::Entry::become_essential(ConnectionSlots::Lack lack) {
    all_->slots_->note(lack,
                       lack == ConnectionSlots::Lack::address ? text_of(peer_) : std::string());
    give_back_slots();
    const bool has_room = all_->essential_ < all_->essential_max_ || all_->make_essential_room();
    service_ = Service::essential;
    ++all_->essential_;
    if (!has_room) give_up();
}

void OpenConnections::Entry::give_back_slots() {
    if (service_ == Service::essential && state_ != State::closed) --all_->essential_;
    if (network_) all_->slots_->give_back_for(*network_);
    network_.reset();
    if (has_slot_) all_->slots_->give_back();
    has_slot_ = false;
}

bool OpenConnections::Entry::has_unread_bytes() const {
    error_code error;
    return socket_ != nullptr && socket_->available(error) > 0 && !error;
}

OpenConnections::Entries& OpenConnections::list_of(Entry::State state) {
    switch (state) {
        case Entry::State::fresh:
        case Entry::State::reading:
        case Entry::State::leaving: return asking_;
        case Entry::State::idle: return idle_;
        case Entry::State::answering:
        case Entry::State::reading_rest:
        case Entry::State::closed: break;
    }
    return busy_;
}

template <class Fits>
bool OpenConnections::close_oldest(Entries* entries, Fits fits) {
    std::size_t looked_at = 0;
    std::size_t asked = 0;
    for (Entry* entry : *entries) {
        if (++looked_at > looked_at_max || asked > asked_max) break;
        if (!fits(*entry)) continue;
        ++asked;
        // What it asks for has come, and would have been read in a moment.
        if (entry->state_ != Entry::State::leaving && entry->has_unread_bytes()) continue;
        entry->give_up();
        slots_->note_closed();
        return true;
    }
    return false;
}

bool OpenConnections::make_room() {
    const auto fits = [](const Entry& entry) { return entry.has_slot_; };
    return close_oldest(&asking_, fits) || close_oldest(&idle_, fits);
}

bool OpenConnections::make_room_for(const runnel::IpBytes& network) {
    const auto fits = [&network](const Entry& entry) { return entry.network_ == network; };
    return close_oldest(&asking_, fits) || close_oldest(&idle_, fits);
}

// Those that answer leave soon: what they were asked for is short.
bool OpenConnections::make_essential_room() {
    return close_oldest(&asking_,
                        [](const Entry& entry) { return entry.service_ == Service::essential; });
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
    for (Entry* entry : busy_)
        if (entry->state_ == Entry::State::answering) entry->responder_->forbid_keep_alive();
}

void OpenConnections::close_idle() {
    for (Entry* entry : idle_)
        if (!entry->has_unread_bytes()) entry->close();
}

void OpenConnections::close_unasked() {
    for (Entries* entries : {&asking_, &idle_, &busy_})
        for (Entry* entry : *entries)
            if (entry->state_ != Entry::State::answering) entry->close();
}

std::size_t OpenConnections::stop_answers(Stop::Reason reason) {
    std::size_t count = 0;
    for (Entry* entry : busy_) {
        if (entry->state_ != Entry::State::answering) continue;
        entry->stop_->request(reason);
        ++count;
    }
    return count;
}

}  // namespace runnel::http
