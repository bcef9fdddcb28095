#include "http/client/call.hpp"

#include "base/ascii.hpp"
#include "http/message/head_writer.hpp"
#include "http/read_buffer.hpp"

#include <algorithm>
#include <utility>

namespace runnel::http {

using Reuse = ConnectionPool::Reuse;

std::string write_request_head(const Origin& origin, const RequestView& request) {
    auto head = HeadWriter::request(request.method, request.target, origin.host_header);
    for (const HeaderField& field : request.headers) head.field(field.name, field.value);
    const bool named = std::ranges::any_of(request.headers, [](const HeaderField& field) {
        return ascii::equal_ignoring_case(field.name, "user-agent");
    });
    if (!named) head.field("User-Agent", "runnel/" RUNNEL_VERSION);
    if (request.method != "GET" || !request.body.empty())
        head.number("Content-Length", request.body.size());
    return head.finish();
}

bool Call::take_idle() {
    connection_ = pool_->take_idle(*destination_);
    return is_open();
}

awaitable<Result<void>> Call::connect(Stop* stop) {
    auto made = co_await pool_->connect(destination_, stop);
    if (!made) co_return propagate(made);
    connection_ = std::move(*made);
    co_return Result<void>{};
}

awaitable<Result<void>> Call::open(Reuse reuse, Stop* stop) {
    if (reuse == Reuse::allowed && take_idle()) co_return Result<void>{};
    co_return co_await connect(stop);
}

awaitable<Result<void>> Call::send(RequestView request, Stop* stop) {
    return connection_->send(write_request_head(destination_->origin, request), request.body, stop);
}

awaitable<void> Call::read(CallHandler* handler, Stop* stop) {
    error_code error;
    if (connection_->must_wait()) {
        Stop::Guard guard(stop, [this] { connection_->close(); });
        std::tie(error) = co_await connection_->readable();
    } else if (connection_->must_yield()) {
        Stop::Guard guard(stop, [this] { connection_->close(); });
        co_await connection_->others_first();
    }
    // The handler may drop the call: nothing is touched after it.
    handler->on_read(error ? Result<void>(fail(connection_lost("the connection broke", error)))
                           : connection_->read(padded_read_buffer(), handler));
}

void Call::finish() {
    if (connection_) pool_->give_back(std::move(connection_));
}

}  // namespace runnel::http
