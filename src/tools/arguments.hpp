#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// The arguments of a call, in the model's order.
class Arguments {
public:
    struct Argument {
        std::string name;
        std::string json;  // its value
    };

    // Nothing at all is no arguments.
    static Result<Arguments> read(std::string json);

    const std::vector<Argument>& all() const { return all_; }
    const Argument* find(std::string_view name) const;
    // One that must be a string with something in it; the error is for the model.
    Result<std::string> text(std::string_view name) const;
    // One that may be left out or be null.
    std::optional<std::string> optional_text(std::string_view name) const;
    std::optional<std::int64_t> optional_integer(std::string_view name) const;

private:
    std::vector<Argument> all_;
};

// The JSON of each item of an array; empty where it is none.
std::vector<std::string> items_of(std::string json);

// A value as plain text: a string's characters, the JSON of anything else.
std::string plain_text(const std::string& json);

}  // namespace runnel::tools
