#pragma once

#include "base/letters.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace runnel::json {

// Appends JSON of a fixed shape to a caller's string, for less than half of what it costs with
// Writer: names and punctuation are literals of whoever knows the shape, and room is made in large
// steps. The string is whole again when the writer goes.
class QuickWriter {
public:
    explicit QuickWriter(std::string& out) : out_(out), at_(nullptr), end_(nullptr) {
        make_room(out.size(), first_bytes);
    }
    ~QuickWriter() { out_.resize(used()); }
    QuickWriter(const QuickWriter&) = delete;
    QuickWriter& operator=(const QuickWriter&) = delete;

    // As it is; its size is known, so this is a few stores.
    template <std::size_t size>
    QuickWriter& literal(const char (&text)[size]) {
        reserve(size - 1);
        std::memcpy(at_, text, size - 1);
        at_ += size - 1;
        return *this;
    }

    QuickWriter& raw(std::string_view json) {
        reserve(json.size());
        return put(json);
    }

    // In quotes, with what must be escaped.
    QuickWriter& string(std::string_view plain) {
        return find_other<Letters::unescaped>(plain, 0) == plain.size() ? word(plain)
                                                                        : escaped(plain);
    }

    // In quotes, and nothing in it needs an escape.
    QuickWriter& word(std::string_view plain) {
        reserve(plain.size() + 2);
        *at_++ = '"';
        put(plain);
        *at_++ = '"';
        return *this;
    }

    QuickWriter& number(std::int64_t value);

    // `value` with its last `places` digits behind a point, as far as they say anything.
    QuickWriter& decimal(std::int64_t value, int places);

    QuickWriter& boolean(bool value) { return value ? literal("true") : literal("false"); }

private:
    static constexpr std::size_t first_bytes = 2048;

    std::size_t used() const { return static_cast<std::size_t>(at_ - out_.data()); }

    void reserve(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes) make_room(used(), bytes);
    }
    void make_room(std::size_t used, std::size_t bytes);

    QuickWriter& put(std::string_view text) {
        // An empty view may point nowhere.
        if (!text.empty()) std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        return *this;
    }
    QuickWriter& escaped(std::string_view plain);
    std::uint64_t without_sign(std::int64_t value);
    void digits(std::uint64_t value);

    std::string& out_;
    char* at_;   // in `out_`, whose size is more than what was written
    char* end_;  // of it
};

}  // namespace runnel::json
