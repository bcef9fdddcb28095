#include "http/server/hangup.hpp"

#include "base/limits.hpp"
#include "http/read_buffer.hpp"

#include <boost/asio/steady_timer.hpp>

#include <poll.h>

namespace runnel::http {
namespace {

constexpr auto ask_again_time = std::chrono::seconds(1);

}  // namespace

struct HangupWatch::State : std::enable_shared_from_this<HangupWatch::State> {
    State(Stream* watched, std::string* kept)
        : client(watched),
          pending(kept),
          timer(watched->socket().get_executor()) {}

    Stream* client;
    std::string* pending;
    asio::steady_timer timer;
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
            if (pending->size() >= limits::pipelined_bytes) {
                ask_later();
                return;
            }
            const auto space = read_buffer().first(limits::pipelined_bytes);
            error_code error;
            const std::size_t count = client->read_now(space, error);
            if (error && error != asio::error::would_block) {
                on_hangup();
                return;
            }
            pending->append(space.data(), count);
        } while (client->more_to_read());
        if (!waiting) wait();
    }

    // The end of the stream can't be read before what was sent ahead of it, but the kernel knows.
    void ask_later() {
        timer.expires_after(ask_again_time);
        timer.async_wait([self = shared_from_this()](const error_code& error) {
            if (error || !self->on_hangup) return;
            self->has_hung_up() ? self->on_hangup() : self->ask_later();
        });
    }

    bool has_hung_up() {
        pollfd asked{client->socket().native_handle(), POLLRDHUP, 0};
        return ::poll(&asked, 1, 0) > 0;
    }
};

HangupWatch::HangupWatch(Stream* client, std::string* pending)
    : state_(std::make_shared<State>(client, pending)) {}

HangupWatch::~HangupWatch() { pause(); }

void HangupWatch::start(std::function<void()> on_hangup) {
    state_->on_hangup = std::move(on_hangup);
    if (!state_->waiting) state_->wait();
}

void HangupWatch::pause() {
    state_->on_hangup = nullptr;
    state_->timer.cancel();
}

}  // namespace runnel::http
