#include "http/request_reader.hpp"

#include "base/ascii.hpp"
#include "base/padded.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::http {

namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;

namespace {

// Beast's views are boost's own type.
std::string_view std_view(string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string_view Request::path() const {
    return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
}

struct RequestReader::Parser final : beast::http::basic_parser<true> {
    explicit Parser(const Limits& limits) : header_bytes_left(limits.header_bytes) {
        eager(true);
        header_limit(static_cast<std::uint32_t>(limits.header_bytes));
        body_limit(limits.body_bytes);
    }

    Request request;
    std::size_t header_bytes_left;  // Beast's own limit forgets the fields of earlier reads
    bool header_done = false;
    bool wants_continue = false;

    void on_request_impl(beast::http::verb, string_view method, string_view target, int version,
                         error_code& error) override {
        count_header(method.size() + target.size(), error);
        request.method = std_view(method);
        request.target = std_view(target);
        request.version = version >= 11 ? Request::Version::http_1_1 : Request::Version::http_1_0;
    }
    void on_response_impl(int, string_view, int, error_code&) override {}
    void on_field_impl(beast::http::field name, string_view text, string_view value,
                       error_code& error) override {
        count_header(text.size() + value.size(), error);
        if (name == beast::http::field::expect &&
            ascii::equal_ignoring_case(std_view(value), "100-continue"))
            wants_continue = true;
        request.headers.add(std_view(text), std_view(value));
    }
    void on_header_impl(error_code&) override { header_done = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
        // Room for the JSON parser's padding too, so that the body never moves again.
        if (length) request.body.reserve(static_cast<std::size_t>(*length) + padding_bytes);
    }
    std::size_t on_body_impl(string_view bytes, error_code&) override {
        request.body += std_view(bytes);
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
        request.body += std_view(bytes);
        return bytes.size();
    }
    void on_finish_impl(error_code&) override {}

    void count_header(std::size_t bytes, error_code& error) {
        bytes += 4;  // separators and line end
        if (bytes > header_bytes_left) error = beast::http::error::header_limit;
        header_bytes_left -= std::min(bytes, header_bytes_left);
    }
};

RequestReader::RequestReader(Limits limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

Result<std::size_t> RequestReader::feed(std::string_view bytes) {
    std::size_t taken = 0;
    if (!parser_) {
        // Some clients send a line end more than they should; it belongs to no request.
        taken = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
        if (taken == bytes.size()) return taken;
        parser_ = std::make_unique<Parser>(limits_);
    }
    while (taken < bytes.size() && !parser_->is_done()) {
        error_code error;
        taken += parser_->put(boost::asio::const_buffer(bytes.data() + taken, bytes.size() - taken),
                              error);
        if (!error) continue;
        if (error == beast::http::error::need_more) break;
        if (error == beast::http::error::body_limit)
            return fail(ErrorKind::request_too_large,
                        fmt::format("the request body is larger than {} bytes; the limit is "
                                    "limits.request_body in the gateway's config",
                                    limits_.body_bytes));
        if (error == beast::http::error::header_limit)
            return fail(ErrorKind::headers_too_large,
                        fmt::format("the request's header fields are larger than {} bytes",
                                    limits_.header_bytes));
        return fail(ErrorKind::invalid_value,
                    fmt::format("not a valid HTTP/1.1 request: {}", error.message()));
    }
    return taken;
}

bool RequestReader::started() const { return parser_ != nullptr; }
bool RequestReader::header_done() const { return parser_ && parser_->header_done; }
bool RequestReader::done() const { return parser_ && parser_->is_done(); }
bool RequestReader::wants_continue() const {
    return header_done() && !done() && parser_->wants_continue;
}
void RequestReader::acknowledge_continue() { parser_->wants_continue = false; }

Request RequestReader::take() {
    if (!parser_) return {};
    Request request = std::move(parser_->request);
    request.keep_alive = parser_->is_header_done() && parser_->keep_alive()
                             ? Request::KeepAlive::yes
                             : Request::KeepAlive::no;
    parser_.reset();
    return request;
}

}  // namespace runnel::http
