#include "api/request_body.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::api {
namespace {

constexpr std::size_t shared_parser_bytes = 256 * limits::kib;

std::unexpected<Error> bad_json(simdjson::error_code error, std::string_view body,
                                const char* location) {
    switch (error) {
        case simdjson::EMPTY:
            return fail(ErrorKind::invalid_json,
                        "the request body is empty; it must be a JSON object");
        case simdjson::UTF8_ERROR:
            return fail(
                ErrorKind::invalid_json,
                fmt::format("the request body is not UTF-8: byte {} belongs to no character",
                            json::find_invalid_utf8(body)));
        case simdjson::DEPTH_ERROR:
            return fail(ErrorKind::invalid_json,
                        fmt::format("the request body is nested deeper than {} levels",
                                    limits::json_depth));
        case simdjson::NUMBER_OUT_OF_RANGE:
            return fail(ErrorKind::invalid_json,
                        fmt::format("the request body has a number of more than {} characters",
                                    limits::json_number_bytes));
        case simdjson::UNCLOSED_STRING:
            return fail(ErrorKind::invalid_json,
                        "the request body is not valid JSON: a string is not closed");
        default: break;
    }
    const bool inside = location >= body.data() && location <= body.data() + body.size();
    return fail(ErrorKind::invalid_json,
                inside ? fmt::format("the request body is not valid JSON, near byte {}",
                                     location - body.data())
                       : std::string("the request body is not valid JSON"));
}

}  // namespace

Result<void> RequestBody::open(std::string& body, json::Parser* parser) {
    json::Parser& reader = body.size() > shared_parser_bytes ? own_parser_ : *parser;
    const auto fail_here = [&](simdjson::error_code error) {
        const char* location = nullptr;
        static_cast<void>(document_.current_location().get(location));
        return bad_json(error, body, location);
    };
    if (json::has_more_values(body, limits::request_values))
        return fail(ErrorKind::invalid_value,
                    fmt::format("the request body has more than {} values in its JSON; send fewer",
                                limits::request_values));
    if (const auto error = reader.parse_strict(Padded::of(body), document_))
        return bad_json(error, body, nullptr);
    if (body[body.find_first_not_of(" \t\r\n")] != '{')
        return fail(ErrorKind::invalid_json, "the request body must be a JSON object");
    if (const auto error = document_.get_object().get(root_)) return fail_here(error);
    keys_.reserve(16);
    if (const auto error = json::validate(root_, limits::json_depth, &keys_))
        return fail_here(error);
    if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS)
        return fail_here(simdjson::TRAILING_CONTENT);
    if (keys_.size() > limits::request_fields)
        return fail(ErrorKind::invalid_value,
                    fmt::format("the request has {} fields; it may have {}, so send values that "
                                "belong together as one",
                                keys_.size(), limits::request_fields));
    return {};
}

bool RequestBody::any_twice() const {
    std::vector<std::string_view> keys = keys_;
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
}

std::vector<std::size_t> RequestBody::overridden_fields(Value& root) {
    std::vector<std::pair<std::string_view, std::size_t>> keys;
    static_cast<void>(root.for_each_field([&](std::string_view, Value& value) -> Result<void> {
        keys.emplace_back(value.key(), keys.size());
        return {};
    }));
    std::ranges::sort(keys);
    std::vector<std::size_t> overridden;
    for (std::size_t i = 1; i < keys.size(); ++i)
        if (keys[i].first == keys[i - 1].first) overridden.push_back(keys[i - 1].second);
    std::ranges::sort(overridden);
    return overridden;
}

Result<void> check_unknown_name(std::string_view name, Resembles resembles) {
    const bool is_plain = name.size() <= limits::field_name_bytes &&
                          std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7F; });
    if (is_plain && resembles == Resembles::nothing) return {};
    const std::string shown(utf8_prefix(name, limits::field_name_bytes));
    return fail_at(
        ErrorKind::invalid_value, shown,
        fmt::format("'{}' is not how a field is spelled: at most {} characters of ASCII, without "
                    "spaces, and in small letters where it is one that is known",
                    shown, limits::field_name_bytes));
}

Result<std::string> read_model_name(const Value& value) {
    auto name = value.text();
    if (!name) return name;
    const bool is_printable =
        std::ranges::all_of(*name, [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_printable || name->size() > limits::model_name_bytes || name->starts_with(' ') ||
        name->ends_with(' '))
        return value.wrong(fmt::format("is not the name of a model: send up to {} printable ASCII "
                                       "characters, without spaces around them",
                                       limits::model_name_bytes));
    return name;
}

Result<void> check_model_in_path(std::string_view name) {
    const bool is_printable = std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
    if (is_printable && name.size() <= limits::model_name_bytes) return {};
    return fail_at(ErrorKind::model_not_found, "model", "the path does not name a model");
}

}  // namespace runnel::api
