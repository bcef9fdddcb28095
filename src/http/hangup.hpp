#pragma once

#include "http/stream.hpp"

#include <functional>
#include <memory>
#include <string>

namespace runnel::http {

// Watches a client while its request is being answered, and calls back once if the client closes
// its side or the connection breaks. Bytes of a next request that come meanwhile are put into
// `pending`, as far as they are few.
class HangupWatch {
public:
    HangupWatch(Stream* client, std::string* pending, std::function<void()> on_hangup);
    ~HangupWatch();
    HangupWatch(const HangupWatch&) = delete;
    HangupWatch& operator=(const HangupWatch&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the pending wait
};

}  // namespace runnel::http
