#pragma once

#include "exchange/admission/admission.hpp"
#include "exchange/background/kept_stream.hpp"
#include "server/call.hpp"

#include <cstddef>
#include <memory>

// Requests that go on without their client, and the streams that they leave to be read.
namespace runnel::server {

// Whether the request, whose body is there, asks for it.
bool wants_background(const Call& call);

// Begins it, tells the client what it can be found by, and with `stream: true` all that it comes
// to. It has `ticket` until it has ended, whoever still listens.
Answer answer_in_background(Call call, exchange::Admission::Ticket ticket);

// The frames from that one on, as they come, until there are no more.
Answer tell_frames(Call call, std::shared_ptr<exchange::KeptStream> frames, std::size_t first);

}  // namespace runnel::server
