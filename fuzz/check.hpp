#pragma once

#include "json/parser.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// What every fuzz target needs: its input as text, and a way to object.
namespace runnel::fuzz {

inline void require(bool holds, const char* what, std::string_view evidence = {}) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n%.*s\n", what, static_cast<int>(evidence.size()),
                 evidence.data());
    std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// The input's first byte chooses how the rest is cut: 0 not at all, otherwise into pieces of that
// size.
struct CutInput {
    std::size_t split = 0;
    std::string_view bytes;
};

inline CutInput cut_input(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return {};
    return {data[0], text_of(data + 1, size - 1)};
}

// A JSON object, whole and valid, in UTF-8.
inline bool is_json_object(std::string text) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    return !parser.parse_strict(Padded::of(text), document) && !document.get_object().get(object) &&
           !json::validate(object, 1000);
}

}  // namespace runnel::fuzz
