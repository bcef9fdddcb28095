#include "config/sections/model.hpp"

#include "api/registry.hpp"
#include "base/is_in.hpp"
#include "config/names.hpp"
#include "config/sections/limits.hpp"
#include "config/sections/policy.hpp"
#include "config/yaml/json_value.hpp"

#include <limits>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_model[] = {
    "targets", "strategy",  "retries",         "timeout",         "timeouts",       "hedge",
    "system",  "midstream", "streaming",       "stream_fallback", "limits",         "defaults",
    "dialect", "tools",     "max_tool_rounds", "text_tool_calls", "failover_scope", "cached",
    "id",      "budget",    "guardrails",      "hidden_tools",    "same_model"};
constexpr std::string_view keys_of_model_limits[] = {"max_tokens", "concurrent", "rpm",
                                                     "rpd",        "tpm",        "tpd"};

// What each request says for itself.
constexpr std::string_view never_defaults[] = {"model", "messages", "stream"};

void read_defaults(const Value& value, Model& model) {
    const auto entries = value.entries();
    for (const Entry& entry : entries)
        if (is_in(entry.key, never_defaults))
            entry.name.complain("each request says this for itself; it cannot have a default");
    if (!entries.empty()) model.defaults_json = json_of(value);
}

void read_limits(const Value& value, WrittenModel& written) {
    const auto section = value.section(keys_of_model_limits);
    if (!section) return;
    Model& model = written.model;
    written.rates = read_rates(*section);
    const auto tokens = [](const Value& count) {
        return count.whole_number(1, std::numeric_limits<std::int32_t>::max());
    };
    section->read("max_tokens", tokens, model.max_tokens);
    section->read("concurrent", read_concurrent, model.concurrent);
}

std::optional<std::string> model_id(const Value& value) {
    return value.text_that(is_uuid,
                           "a UUID in small letters, such as 0b54b0a4-7d7b-4a57-8d0c-3f1f8c1c2a11");
}

std::optional<std::int64_t> tool_rounds(const Value& value) {
    return value.whole_number(1, limits::tool_rounds_max);
}

bool is_tool_or_all(std::string_view name) { return name == "*" || is_tool_name(name); }

// By API. Which tools a server offers is not known yet, so any name may be hidden.
void read_hidden_tools(const Value& value, Model& model) {
    const auto section = value.section(api::api_names());
    if (!section) return;
    for (const std::string_view api : api::api_names()) {
        const Value* names = section->find(api);
        if (names == nullptr) continue;
        for (const Value& written : names->list())
            if (auto name = written.text_that(is_tool_or_all, "a tool's name, or * for every tool"))
                model.hidden_tools[std::string(api)].push_back(std::move(*name));
    }
}

// Targets, and what the other keys need of them.
void read_targets_of(const Entry& entry, const Section& section, const KnownProviders& providers,
                     Model& model) {
    const std::size_t problems = entry.name.problem_count();
    const Value* written = section.find("targets");
    TargetList list;
    if (written) list = read_targets(*written, providers);
    if (entry.name.problem_count() > problems) return;
    if (list.targets.empty())
        (written ? *written : entry.name)
            .complain("a model needs targets, such as targets: [openai/gpt-5-mini]");
    if (list.a_weight && model.policy.strategy != router::Strategy::weighted)
        list.a_weight->complain(
            "only strategy: weighted looks at weights; set it, or leave the weight out");
    if (const Value* hedge = section.find("hedge"); hedge && list.targets.size() == 1)
        hedge->complain("a hedge needs two targets at least: it asks the next one; add a target, "
                        "or leave hedge out");
    model.targets = std::move(list.targets);
}

}  // namespace

void check_model_name(const Entry& entry) {
    if (!is_model_name(entry.key))
        entry.name.complain("a model's name begins with a letter or digit and has only those and "
                            "'.', '_', '-', ':', "
                            "'/', '+', '@'");
}

std::optional<std::string> read_dialect(const Value& value) {
    return value.one_of(api::chat_dialect_names());
}

std::optional<WrittenModel> read_model(const Entry& entry, const KnownProviders& providers,
                                       const KnownTools& tools, const KnownGuardrails& guardrails) {
    const std::size_t problems = entry.name.problem_count();
    check_model_name(entry);
    const auto section = entry.value.section(keys_of_model);
    if (!section) return std::nullopt;
    WrittenModel written;
    Model& model = written.model;
    model.name = entry.key;
    model.policy = read_policy(*section);
    read_targets_of(entry, *section, providers, model);
    section->read("system", &Value::text, model.system);
    section->read("dialect", read_dialect, model.dialect);
    if (const Value* defaults = section->find("defaults")) read_defaults(*defaults, model);
    if (const Value* limits = section->find("limits")) read_limits(*limits, written);
    if (const Value* names = section->find("tools")) model.tools = tools.read_names(*names);
    if (const Value* names = section->find("hidden_tools")) read_hidden_tools(*names, model);
    if (const Value* names = section->find("guardrails"))
        model.guardrails = guardrails.read_names(*names);
    section->read("max_tool_rounds", tool_rounds, model.max_tool_rounds);
    section->read("budget", read_budget, written.budget);
    if (const Value* id = section->find("id")) {
        written.id = *id;
        section->read("id", model_id, model.id);
    }
    section->read("text_tool_calls", &Value::boolean, model.text_tool_calls);
    section->read("cached", &Value::boolean, model.cached);
    bool same_model = false;
    section->read("same_model", &Value::boolean, same_model);
    if (same_model) model.same_model = router::SameModel::yes;
    bool streaming = true;
    section->read("streaming", &Value::boolean, streaming);
    model.streams = streaming ? Model::Streams::yes : Model::Streams::no;
    if (const Value* fallback = section->find("stream_fallback")) {
        written.stream_fallback = *fallback;
        if (streaming && entry.name.problem_count() == problems)
            fallback->complain("this is for a model with streaming: false; add that, or leave this "
                               "out");
    }
    if (entry.name.problem_count() > problems) return std::nullopt;
    return written;
}

}  // namespace runnel::config
