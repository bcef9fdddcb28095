#pragma once

#include "config/config.hpp"
#include "config/yaml/yaml_reader.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// Who may be asked: the file's providers and the built-in one. Those that have problems of their
// own have a name all the same: one mistake, one message. A view: entries and providers outlive it.
class KnownProviders {
public:
    KnownProviders(const std::vector<Entry>& written, const std::vector<Provider>& read);

    std::span<const std::string_view> names() const { return names_; }
    // Whether one of them is known for this bare name, as OpenAI is for "gpt-5"; nothing where one
    // that has problems might be.
    std::optional<bool> claim(std::string_view model) const;
    // The models of a provider that has no others; empty where any name is passed on.
    std::vector<std::string_view> only_models_of(std::string_view provider) const;

private:
    const std::vector<Provider>* read_;
    std::vector<std::string_view> names_;  // the built-in provider's last
};

// A target as "openai/gpt-5-mini"; one that no provider can be is reported.
std::optional<std::string> read_target(const Value& value, const KnownProviders& providers);

struct TargetList {
    std::vector<Target> targets{};
    std::optional<Value> a_weight{};  // one that is written, for complaints about it
};

// Each a text, or {target, weight}.
TargetList read_targets(const Value& value, const KnownProviders& providers);

}  // namespace runnel::config
