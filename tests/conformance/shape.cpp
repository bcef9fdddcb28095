#include "shape.hpp"

#include <algorithm>

namespace runnel::conformance {
namespace {

constexpr std::size_t violations_max = 10;

bool is_in_list(const std::string& name, const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

void Shape::violation(const std::string& what) {
    if (violations_.size() < violations_max) violations_.push_back(what);
}

void Shape::check(bool right, std::string_view what, const Json& about) {
    if (!right) violation(std::string(what) + ": " + about.dump().substr(0, 240));
}

void Shape::members(const Json& object, std::string_view what,
                    const std::vector<std::string>& required,
                    const std::vector<std::string>& optional) {
    if (!object.is_object()) return check(false, std::string(what) + " is no object", object);
    for (const std::string& name : required)
        check(object.contains(name), std::string(what) + " has no " + name, object);
    for (const auto& [name, value] : object.items())
        check(is_in_list(name, required) || is_in_list(name, optional),
              std::string(what) + " has the member " + name, object);
}

std::int64_t Shape::count(const Json& object, const char* name) {
    const Json& value = field(object, name);
    const bool is_count = value.is_number_integer() && value.get<std::int64_t>() >= 0;
    check(is_count, std::string(name) + " is no count", object);
    return is_count ? value.get<std::int64_t>() : 0;
}

std::string Shape::some_text(const Json& object, const char* name) {
    check(!text_field(object, name).empty(), std::string(name) + " is no text", object);
    return text_field(object, name);
}

std::vector<NamedEvent> named_events(std::string_view bytes, Shape& shape) {
    std::vector<NamedEvent> events;
    constexpr std::string_view name_field = "event: ";
    constexpr std::string_view data_field = "data: ";
    while (!bytes.empty()) {
        NamedEvent event;
        const auto end = bytes.find("\n\n");
        std::string_view frame = bytes.substr(0, end);
        if (frame.starts_with(name_field)) {
            const auto line = frame.find('\n');
            event.name = frame.substr(name_field.size(), line - name_field.size());
            frame.remove_prefix(line == std::string_view::npos ? frame.size() : line + 1);
        }
        if (end == std::string_view::npos || !frame.starts_with(data_field) ||
            frame.find_first_of("\r\n") != std::string_view::npos) {
            shape.violation("no event: " + std::string(bytes.substr(0, 80)));
            return events;
        }
        event.data = frame.substr(data_field.size());
        events.push_back(std::move(event));
        bytes.remove_prefix(end + 2);
    }
    return events;
}

std::string arguments_in(const Json& object) { return object.dump(); }

std::string as_object(const std::string& arguments) {
    const Json value = Json::parse(arguments, nullptr, false);
    if (value.is_object()) return arguments;
    if (arguments.find_first_not_of(" \t\r\n") == std::string::npos) return "{}";
    return Json{{"_raw", arguments}}.dump();
}

}  // namespace runnel::conformance
