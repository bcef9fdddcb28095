#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::http {

// What a header field's name, and a request's method, are written with.
bool is_token(std::string_view text);
// What can stand in one line as a header field's value: no control character but the tab.
bool is_field_value(std::string_view text);
bool can_be_in_value(char c);

// Header fields in their order, in two allocations however many there are. Views it hands out live
// until it changes.
class HeaderList {
public:
    void add(std::string_view name, std::string_view value);
    // The first field of that name, without regard to case; empty when there is none.
    std::string_view get(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
    std::size_t count(std::string_view name) const;
    void clear();

    struct Field {
        std::string_view name;
        std::string_view value;
    };
    std::size_t size() const { return spans_.size(); }
    std::size_t held_bytes() const { return text_.capacity() + spans_.capacity() * sizeof(Span); }
    Field at(std::size_t index) const;

private:
    struct Span {
        std::uint32_t begin;
        std::uint32_t name_size;
        std::uint32_t value_size;
    };
    bool is_named(const Span& span, std::string_view name) const;
    const Span* find(std::string_view name) const;

    std::string text_;
    std::vector<Span> spans_;
};

}  // namespace runnel::http
