#pragma once

#include "server/call.hpp"

#include <string_view>

// What every answer tells of the caller's limits, and the limits that are an endpoint's own.
namespace runnel::server {

// Whatever the request is answered with tells how the caller's limits stand.
void show_limits(const Call& call);

// The same for an answer whose header fields these are.
void tell_limits(Resources& resources, const http::Request& request,
                 std::string_view client_address, const telemetry::RequestRecord& record,
                 http::HeaderList& headers);

// Whether the caller has requests left, whatever the model it will ask for: a body that is long in
// coming is not waited for otherwise.
Result<void> may_send_more(const Call& call);

// Has `then` answer where what the caller may ask of the endpoint is not used up.
Answer answer_within_limits(Call call, Answer (*then)(Call));

}  // namespace runnel::server
