#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::api {

// Which of the tools that the gateway runs the client is never shown, as the model's config says.
class HiddenTools {
public:
    explicit HiddenTools(std::vector<std::string> names) : names_(std::move(names)) {}

    bool has(std::string_view tool) const;

private:
    std::vector<std::string> names_;
};

}  // namespace runnel::api
