#pragma once

#include "api/request_value.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api {

// The JSON object that a client sent, validated from end to end; after that its text is only looked
// at where a field must be understood. Views lie in the body, which must outlive it.
class RequestBody {
public:
    // `parser` is the thread's; it is not used for large bodies, so that its buffers stay small.
    Result<void> open(std::string& body, json::Parser* parser);

    // Calls on_field(name, value) for each top-level field that counts: of one that is given
    // several times, the last does.
    template <class OnField>
    Result<void> for_each_field(OnField on_field);

private:
    // The positions of fields that do not count, sorted.
    static std::vector<std::size_t> overridden_fields(Value& root);
    bool any_twice() const;

    json::Parser own_parser_;
    json::ondemand::document document_;
    json::ondemand::object root_;
    std::vector<std::string_view> keys_;
};

// A field that the gateway understands, and how it is read. `Reading` is an API's own state.
template <class Reading>
struct KnownField {
    std::string_view name;
    Result<void> (*read)(Reading& reading, Value& value);
};

// The name of a field that nobody knows: it comes back in warnings and goes into the log. One that
// only differs from a known one in its capitals is refused, because servers in Go take it for that
// one: what is allowed and priced here would not be what is asked there.
enum class Resembles { nothing, a_known_field };
Result<void> check_unknown_name(std::string_view name, Resembles resembles);

// Reads the fields that are in the table; the others are extras of the API. Names of all of them
// are noted in the request.
template <class Reading, std::size_t size>
Result<void> read_known_fields(const std::array<KnownField<Reading>, size>& table,
                               RequestBody& body, chat::Request& request, Reading& reading) {
    std::bitset<size> seen;
    return body.for_each_field([&](std::string_view name, Value& value) -> Result<void> {
        const auto known = std::ranges::find(table, name, &KnownField<Reading>::name);
        if (known == table.end()) {
            const bool resembles = std::ranges::any_of(table, [name](const auto& field) {
                return ascii::equal_ignoring_case(field.name, name);
            });
            auto plain =
                check_unknown_name(name, resembles ? Resembles::a_known_field : Resembles::nothing);
            if (!plain) return plain;
            if (auto kept = keep_extra(value, request, request.extras); !kept) return kept;
            request.field_names.push_back(request.extras.back().name);
            return {};
        }
        request.field_names.push_back(known->name);
        const auto index = static_cast<std::size_t>(known - table.begin());
        if (seen.test(index)) return value.wrong("is given twice, in different spellings");
        seen.set(index);
        return known->read(reading, value);
    });
}

// The name of a model: it goes into header fields, paths and logs, so that what no model is called
// gets no further. Empty is said to be missing by whoever needs one.
Result<std::string> read_model_name(const Value& value);
// The same where the path says it.
Result<void> check_model_in_path(std::string_view name);

template <class OnField>
Result<void> RequestBody::for_each_field(OnField on_field) {
    Value root(root_);
    const std::vector<std::size_t> overridden =
        any_twice() ? overridden_fields(root) : std::vector<std::size_t>();
    std::size_t position = 0;
    return root.for_each_field([&](std::string_view name, Value& value) -> Result<void> {
        if (std::ranges::binary_search(overridden, position++)) return {};
        return on_field(name, value);
    });
}

}  // namespace runnel::api
