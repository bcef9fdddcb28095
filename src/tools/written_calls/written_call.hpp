#pragma once

#include <optional>
#include <string>
#include <vector>

namespace runnel::tools {

// A call that a model wrote into its text.
struct WrittenCall {
    std::string name;
    // JSON, unless the model wrote something else; empty where it gave none.
    std::optional<std::string> arguments{};
};

// The calls that a JSON value is made of, in one of the forms that TextCallJson knows; nothing
// where it is not JSON, or anything else.
std::optional<std::vector<WrittenCall>> read_written_calls(std::string json);

}  // namespace runnel::tools
