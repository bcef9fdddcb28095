#include "json/parser.hpp"

#include "base/letters.hpp"
#include "base/limits.hpp"
#include "base/release.hpp"
#include "base/utf8.hpp"
#include "json/text.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace runnel::json {
namespace {

std::string_view without_trailing_space(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                             text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

constexpr std::size_t kept_buffer_bytes = 256 * limits::kib;

// Where the string ends that begins at `open`: at its quote, or with the text.
std::size_t closing_quote(std::string_view text, std::size_t open) {
    std::size_t at = open + 1;
    while ((at = find_other<Letters::unescaped>(text, at)) < text.size() && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at;
}

// Each byte that is not UTF-8 becomes a lone surrogate escape; see Parser::parse.
void append_repaired(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    while (!text.empty()) {
        if (const std::size_t length = utf8_sequence(text)) {
            out.append(text, 0, length);
            text.remove_prefix(length);
            continue;
        }
        const auto byte = static_cast<unsigned char>(text[0]);
        out += "\\udc";
        out += hex[byte >> 4];
        out += hex[byte & 15];
        text.remove_prefix(1);
    }
}

simdjson::error_code validate_scalar(ondemand::value value, ondemand::json_type type) {
    switch (type) {
        case ondemand::json_type::string: {
            std::string_view text;
            if (!escaped_string(value, text) || !escapes_are_legal(text))
                return simdjson::STRING_ERROR;
            // Taken as a value: left alone, a string before a colon would pass for a key.
            ondemand::raw_json_string taken;
            return value.get_raw_json_string().get(taken);
        }
        case ondemand::json_type::number: {
            double number = 0;
            if (without_trailing_space(value.raw_json_token()).size() > limits::json_number_bytes)
                return simdjson::NUMBER_OUT_OF_RANGE;
            // Integers of any value are legal; get_double also checks the number's grammar.
            return value.get_double().get(number);
        }
        case ondemand::json_type::boolean: {
            bool flag = false;
            return value.get_bool().get(flag);
        }
        default: {
            bool null = false;
            if (const auto error = value.is_null().get(null)) return error;
            return null ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
        }
    }
}

simdjson::error_code validate_array(ondemand::array array, std::size_t depth_max) {
    if (depth_max == 0) return simdjson::DEPTH_ERROR;
    for (auto result : array) {
        ondemand::value element;
        if (const auto error = result.get(element)) return error;
        if (const auto error = validate(element, depth_max - 1)) return error;
    }
    return simdjson::SUCCESS;
}

}  // namespace

simdjson::error_code Parser::parse(Padded text, ondemand::document& out) {
    const auto error = parse_strict(text, out);
    if (error != simdjson::UTF8_ERROR) return error;
    repaired_.clear();
    append_repaired(repaired_, text.text());
    return parse_strict(Padded::of(repaired_), out);
}

simdjson::error_code Parser::parse_strict(Padded text, ondemand::document& out) {
    return parser_.iterate(text.data(), text.size(), text.size() + padding_bytes).get(out);
}

void Parser::forget_large() {
    if (parser_.capacity() > kept_buffer_bytes) parser_ = ondemand::parser();
    if (repaired_.capacity() > kept_buffer_bytes) release(repaired_);
}

bool escaped_string(ondemand::value value, std::string_view& out) {
    std::string_view token = without_trailing_space(value.raw_json_token());
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return false;
    out = token.substr(1, token.size() - 2);
    return true;
}

bool plain_string(ondemand::value value, std::string& out) {
    std::string_view text;
    if (!escaped_string(value, text)) return false;
    out.clear();
    append_unescaped(out, text);
    return true;
}

bool raw_value(ondemand::value value, std::string_view& out) {
    ondemand::json_type type;
    if (value.type().get(type)) return false;
    if (type == ondemand::json_type::object) {
        ondemand::object object;
        if (value.get_object().get(object) || object.raw_json().get(out)) return false;
    } else if (type == ondemand::json_type::array) {
        ondemand::array array;
        if (value.get_array().get(array) || array.raw_json().get(out)) return false;
    } else {
        out = value.raw_json_token();
    }
    out = without_trailing_space(out);
    return true;
}

std::string_view escaped_key(ondemand::field& field) {
    const char* const begin = field.key().raw();
    // Between the closing quote and the value there is only a colon and white space.
    const char* end = field.value().raw_json_token().data();
    do --end;
    while (*end != '"');
    return {begin, static_cast<std::size_t>(end - begin)};
}

bool is_null(ondemand::value value) {
    bool null = false;
    return !value.is_null().get(null) && null;
}

bool integer(ondemand::value value, std::int64_t& out) {
    std::string_view token = without_trailing_space(value.raw_json_token());
    if (token.size() > 1 && token.front() == '"') token = token.substr(1, token.size() - 2);
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), out);
    if (error == std::errc{} && end == token.data() + token.size()) return true;
    double real = 0;
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), real);
    if (parsed.ec != std::errc{} || parsed.ptr != token.data() + token.size()) return false;
    if (!(std::abs(real) < 9e18) || real != std::trunc(real)) return false;
    out = static_cast<std::int64_t>(real);
    return true;
}

simdjson::error_code validate(ondemand::value value, std::size_t depth_max) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return error;
    if (type == ondemand::json_type::object) {
        ondemand::object object;
        if (const auto error = value.get_object().get(object)) return error;
        return validate(object, depth_max);
    }
    if (type == ondemand::json_type::array) {
        ondemand::array array;
        if (const auto error = value.get_array().get(array)) return error;
        return validate_array(array, depth_max);
    }
    return validate_scalar(value, type);
}

simdjson::error_code validate(ondemand::object object, std::size_t depth_max,
                              std::vector<std::string_view>* keys) {
    if (depth_max == 0) return simdjson::DEPTH_ERROR;
    for (auto result : object) {
        ondemand::field field;
        if (const auto error = std::move(result).get(field)) return error;
        const std::string_view key = escaped_key(field);
        if (!escapes_are_legal(key)) return simdjson::STRING_ERROR;
        if (keys != nullptr) keys->push_back(key);
        if (const auto error = validate(field.value(), depth_max - 1)) return error;
    }
    return simdjson::SUCCESS;
}

bool has_more_values(std::string_view text, std::size_t most) {
    if (text.size() < most) return false;
    std::size_t count = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"')
            at = closing_quote(text, at);
        else if ((c == ',' || c == '[' || c == '{') && ++count > most)
            return true;
    }
    return false;
}

std::size_t find_invalid_utf8(std::string_view text) {
    if (simdjson::validate_utf8(text)) return std::string_view::npos;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_sequence(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return std::string_view::npos;
}

bool is_whole(std::string_view raw) {
    Parser parser;
    std::string text(raw);
    ondemand::document document;
    ondemand::value value;
    return !parser.parse(Padded::of(text), document) && !document.get_value().get(value) &&
           !validate(value, limits::json_depth) &&
           document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind it
}

void append_compact(std::string& out, std::string_view raw) {
    const std::size_t begin = out.size();
    out.resize(begin + raw.size() + padding_bytes);  // whole vectors are stored, past the end too
    std::size_t length = raw.size();
    if (simdjson::minify(raw.data(), raw.size(), out.data() + begin, length) != simdjson::SUCCESS) {
        out.replace(begin, std::string::npos, raw);
        return;
    }
    out.resize(begin + length);
}

}  // namespace runnel::json
