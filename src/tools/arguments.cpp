#include "tools/arguments.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace runnel::tools {
namespace {

bool is_string(std::string_view json) { return json.starts_with('"'); }

}  // namespace

Result<Arguments> Arguments::read(std::string json) {
    Arguments out;
    if (json.find_first_not_of(" \t\r\n") == std::string::npos) return out;
    const auto malformed = [] {
        return fail(ErrorKind::invalid_value, "the arguments must be a JSON object");
    };
    if (!json::is_whole(json)) return malformed();
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser.parse(Padded::of(json), document) || document.get_object().get(object))
        return malformed();
    for (auto field : object) {
        json::ondemand::field pair;
        std::string_view raw;
        if (std::move(field).get(pair)) return malformed();
        Argument argument{json::unescaped(json::escaped_key(pair)), {}};
        if (!json::raw_value(pair.value(), raw)) return malformed();
        json::append_compact(argument.json, raw);
        out.all_.push_back(std::move(argument));
    }
    return out;
}

const Arguments::Argument* Arguments::find(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &Argument::name);
    return found == all_.end() ? nullptr : &*found;
}

Result<std::string> Arguments::text(std::string_view name) const {
    auto text = optional_text(name);
    if (text && !text->empty()) return std::move(*text);
    return fail(ErrorKind::invalid_value,
                fmt::format("the argument '{}' is missing: a string that is not empty", name));
}

std::optional<std::string> Arguments::optional_text(std::string_view name) const {
    const Argument* found = find(name);
    if (found == nullptr || !is_string(found->json)) return std::nullopt;
    return plain_text(found->json);
}

std::optional<std::int64_t> Arguments::optional_integer(std::string_view name) const {
    const Argument* found = find(name);
    if (found == nullptr) return std::nullopt;
    // Models write 5, 5.0 and "5" alike.
    const std::string text = plain_text(found->json);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (!(number > -1e15 && number < 1e15)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

std::vector<std::string> items_of(std::string json) {
    std::vector<std::string> items;
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::array array;
    if (parser.parse(Padded::of(json), document) || document.get_array().get(array)) return items;
    for (auto element : array) {
        json::ondemand::value value;
        std::string_view raw;
        if (element.get(value) || !json::raw_value(value, raw)) break;
        items.emplace_back(raw);
    }
    return items;
}

std::string plain_text(const std::string& json) {
    if (!is_string(json)) return json;
    return json::unescaped(std::string_view(json).substr(1, json.size() - 2));
}

}  // namespace runnel::tools
