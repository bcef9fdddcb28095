#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace runnel {

// A credential. It prints as ***, so that a log line or an error message cannot give it away by
// accident.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value) : value_(std::move(value)) {}

    const std::string& reveal() const { return value_; }
    bool empty() const { return value_.empty(); }
    friend std::string_view format_as(const Secret&) { return "***"; }
    friend bool operator==(const Secret&, const Secret&) = default;

private:
    std::string value_;
};

}  // namespace runnel
