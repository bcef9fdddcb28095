#pragma once

#include "http/stream.hpp"

#include <functional>
#include <memory>
#include <string>

namespace runnel::http {

// Watches a client while its requests are being answered, and calls back once if the client closes
// its side or the connection breaks. Bytes of a next request that come meanwhile are put into
// `pending` as long as that has few; the rest is left to the kernel, which is then asked now and
// then whether the client is there.
//
// It goes on waiting between two requests, though it then leaves what comes to whoever reads the
// next one: to wait beside it costs no system call, to begin waiting does.
class HangupWatch {
public:
    // Both pointers must outlive it.
    HangupWatch(Stream* client, std::string* pending);
    ~HangupWatch();
    HangupWatch(const HangupWatch&) = delete;
    HangupWatch& operator=(const HangupWatch&) = delete;

    void start(std::function<void()> on_hangup);
    void pause();

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the pending wait
};

}  // namespace runnel::http
