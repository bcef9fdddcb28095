#pragma once

#include <string>
#include <string_view>

// Where a client wants to know why a model calls tools, the model is asked for it in two more
// arguments, which the tools themselves never see.
namespace runnel::tools {

// A tool's parameters with those two among them.
std::string with_explanation(std::string parameters_json);

struct Explained {
    std::string arguments_json;      // what the tool gets
    std::string explanation_json{};  // {"reason", "goal"}; empty where the model gave none
};
// `arguments_json` is an object.
Explained take_explanation(std::string arguments_json);

}  // namespace runnel::tools
