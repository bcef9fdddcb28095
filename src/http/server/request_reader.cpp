#include "http/server/request_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::http {
namespace {

std::unexpected<Error> not_http(std::string_view what) {
    return fail(ErrorKind::invalid_value, fmt::format("not a valid HTTP/1.1 request: {}", what));
}

// Path and query, or a whole URL: whatever has neither spaces nor control characters.
bool is_target(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte > 0x20 && byte != 0x7F;
    });
}

}  // namespace

std::string_view Request::path() const {
    return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
}

RequestReader::RequestReader(std::size_t head_bytes)
    : head_bytes_(head_bytes),
      lines_(head_bytes) {}

Result<std::size_t> RequestReader::feed(std::string_view bytes) {
    const std::size_t size = bytes.size();
    if (state_ == State::between) {
        // Some clients send a line end more than they should; it belongs to no request.
        bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
        if (bytes.empty()) return size;
        state_ = State::first_line;
    }
    while (!done() && !bytes.empty()) {
        switch (lines_.take(bytes)) {
            case LineReader::Outcome::more: break;
            case LineReader::Outcome::too_long:
                return fail(ErrorKind::headers_too_large,
                            fmt::format("the request's header fields are larger than {} bytes; the "
                                        "limit is limits.request_header in the gateway's config",
                                        head_bytes_));
            case LineReader::Outcome::bare_line_feed:
                return not_http("a line ends with a line feed alone, without a carriage return");
            case LineReader::Outcome::line:
                if (auto read = read_line(lines_.line()); !read) return propagate(read);
        }
    }
    return size - bytes.size();
}

Result<void> RequestReader::read_line(std::string_view line) {
    if (state_ == State::first_line) return read_first_line(line);
    if (line.empty()) return finish();
    const auto field = read_field(line);
    if (!field) return not_http(field.error());
    facts_.note(*field);
    request_.headers.add(field->name, field->value);
    return {};
}

Result<void> RequestReader::read_first_line(std::string_view line) {
    const std::size_t first = std::min(line.find(' '), line.size());
    const std::size_t last = line.rfind(' ');
    const std::string_view method = line.substr(0, first);
    const std::string_view target =
        first < last && last < line.size() ? line.substr(first + 1, last - first - 1) : "";
    if (!is_token(method) || !is_target(target))
        return not_http("the first line must be a method, a path and HTTP/1.1");
    request_.method = method;
    request_.target = target;
    const std::string_view version = line.substr(last + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0")
        return not_http("the version must be HTTP/1.1 or HTTP/1.0");
    request_.version =
        version == "HTTP/1.1" ? Request::Version::http_1_1 : Request::Version::http_1_0;
    state_ = State::fields;
    return {};
}

// Where proxies and servers have disagreed about the end of a body, one client's bytes have become
// another's request.
Result<void> RequestReader::finish() {
    const bool is_new = request_.version == Request::Version::http_1_1;
    if (facts_.hosts > 1 || (is_new && facts_.hosts == 0))
        return not_http("it must have one Host header field");
    if (!facts_.host_is_valid) return not_http("Host has a character that no host has");
    // A proxy may have checked the one that is not looked at here.
    if (facts_.authorizations > 1) return not_http("it has more than one Authorization");
    if (facts_.lengths > 1) return not_http("it has more than one Content-Length");
    if (!facts_.length_is_valid) return not_http("Content-Length is not a number of bytes");
    if (facts_.transfer_codings > 0) {
        if (!is_new) return not_http("HTTP/1.0 has no Transfer-Encoding");
        if (facts_.lengths > 0)
            return not_http("it has both a Content-Length and a Transfer-Encoding; send one");
        if (!facts_.is_chunked)
            return not_http("Transfer-Encoding must be chunked and nothing else");
        request_.framing.kind = Framing::Kind::chunked;
    } else if (facts_.lengths > 0) {
        request_.framing = {Framing::Kind::length, facts_.length};
    }
    if (facts_.says_close ? false : is_new || facts_.says_keep_alive)
        request_.keep_alive = Request::KeepAlive::yes;
    if (facts_.expects_continue && is_new) request_.expects = Request::Expects::leave_to_send;
    state_ = State::done;
    return {};
}

Request RequestReader::take() {
    Request request = std::move(request_);
    *this = RequestReader(head_bytes_);
    return request;
}

}  // namespace runnel::http
