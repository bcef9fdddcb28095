#include "api/request_value.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace runnel::api {
namespace {

template <class Container>
std::string_view raw_of(Container& container) {
    std::string_view raw;
    // Reading it moves past the container; reset() goes back to its beginning.
    if (container.raw_json().get(raw)) return {};
    static_cast<void>(container.reset());
    return raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

std::string Place::text() const {
    if (parent_ == nullptr) return {};
    std::string text = parent_->text();
    if (element_ != no_element) return text + fmt::format("[{}]", element_);
    if (!text.empty()) text += '.';
    return text.append(field_);
}

Value::Value(json::ondemand::object root) : type_(Type::object), object_(root) {}

Value::Value(json::ondemand::value value, Place place, std::string_view key)
    : place_(place),
      key_(key) {
    if (value.type().get(type_)) return;
    if (type_ == Type::object) {
        if (!value.get_object().get(object_)) raw_ = raw_of(object_);
    } else if (type_ == Type::array) {
        if (!value.get_array().get(array_)) raw_ = raw_of(array_);
    } else {
        json::raw_value(value, raw_);
    }
}

Result<std::string_view> Value::escaped() const {
    if (!is_string()) return must_be("a string");
    return raw_.substr(1, raw_.size() - 2);
}

Result<std::string> Value::text() const {
    if (!is_string()) return must_be("a string");
    return json::unescaped(raw_.substr(1, raw_.size() - 2));
}

Result<bool> Value::boolean() const {
    if (type_ != Type::boolean) return must_be("true or false");
    return raw_ == "true";
}

Result<std::int64_t> Value::integer(std::int64_t min, std::int64_t max) const {
    const auto expected = [&] {
        return max == std::numeric_limits<std::int64_t>::max()
                   ? fmt::format("an integer of at least {}", min)
                   : fmt::format("an integer from {} to {}", min, max);
    };
    auto read = number(-HUGE_VAL, HUGE_VAL);
    if (!read) return must_be(expected());
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(raw_.data(), raw_.data() + raw_.size(), whole);
    if (error != std::errc{} || end != raw_.data() + raw_.size()) {
        // Also 12.0 and 12e0, which some languages write.
        if (read->value != std::trunc(read->value) || std::abs(read->value) > 9e15)
            return must_be(expected());
        whole = static_cast<std::int64_t>(read->value);
    }
    if (whole < min || whole > max) return must_be(expected());
    return whole;
}

Result<chat::Number> Value::number(double min, double max) const {
    if (type_ != Type::number) return must_be("a number");
    chat::Number number{raw_};
    std::from_chars(raw_.data(), raw_.data() + raw_.size(), number.value);
    if (number.value < min || number.value > max)
        return must_be(fmt::format("a number from {} to {}", min, max));
    return number;
}

Result<std::string_view> Value::schema(ErrorKind wrong_kind) const {
    if (!is_object()) return must_be("a JSON Schema object", wrong_kind);
    if (json::has_more_values(raw_, limits::schema_values))
        return wrong(
            fmt::format("has more than {} values, which no schema may", limits::schema_values),
            wrong_kind);
    return raw_;
}

std::string Value::text_of(std::string_view field) {
    std::string found;
    static_cast<void>(for_each_field([&](std::string_view name, Value& value) -> Result<void> {
        if (name == field && value.is_string()) found = *value.text();
        return {};
    }));
    return found;
}

std::unexpected<Error> Value::must_be(std::string_view expected, ErrorKind kind) const {
    return wrong(fmt::format("must be {}, not {}", expected, type_name()), kind);
}

std::unexpected<Error> Value::needs(std::string_view field, ErrorKind kind) const {
    return fail_at(kind, Place(&place_, field).text(),
                   fmt::format("{} needs a field {}", place(), field));
}

std::unexpected<Error> Value::wrong(std::string_view what, ErrorKind kind) const {
    return fail_at(kind, place(), fmt::format("{} {}", place(), what));
}

std::string_view Value::type_name() const {
    switch (type_) {
        case Type::array: return "an array";
        case Type::object: return "an object";
        case Type::number: return raw_.size() <= 24 ? raw_ : "a number";
        case Type::string: return "a string";
        case Type::boolean: return raw_;
        case Type::null: return "null";
    }
    return "null";
}

Result<void> keep_extra(const Value& field, chat::Request& request, chat::Extras& extras) {
    if (extras.size() == limits::request_fields)
        return field.wrong(fmt::format("is one field too many: an object may have {} that only "
                                       "its provider knows",
                                       limits::request_fields));
    const std::string_view key = field.key();
    const std::string_view name = key.contains('\\') ? request.keep(json::unescaped(key)) : key;
    extras.push_back({name, field.raw()});
    return {};
}

Result<void> read_cache_mark(Value& value, std::optional<chat::CacheMark>& mark) {
    if (!value.is_object()) return value.must_be(R"(an object like {"type":"ephemeral"})");
    mark.emplace();
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "ttl" ? store(field.escaped(), mark->ttl_escaped) : Result<void>();
    });
}

Result<void> read_streaming(const Value& value, std::optional<chat::Streaming>& streaming) {
    auto wish = value.boolean();
    if (!wish) return propagate(wish);
    streaming = *wish ? chat::Streaming::yes : chat::Streaming::no;
    return {};
}

Result<void> read_wish(const Value& value, chat::Wish& wish) {
    auto yes = value.boolean();
    if (!yes) return propagate(yes);
    wish = *yes ? chat::Wish::yes : chat::Wish::no;
    return {};
}

Result<void> read_stop(Value& value, std::vector<std::string>& stop) {
    constexpr std::size_t sequences_max = 256;  // each is kept
    if (value.is_string()) return store(value.text(), stop.emplace_back());
    if (!value.is_array()) return value.must_be("a string or an array of strings");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == sequences_max)
            return value.wrong(fmt::format("has more than {} sequences", sequences_max));
        return store(element.text(), stop.emplace_back());
    });
}

std::string in_quotes(std::string_view plain) {
    constexpr std::size_t bytes_max = 64;
    const std::string_view shown = utf8_prefix(plain, bytes_max);
    return fmt::format("\"{}{}\"", shown, shown.size() < plain.size() ? "…" : "");
}

std::unexpected<Error> unreadable() {
    return fail(ErrorKind::invalid_json, "the request body is not valid JSON");
}

}  // namespace runnel::api
