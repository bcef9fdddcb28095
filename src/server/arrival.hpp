#pragma once

#include "http/connection.hpp"

#include <string_view>

namespace runnel::server {

// A request and the way it came. A view.
struct Arrival {
    const http::Request* request;
    std::string_view address;  // the client's
    // By the local socket comes only who may read and write the gateway's data folder.
    enum class Way { plain, tls, local_socket } way = Way::plain;
};

inline Arrival arrival_of(const http::Transaction& transaction) {
    using enum Arrival::Way;
    const http::Stream& client = *transaction.client;
    return {&transaction.request, transaction.client_address,
            client.is_local()       ? local_socket
            : client.is_encrypted() ? tls
                                    : plain};
}

}  // namespace runnel::server
