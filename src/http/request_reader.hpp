#pragma once

#include "base/result.hpp"
#include "http/headers.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace runnel::http {

struct Request {
    std::string method;
    std::string target;  // path and query as sent
    HeaderList headers;
    std::string body;
    enum class KeepAlive { no, yes } keep_alive = KeepAlive::yes;
    enum class Version { http_1_0, http_1_1 } version = Version::http_1_1;

    std::string_view path() const;
    std::string_view query() const;
};

// Reads requests from a connection's bytes, one after the other. No IO inside.
class RequestReader {
public:
    struct Limits {
        std::size_t header_bytes;
        std::size_t body_bytes;
    };
    explicit RequestReader(Limits limits);
    ~RequestReader();

    // Takes bytes until the request is whole and says how many it took; the rest belongs to the
    // next request. An error (bad syntax, a limit) ends the connection after its reply.
    Result<std::size_t> feed(std::string_view bytes);
    bool started() const;  // some byte of a request has come
    bool header_done() const;
    bool done() const;
    // The client waits for leave to send the body; true until acknowledged.
    bool wants_continue() const;
    void acknowledge_continue();
    // Hands the request out, as far as it has come, and begins with the next.
    Request take();

private:
    struct Parser;
    Limits limits_;
    std::unique_ptr<Parser> parser_;
};

}  // namespace runnel::http
