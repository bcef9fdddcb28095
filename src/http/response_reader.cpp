#include "http/response_reader.hpp"

#include "base/limits.hpp"
#include "base/release.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <fmt/format.h>

#include <string>

namespace runnel::http {

namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;

namespace {

std::string_view std_text(string_view text) { return {text.data(), text.size()}; }

bool is_interim(int status) { return status >= 100 && status < 200; }

}  // namespace

struct ResponseReader::Parser final : beast::http::basic_parser<false> {
    Parser() {
        eager(true);
        header_limit(limits::upstream_header_bytes);
        body_limit(boost::none);
    }

    ResponseHead head;
    ResponseHandler* handler = nullptr;
    std::string head_bytes;  // an unfinished header block at the end of a read
    bool excess_bytes = false;

    void on_request_impl(beast::http::verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int status, string_view, int, error_code&) override {
        head.status = status;
    }
    void on_field_impl(beast::http::field, string_view name, string_view value,
                       error_code&) override {
        head.headers.add(std_text(name), std_text(value));
    }
    void on_header_impl(error_code&) override {
        if (is_interim(head.status)) return;
        handler->on_head(head);
        release(head.headers);
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view bytes, error_code&) override {
        // The bytes lie in the caller's padded buffer, so they are padded themselves.
        handler->on_body(Padded::vouched(std_text(bytes)));
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
        handler->on_body(Padded::vouched(std_text(bytes)));
        return bytes.size();
    }
    void on_finish_impl(error_code&) override {}
};

ResponseReader::ResponseReader() : parser_(std::make_unique<Parser>()) {}
ResponseReader::~ResponseReader() = default;
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;

Result<void> ResponseReader::feed(Padded bytes, ResponseHandler* handler) {
    parser_->handler = handler;
    std::string joined;
    if (!parser_->head_bytes.empty()) {
        joined = std::move(parser_->head_bytes);
        parser_->head_bytes.clear();
        joined += bytes.text();
        bytes = Padded::of(joined);
    }
    std::size_t taken = 0;
    while (taken < bytes.size() && !parser_->is_done()) {
        error_code error;
        taken += parser_->put(boost::asio::const_buffer(bytes.data() + taken, bytes.size() - taken),
                              error);
        if (error == beast::http::error::need_more) {
            parser_->head_bytes = bytes.text().substr(taken);
            return {};
        }
        if (error)
            return fail(ErrorKind::upstream_malformed,
                        fmt::format("the response is not valid HTTP: {}", error.message()));
        if (parser_->is_done() && is_interim(parser_->head.status)) {
            parser_ = std::make_unique<Parser>();
            parser_->handler = handler;
        }
    }
    parser_->excess_bytes = taken < bytes.size();
    return {};
}

Result<void> ResponseReader::finish(ResponseHandler* handler) {
    parser_->handler = handler;
    error_code error;
    if (!parser_->is_header_done() || !parser_->head_bytes.empty())
        error = beast::http::error::partial_message;
    else if (!parser_->is_done())
        parser_->put_eof(error);
    if (error)
        return fail(ErrorKind::upstream_truncated,
                    "the connection closed before the response ended");
    return {};
}

bool ResponseReader::done() const { return parser_->is_done(); }
bool ResponseReader::header_done() const { return parser_->is_header_done(); }
bool ResponseReader::reusable() const {
    return parser_->is_done() && parser_->keep_alive() && !parser_->excess_bytes;
}
void ResponseReader::reset() { parser_ = std::make_unique<Parser>(); }

}  // namespace runnel::http
