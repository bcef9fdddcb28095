#include "config/changes.hpp"

#include <algorithm>

namespace runnel::config {
namespace {

// The names that `some` has and `others` has not, in the order of the file.
template <class Named>
std::vector<std::string> names_missing(const std::vector<Named>& some,
                                       const std::vector<Named>& others) {
    std::vector<std::string> names;
    for (const Named& one : some)
        if (std::ranges::find(others, one.name, &Named::name) == others.end())
            names.push_back(one.name);
    return names;
}

// Where spans go is settled when the process starts; of how many requests, and whether at all, may
// change.
bool needs_restart(const std::optional<Traces>& before, std::optional<Traces> after) {
    if (!after) return false;
    if (!before) return true;
    after->sample = before->sample;
    return *before != *after;
}

}  // namespace

Changes compare(const Config& before, const Config& after) {
    Changes changes{names_missing(after.providers, before.providers),
                    names_missing(before.providers, after.providers),
                    names_missing(after.models, before.models),
                    names_missing(before.models, after.models)};
    if (before.listen != after.listen) changes.need_restart.emplace_back("listen");
    if (before.data != after.data) changes.need_restart.emplace_back("data");
    if (before.threads != after.threads) changes.need_restart.emplace_back("threads");
    // Which files is seen to at once.
    if (before.tls.has_value() != after.tls.has_value()) changes.need_restart.emplace_back("tls");
    if (before.access.store != after.access.store) changes.need_restart.emplace_back("store");
    if (before.access.shared != after.access.shared) changes.need_restart.emplace_back("shared");
    if (before.access.logs.journal_bytes != after.access.logs.journal_bytes)
        changes.need_restart.emplace_back("logs.journal");
    if (needs_restart(before.traces, after.traces)) changes.need_restart.emplace_back("traces");
    return changes;
}

}  // namespace runnel::config
