#include "http/message/headers.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace runnel::http {
namespace {

constexpr std::array<bool, 256> token_characters = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0; c < 128; ++c) table[c] = ascii::is_alphanumeric(static_cast<char>(c));
    for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();

}  // namespace

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return token_characters[static_cast<unsigned char>(c)];
    });
}

bool can_be_in_value(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : c == '\t';
}

bool is_field_value(std::string_view text) { return std::ranges::all_of(text, can_be_in_value); }

void HeaderList::add(std::string_view name, std::string_view value) {
    if (spans_.empty()) {
        // What most requests and responses need, so that neither grows step by step.
        spans_.reserve(16);
        text_.reserve(512);
    }
    spans_.push_back({static_cast<std::uint32_t>(text_.size()),
                      static_cast<std::uint32_t>(name.size()),
                      static_cast<std::uint32_t>(value.size())});
    text_ += name;
    text_ += value;
}

HeaderList::Field HeaderList::at(std::size_t index) const {
    const Span& span = spans_[index];
    const std::string_view text = text_;
    return {text.substr(span.begin, span.name_size),
            text.substr(span.begin + span.name_size, span.value_size)};
}

bool HeaderList::is_named(const Span& span, std::string_view name) const {
    return span.name_size == name.size() &&
           ascii::equal_ignoring_case(std::string_view(text_).substr(span.begin, span.name_size),
                                      name);
}

const HeaderList::Span* HeaderList::find(std::string_view name) const {
    for (const Span& span : spans_)
        if (is_named(span, name)) return &span;
    return nullptr;
}

std::size_t HeaderList::count(std::string_view name) const {
    const auto found =
        std::ranges::count_if(spans_, [&](const Span& span) { return is_named(span, name); });
    return static_cast<std::size_t>(found);
}

std::string_view HeaderList::get(std::string_view name) const {
    const Span* span = find(name);
    if (span == nullptr) return {};
    return std::string_view(text_).substr(span->begin + span->name_size, span->value_size);
}

void HeaderList::clear() {
    text_.clear();
    spans_.clear();
}

}  // namespace runnel::http
