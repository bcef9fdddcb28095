#include "http/open_connections.hpp"

namespace runnel::http {

OpenConnections::Place::Place(OpenConnections* all)
    : all_(all),
      self_(all->places_.insert(all->places_.end(), this)) {
    all_->count_.add();
}

OpenConnections::Place::~Place() {
    all_->places_.erase(self_);
    all_->count_.add(-1);
}

void OpenConnections::Place::answers(Responder* responder, Stop* stop) {
    state_ = State::answering;
    responder_ = responder;
    stop_ = stop;
    if (all_->draining_) responder->forbid_keep_alive();
}

void OpenConnections::Place::close() {
    error_code ignored;
    if (socket_ != nullptr) socket_->close(ignored);
}

bool OpenConnections::Place::has_unread_bytes() const {
    error_code error;
    return socket_ != nullptr && socket_->available(error) > 0 && !error;
}

void OpenConnections::begin_drain() {
    draining_ = true;
    for (Place* place : places_)
        if (place->state_ == Place::State::answering) place->responder_->forbid_keep_alive();
}

void OpenConnections::close_idle() {
    for (Place* place : places_)
        if (place->state_ == Place::State::idle && !place->has_unread_bytes()) place->close();
}

void OpenConnections::close_unasked() {
    for (Place* place : places_)
        if (place->state_ != Place::State::answering) place->close();
}

std::size_t OpenConnections::stop_answers(Stop::Reason reason) {
    std::size_t count = 0;
    for (Place* place : places_) {
        if (place->state_ != Place::State::answering) continue;
        place->stop_->request(reason);
        ++count;
    }
    return count;
}

}  // namespace runnel::http
