#pragma once

#include "config/config.hpp"
#include "config/yaml/yaml_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// `guardrails:`, a list of rules; those that have problems are left out. Patterns are compiled to
// see whether they can run.
std::vector<guardrail::GuardrailRule> read_guardrails(const Value& value);

// What a model's `guardrails` can name: rules, also those that have problems of their own, and
// kinds of which there is one. A view of the file.
class KnownGuardrails {
public:
    // `written` may be null: the file has none.
    explicit KnownGuardrails(const Value* written);

    std::vector<std::string> read_names(const Value& value) const;

private:
    std::vector<std::string> names_;
};

}  // namespace runnel::config
