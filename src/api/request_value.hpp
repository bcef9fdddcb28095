#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::api {

// Where in a request a value stands, e.g. tools[1].function.name; spelled out only when something
// is wrong there.
class Place {
public:
    Place() = default;  // the request itself
    // `parent` must outlive the place.
    Place(const Place* parent, std::string_view field) : parent_(parent), field_(field) {}
    Place(const Place* parent, std::size_t element) : parent_(parent), element_(element) {}

    std::string text() const;

private:
    static constexpr std::size_t no_element = std::numeric_limits<std::size_t>::max();

    const Place* parent_ = nullptr;
    std::string_view field_{};
    std::size_t element_ = no_element;
};

// One value of a client's JSON that has been validated already, with its place and raw text, both
// views. Reading it as a type it does not have is an error that says what was expected and what
// came.
class Value {
public:
    explicit Value(json::ondemand::object root);  // the request itself, just begun
    Value(json::ondemand::value value, Place place, std::string_view key = {});
    Value(const Value&) = delete;  // places point at it
    Value& operator=(const Value&) = delete;

    std::string_view raw() const { return raw_; }
    // A field's name as it stands in the document, still escaped; empty for what is no field.
    std::string_view key() const { return key_; }
    std::string place() const { return place_.text(); }

    bool is_null() const { return type_ == Type::null; }
    bool is_string() const { return type_ == Type::string; }
    bool is_object() const { return type_ == Type::object; }
    bool is_array() const { return type_ == Type::array; }

    Result<std::string_view> escaped() const;
    Result<std::string> text() const;
    Result<bool> boolean() const;
    Result<std::int64_t> integer(std::int64_t min, std::int64_t max) const;
    Result<chat::Number> number(double min, double max) const;
    // The text of a JSON Schema of a size that can be worked on.
    Result<std::string_view> schema(ErrorKind wrong_kind = ErrorKind::invalid_value) const;

    // Calls on_field(name, value) for each field, again from the first if called again; null counts
    // as absent.
    template <class OnField>
    Result<void> for_each_field(OnField on_field);
    // The text of one field; empty when it is absent or no string.
    std::string text_of(std::string_view field);
    // Calls on_element(index, value).
    template <class OnElement>
    Result<void> for_each_element(OnElement on_element);

    // "temperature must be a number, not a string"
    std::unexpected<Error> must_be(std::string_view expected,
                                   ErrorKind kind = ErrorKind::invalid_value) const;
    // "messages[1] needs a field role"
    std::unexpected<Error> needs(std::string_view field,
                                 ErrorKind kind = ErrorKind::missing_required_field) const;
    // The value's place, then what is wrong with it.
    std::unexpected<Error> wrong(std::string_view what,
                                 ErrorKind kind = ErrorKind::invalid_value) const;

private:
    using Type = json::ondemand::json_type;

    std::string_view type_name() const;

    Place place_;
    Type type_ = Type::null;
    std::string_view raw_;
    std::string_view key_;
    json::ondemand::object object_;
    json::ondemand::array array_;
};

// Puts what was read where it belongs.
template <class T, class Into>
Result<void> store(Result<T> read, Into& into) {
    if (!read) return propagate(read);
    into = std::move(*read);
    return {};
}

// A field that only this API has, kept as it came.
Result<void> keep_extra(const Value& field, chat::Request& request, chat::Extras& extras);

// A `cache_control`, e.g. {"type":"ephemeral","ttl":"1h"}.
Result<void> read_cache_mark(Value& value, std::optional<chat::CacheMark>& mark);

// The field `stream`.
Result<void> read_streaming(const Value& value, std::optional<chat::Streaming>& streaming);

// A `yes` or `no` that the client has said.
Result<void> read_wish(const Value& value, chat::Wish& wish);

// Sequences to stop at: a text, or an array of them.
Result<void> read_stop(Value& value, std::vector<std::string>& stop);

// The client's own words in quotes, for a message; cut where they are long.
std::string in_quotes(std::string_view plain);

// What validation has let through can be read; if not, that is our bug.
std::unexpected<Error> unreadable();

template <class OnField>
Result<void> Value::for_each_field(OnField on_field) {
    if (!is_object()) return must_be("an object");
    if (object_.reset().error()) return unreadable();
    for (auto result : object_) {
        json::ondemand::field field;
        if (std::move(result).get(field)) return unreadable();
        const std::string_view key = json::escaped_key(field);
        const std::string plain = key.contains('\\') ? json::unescaped(key) : std::string();
        const std::string_view name = plain.empty() ? key : plain;
        Value value(field.value(), Place(&place_, name), key);
        if (value.is_null()) continue;
        if (Result<void> read = on_field(name, value); !read) return read;
    }
    return {};
}

template <class OnElement>
Result<void> Value::for_each_element(OnElement on_element) {
    if (!is_array()) return must_be("an array");
    if (array_.reset().error()) return unreadable();
    std::size_t index = 0;
    for (auto result : array_) {
        json::ondemand::value element;
        if (result.get(element)) return unreadable();
        Value value(element, Place(&place_, index));
        if (Result<void> read = on_element(index, value); !read) return read;
        ++index;
    }
    return {};
}

}  // namespace runnel::api
