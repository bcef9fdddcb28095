#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::cli {

// A config in the making. All texts are as the file will have them, with ${NAME} in them; what
// needs quotes gets them when it is written.
struct ConfigDraft {
    using Fields = std::vector<std::pair<std::string, std::string>>;  // values are YAML already

    struct Provider {
        std::string name;
        std::string kind;
        std::string base_url{};
        std::vector<std::string> keys{};
        std::string api_version{};
        std::vector<std::pair<std::string, std::string>> headers{};
        std::vector<std::pair<std::string, Fields>> facts{};  // by model

        // Whether both lead to the same place in the same way.
        bool same_as(const Provider& other) const;
    };
    struct Target {
        std::string name;  // provider/model
        int weight = 1;
    };
    struct Model {
        std::string name;
        std::vector<Target> targets{};
        std::string strategy{};  // empty: failover
        std::vector<std::string> fallback{};
        Fields defaults{};
        Fields limits{};
        Fields timeouts{};
        std::optional<int> retries{};
    };

    std::vector<Provider> providers{};
    std::vector<Model> models{};
    std::vector<std::pair<std::string, std::string>> aliases{};
    std::vector<std::pair<std::string, Fields>> prices{};
    Fields policy_timeouts{};
    std::optional<int> retries{};
    Fields others{};  // keys of the whole file

    bool has_model(std::string_view name) const;
    // The first one wins, as when two sections of the old file say the same.
    void set(std::string_view key, std::string value);
};

std::string write_draft(const ConfigDraft& draft);

// As a YAML scalar that stays the same text, in any place.
std::string yaml_text(std::string_view text);
// {a: 1, b: 2}
std::string yaml_map(const ConfigDraft::Fields& fields);

}  // namespace runnel::cli
