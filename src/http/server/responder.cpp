#include "http/server/responder.hpp"

#include "base/limits.hpp"
#include "base/release.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace runnel::http {
namespace {

constexpr std::size_t size_digits = 8;  // of a piece's size; the line end follows them

// Steady streams reuse their buffer; one that had to take a huge piece gives the memory back, and
// so does the first piece, which has the head before it.
constexpr std::size_t kept_capacity = 16 * limits::kib;

}  // namespace

std::string_view reason_phrase(int status) {
    switch (status) {
        case 200: return "OK";
        case 201: return "Created";
        case 204: return "No Content";
        case 304: return "Not Modified";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 402: return "Payment Required";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 426: return "Upgrade Required";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        default: return "";
    }
}

Responder::Responder(Stream* stream, const Request& request)
    : stream_(stream),
      out_(head_room, ' '),
      chunked_(request.version == Request::Version::http_1_1),
      head_only_(request.method == "HEAD"),
      keep_alive_(request.keep_alive == Request::KeepAlive::yes) {}

Responder::Responder(ResponseTaker* taker)
    : stream_(nullptr),
      taker_(taker),
      out_(head_room, ' '),
      chunked_(false),
      head_only_(false),
      keep_alive_(false) {}

HeadWriter Responder::render_head(int status) {
    if (add_last_fields_) std::exchange(add_last_fields_, nullptr)(headers_);
    HeadWriter head =
        HeadWriter::response(chunked_ ? "HTTP/1.1" : "HTTP/1.0", status, reason_phrase(status));
    for (std::size_t i = 0; i < headers_.size(); ++i) {
        const auto [name, value] = headers_.at(i);
        head.field(name, value);
    }
    if (!keeps_alive())
        head.field("Connection", "close");
    else if (!chunked_)
        head.field("Connection", "keep-alive");
    return head;
}

awaitable<error_code> Responder::send(int status, std::string_view body) {
    if (std::exchange(over_, true)) co_return error_;
    if (taker_ != nullptr) {
        begun_ = true;
        status_ = status;
        taker_->take_whole(status, headers_, body);
        co_return error_;
    }
    co_await stream_->others_first();  // only then is it known whether the connection stays
    begun_ = true;
    status_ = status;
    HeadWriter head = render_head(status);
    if (status != 204 && status != 304) head.number("Content-Length", body.size());
    std::string message = head.finish();
    if (head_only_) body = {};
    const std::size_t size = message.size() + body.size();
    bytes_sent_ += size;
    const std::array whole{asio::const_buffer(message.data(), message.size()),
                           asio::const_buffer(body.data(), body.size())};
    error_code error;
    const std::size_t sent = stream_->write_now(whole, error);
    if (error || sent == size) co_return error;
    if (sent < message.size()) {
        // In one piece: with TLS that is one record. A long body is not copied for it.
        const std::size_t joined = std::min(body.size(), kept_capacity);
        message += body.substr(0, joined);
        body.remove_prefix(joined);
        error = co_await stream_->write(std::string_view(message).substr(sent));
    } else {
        body.remove_prefix(sent - message.size());
    }
    if (!error && !body.empty()) error = co_await stream_->write(body);
    co_return error;
}

// Turns out_ into what goes on the wire, in place; unsent_ is where that begins.
void Responder::frame_piece(Piece piece) {
    const std::size_t size = out_.size() - head_room;
    unsent_ = head_room;
    if (chunked_) {
        if (size > 0) {
            char digits[16];
            const auto end = std::to_chars(digits, digits + sizeof digits, size, 16).ptr;
            const auto count = static_cast<std::size_t>(end - digits);
            unsent_ = size_digits - count;
            out_.replace(unsent_, count, digits, count);
            out_.replace(size_digits, 2, "\r\n");
            out_ += "\r\n";
        }
        if (piece == Piece::last) out_ += "0\r\n\r\n";
    }
    if (begun_) return;
    begun_ = true;
    status_ = 200;
    // Without chunks only the connection's end can end the body.
    if (!chunked_) keep_alive_ = false;
    HeadWriter head = render_head(status_);
    release(headers_);
    if (chunked_) head.field("Transfer-Encoding", "chunked");
    out_.replace(0, unsent_, head.finish());
    unsent_ = 0;
    has_head_ = true;
}

bool Responder::flush(Piece piece) {
    if (over_) return true;
    over_ = piece == Piece::last;
    if (taker_ != nullptr) {
        hand_over_piece();
        return true;
    }
    frame_piece(piece);
    if (!aside_.empty()) {
        out_.replace(0, unsent_, std::exchange(aside_, {}));
        unsent_ = 0;
    }
    const std::array bytes{asio::const_buffer(out_.data() + unsent_, out_.size() - unsent_)};
    bytes_sent_ += bytes[0].size();
    const std::size_t sent = stream_->write_now(bytes, error_);
    unsent_ += sent;
    if (!error_ && unsent_ < out_.size()) return false;
    forget_piece();
    return true;
}

void Responder::hand_over_piece() {
    begun_ = true;
    status_ = 200;
    const std::string_view bytes = std::string_view(out_).substr(head_room);
    bytes_sent_ += bytes.size();
    if (!taker_->take_piece(bytes)) error_ = asio::error::no_buffer_space;
    forget_piece();
}

void Responder::flush_aside() {
    if (flush(Piece::more)) return;
    std::string rest = out_.substr(unsent_);
    forget_piece();
    if (!stream_->write_aside(rest)) aside_ = std::move(rest);
}

awaitable<void> Responder::drain() {
    error_ = co_await stream_->write(std::string_view(out_).substr(unsent_));
    forget_piece();
}

void Responder::forget_piece() {
    if (out_.capacity() > kept_capacity || std::exchange(has_head_, false)) release(out_);
    out_.assign(head_room, ' ');
}

}  // namespace runnel::http
