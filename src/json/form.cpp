#include "json/form.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

namespace runnel::json {
namespace {

constexpr std::size_t quoted_bytes = 64;  // of a value, in a message

}  // namespace

std::string FormValue::json() const { return simdjson::minify(value_); }

std::unexpected<Error> FormValue::must_be(std::string_view wanted) const {
    const std::string written = json();
    const std::string_view shown = utf8_prefix(written, quoted_bytes);
    return wrong(fmt::format("must be {}, not {}{}", wanted, shown,
                             shown.size() < written.size() ? "…" : ""));
}

std::unexpected<Error> FormValue::wrong(std::string_view what) const {
    return fail_at(ErrorKind::invalid_value, place_,
                   fmt::format("{} {}", place_.empty() ? "the body" : place_, what));
}

Result<std::string> FormValue::raw_text(std::size_t bytes_max) const {
    std::string_view text;
    if (value_.get_string().get(text)) return must_be("a string");
    if (text.size() > bytes_max) return wrong(fmt::format("is longer than {} bytes", bytes_max));
    return std::string(text);
}

Result<std::string> FormValue::text(std::size_t bytes_max) const {
    auto text = raw_text(bytes_max);
    if (!text) return text;
    for (const char c : *text)
        if ((c >= 0 && c < ' ') || c == 0x7f) return wrong("has control characters in it");
    return text;
}

Result<bool> FormValue::boolean() const {
    bool value = false;
    if (value_.get_bool().get(value)) return must_be("true or false");
    return value;
}

Result<std::int64_t> FormValue::whole_number(std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    if (!value_.get_int64().get(value) && value >= least && value <= most) return value;
    return must_be(fmt::format("a whole number from {} to {}", least, most));
}

Result<double> FormValue::number(double least, double most) const {
    double value = 0;
    const bool is_number = value_.is_number() && !value_.get_double().get(value);
    if (is_number && value >= least && value <= most) return value;
    return must_be(fmt::format("a number from {} to {}", least, most));
}

Result<std::vector<FormValue::Field>> FormValue::fields() const {
    simdjson::dom::object object;
    if (value_.get_object().get(object)) return must_be("an object");
    std::vector<Field> fields;
    for (const auto& [key, value] : object) {
        std::string name(key);
        std::string place = place_.empty() ? name : fmt::format("{}.{}", place_, name);
        fields.emplace_back(std::move(name), FormValue(value, std::move(place)));
    }
    return fields;
}

Result<std::vector<FormValue>> FormValue::elements() const {
    simdjson::dom::array array;
    if (value_.get_array().get(array)) return must_be("an array");
    std::vector<FormValue> elements;
    for (const simdjson::dom::element element : array)
        elements.emplace_back(element, fmt::format("{}[{}]", place_, elements.size()));
    return elements;
}

Result<Form> Form::read(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) text = "{}";
    Form form;
    const auto error = form.parser_.parse(text.data(), text.size()).error();
    if (error || !form.parser_.doc.root().is_object())
        return fail(ErrorKind::invalid_json, error ? fmt::format("the body is not valid JSON: {}",
                                                                 simdjson::error_message(error))
                                                   : "the body must be a JSON object");
    return form;
}

}  // namespace runnel::json
