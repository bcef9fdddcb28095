#include "http/server/request_body.hpp"

#include "base/padded.hpp"
#include "base/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::http {

Result<void> RequestBody::begin(const HeaderList& headers, Limits limits) {
    const auto coding = content_coding(headers);
    if (!coding) return fail(coding.error());
    limits_ = limits;
    share_ = MemoryBudget::Share(limits.memory);
    is_wanted_ = true;
    if (decoder_.framing().length > limits.bytes || text_.size() > limits.bytes) return too_large();
    if (!decoder_.fault().empty()) return badly_framed();
    if (*coding == ContentCoding::identity) return count_memory(text_.capacity());
    inflater_ = std::make_unique<Inflater>(*coding, limits.bytes);
    compressed_ = std::exchange(text_, {});
    return inflate();
}

Result<std::size_t> RequestBody::feed(std::string_view bytes) {
    const std::size_t size = bytes.size();
    while (!bytes.empty() && !has_come()) {
        const std::string_view piece = decoder_.next(bytes);
        if (!decoder_.fault().empty()) return badly_framed();
        if (auto added = add(piece); !added) return propagate(added);
    }
    if (inflater_)
        if (auto inflated = inflate(); !inflated) return propagate(inflated);
    return size - bytes.size();
}

Result<void> RequestBody::add(std::string_view piece) {
    received_ += piece.size();
    if (!is_wanted_) {
        // Nearly always it is whole now; what a head claims to follow is nothing to make room for.
        if (text_.empty()) text_.reserve(piece.size() + padding_bytes);
        text_ += piece;
        return {};
    }
    if (received_ > limits_.bytes) return too_large();
    if (!inflater_) return append(piece);
    compressed_ += piece;
    return {};
}

Result<void> RequestBody::inflate() {
    std::string_view rest = compressed_;
    auto inflated = inflater_->feed(rest, [this](std::string_view plain) { return append(plain); });
    if (!inflated) return inflated;
    compressed_.erase(0, compressed_.size() - rest.size());
    return is_whole() ? finish_inflating() : count_memory(text_.capacity());
}

// Twice the room each time, but for a body whose end is near: that room is exact, and has what the
// JSON parser wants behind it, so that the body never moves again.
Result<void> RequestBody::append(std::string_view plain) {
    const std::size_t size = text_.size() + plain.size();
    if (size > limits_.bytes) return too_large();
    if (size + padding_bytes > text_.capacity()) {
        std::size_t room = std::max(size, std::min(2 * text_.size(), limits_.bytes));
        if (decoder_.framing().kind == Framing::Kind::length && !inflater_)
            room = std::min<std::size_t>(room, decoder_.framing().length);
        if (auto counted = count_memory(room + padding_bytes); !counted) return counted;
        text_.reserve(room + padding_bytes);
    }
    text_ += plain;
    return {};
}

Result<void> RequestBody::count_memory(std::size_t text_bytes) {
    const std::size_t more = inflater_ ? inflater_->memory_bytes() + compressed_.capacity() : 0;
    if (share_.resize(text_bytes + more)) return {};
    return fail(ErrorKind::overloaded,
                "the gateway has no memory left for the request's body; try again later");
}

Result<void> RequestBody::finish_inflating() {
    auto finished = inflater_->finish();
    inflater_.reset();
    release(compressed_);
    if (finished) finished = count_memory(text_.capacity());
    return finished;
}

std::unexpected<Error> RequestBody::too_large() const {
    return fail(
        ErrorKind::request_too_large,
        fmt::format("the request body is larger than {} bytes; {}", limits_.bytes, limits_.cure));
}

std::unexpected<Error> RequestBody::badly_framed() const {
    return fail(ErrorKind::invalid_value,
                fmt::format("the request's body is not valid HTTP/1.1: {}", decoder_.fault()));
}

}  // namespace runnel::http
