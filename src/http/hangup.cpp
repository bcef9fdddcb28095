#include "http/hangup.hpp"

#include "base/limits.hpp"
#include "http/read_buffer.hpp"

namespace runnel::http {

struct HangupWatch::State : std::enable_shared_from_this<HangupWatch::State> {
    Stream* client;
    std::string* pending;
    std::function<void()> on_hangup;  // empty: nobody is being answered
    bool waiting = false;

    void wait() {
        waiting = true;
        client->socket().async_wait(tcp::socket::wait_read,
                                    [self = shared_from_this()](const error_code& error) {
                                        self->waiting = false;
                                        if (!error && self->on_hangup) self->look();
                                    });
    }

    void look() {
        if (client->must_not_read()) {
            client->after_write([self = shared_from_this()] {
                if (self->on_hangup) self->look();
            });
            return;
        }
        do {
            error_code error;
            const std::size_t count = client->read_now(read_buffer(), error);
            if (error && error != asio::error::would_block) {
                on_hangup();
                return;
            }
            pending->append(read_buffer().data(), count);
            if (pending->size() >= limits::request_header_bytes) return;
        } while (client->more_to_read());
        if (!waiting) wait();
    }
};

HangupWatch::HangupWatch(Stream* client, std::string* pending) : state_(std::make_shared<State>()) {
    state_->client = client;
    state_->pending = pending;
}

HangupWatch::~HangupWatch() { pause(); }

void HangupWatch::start(std::function<void()> on_hangup) {
    state_->on_hangup = std::move(on_hangup);
    if (!state_->waiting) state_->wait();
}

void HangupWatch::pause() { state_->on_hangup = nullptr; }

}  // namespace runnel::http
