#include "provider/model_facts.hpp"

#include "provider/anthropic/models.hpp"
#include "provider/demo/models.hpp"
#include "provider/presets.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace runnel::provider {
namespace {

using router::ModelFacts;

constexpr std::optional<bool> yes = true;
constexpr std::optional<bool> no = false;
constexpr std::nullopt_t unknown = std::nullopt;

// A row is for the name itself and its dated versions ("gpt-5-2025-08-07"); a * at its end stands
// for any rest. The first that fits counts. All of these stream.
struct Row {
    std::string_view name;
    std::optional<bool> tools;
    std::optional<bool> vision;
    std::optional<bool> reasoning;
    std::optional<std::int64_t> context_length;
    std::optional<std::int64_t> max_output;
};

// clang-format off
constexpr Row openai[]{
    //                      tools    vision   reasoning context    output
    {"gpt-5.5",             yes,     yes,     yes,      1'050'000, 128'000},
    {"gpt-5.4-mini",        yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5.4-nano",        yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5.4",             yes,     yes,     yes,      1'050'000, 128'000},
    {"gpt-5.2",             yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5.1",             yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5",               yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5-mini",          yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5-nano",          yes,     yes,     yes,        400'000, 128'000},
    {"gpt-5-chat",          unknown, yes,     no,         128'000,  16'384},
    {"gpt-4.1",             yes,     yes,     no,       1'047'576,  32'768},
    {"gpt-4.1-mini",        yes,     yes,     no,       1'047'576,  32'768},
    {"gpt-4.1-nano",        yes,     yes,     no,       1'047'576,  32'768},
    {"gpt-4o",              yes,     yes,     no,         128'000,  16'384},
    {"gpt-4o-mini",         yes,     yes,     no,         128'000,  16'384},
    {"chatgpt-4o",          no,      yes,     no,         128'000,  16'384},
    {"gpt-4-turbo",         yes,     yes,     no,         128'000,   4'096},
    {"gpt-4",               yes,     no,      no,           8'192,   8'192},
    {"gpt-3.5-turbo",       yes,     no,      no,          16'385,   4'096},
    {"o4-mini",             yes,     yes,     yes,        200'000, 100'000},
    {"o3",                  yes,     yes,     yes,        200'000, 100'000},
    {"o3-mini",             yes,     no,      yes,        200'000, 100'000},
    {"o1",                  yes,     yes,     yes,        200'000, 100'000},
    {"o1-mini",             no,      no,      yes,        128'000,  65'536},
};

constexpr Row bedrock_rows[]{  // without what says from which regions one is asked
    {"amazon.nova-2*",      yes,     yes,     yes,      1'000'000, unknown},
    {"amazon.nova-micro*",  yes,     no,      no,         128'000,  10'000},
    {"amazon.nova*",        yes,     yes,     no,         300'000,  10'000},
    {"openai.gpt-oss*",     yes,     no,      yes,        128'000, unknown},
};

constexpr Row anthropic_rows[]{  // how much they write is in anthropic/models.cpp
    {"claude-opus-5",       yes,     yes,     yes,      1'000'000, unknown},
    {"claude-sonnet-5",     yes,     yes,     yes,      1'000'000, unknown},
    {"claude-opus-4-8",     yes,     yes,     yes,      1'000'000, unknown},
    {"claude-opus-4-7",     yes,     yes,     yes,      1'000'000, unknown},
    {"claude-opus-4-6",     yes,     yes,     yes,      1'000'000, unknown},
    {"claude-sonnet-4-6",   yes,     yes,     yes,      1'000'000, unknown},
    {"claude-opus-4-5",     yes,     yes,     yes,        200'000, unknown},
    {"claude-sonnet-4-5",   yes,     yes,     yes,        200'000, unknown},
    {"claude-haiku-4-5",    yes,     yes,     yes,        200'000, unknown},
    {"claude-opus-4-1",     yes,     yes,     yes,        200'000, unknown},
    {"claude-opus-4",       yes,     yes,     yes,        200'000, unknown},
    {"claude-sonnet-4",     yes,     yes,     yes,        200'000, unknown},
    {"claude-3-7-*",        yes,     yes,     yes,        200'000, unknown},
    {"claude-3-*",          yes,     yes,     no,         200'000, unknown},
    {"claude-*",            yes,     yes,     unknown,    unknown, unknown},
};

constexpr Row gemini[]{
    {"gemini-3-pro-preview",   yes,  yes,     yes,      1'048'576,  65'536},
    {"gemini-3-flash-preview", yes,  yes,     yes,      1'048'576,  65'536},
    {"gemini-2.5-pro",         yes,  yes,     yes,      1'048'576,  65'536},
    {"gemini-2.5-flash",       yes,  yes,     yes,      1'048'576,  65'536},
    {"gemini-2.5-flash-lite",  yes,  yes,     yes,      1'048'576,  65'536},
    {"gemini-2.0-flash",       yes,  yes,     no,       1'048'576,   8'192},
};

constexpr Row xai[]{
    {"grok-4.3",                    yes, yes, yes,      1'000'000, unknown},
    {"grok-4-1-fast",               yes, yes, yes,      2'000'000, unknown},
    {"grok-4-1-fast-reasoning",     yes, yes, yes,      2'000'000, unknown},
    {"grok-4-1-fast-non-reasoning", yes, yes, no,       2'000'000, unknown},
    {"grok-4-fast",                 yes, yes, yes,      2'000'000, unknown},
    {"grok-4-fast-reasoning",       yes, yes, yes,      2'000'000, unknown},
    {"grok-4-fast-non-reasoning",   yes, yes, no,       2'000'000, unknown},
    {"grok-4",                      yes, yes, yes,        256'000, unknown},
    {"grok-code-fast-1",            yes, no,  yes,        256'000, unknown},
    {"grok-3-mini",                 yes, no,  yes,        131'072, unknown},
    {"grok-3",                      yes, no,  no,         131'072, unknown},
};

constexpr Row deepseek[]{
    {"deepseek-v4-flash",   yes,     no,      yes,      1'000'000, 384'000},
    {"deepseek-v4-pro",     yes,     no,      yes,      1'000'000, 384'000},
    {"deepseek-reasoner",   yes,     no,      yes,        unknown, unknown},
    {"deepseek-chat",       yes,     no,      unknown,    unknown, unknown},
};

constexpr Row mistral[]{
    {"mistral-large-latest",    yes, yes,     unknown,    unknown, unknown},
    {"mistral-medium-latest",   yes, yes,     unknown,    unknown, unknown},
    {"mistral-small-latest",    yes, yes,     unknown,    unknown, unknown},
    {"magistral-medium-latest", yes, unknown, yes,        128'000, unknown},
    {"codestral-latest",        yes, no,      no,         256'000, unknown},
    {"ministral-8b-latest",     yes, unknown, unknown,    unknown, unknown},
};

constexpr Row moonshot[]{
    {"kimi-k3",             yes,     yes,     yes,      1'048'576, unknown},
    {"kimi-k2.7-code",      yes,     yes,     yes,        262'144, unknown},
    {"kimi-k2.6",           yes,     yes,     yes,        262'144, unknown},
    {"kimi-k2.5",           yes,     yes,     yes,        262'144, unknown},
};

constexpr Row minimax[]{
    {"MiniMax-M2.7",        yes,     no,      yes,        204'800, unknown},
    {"MiniMax-M2.5",        yes,     no,      yes,        204'800, unknown},
    {"MiniMax-M2",          yes,     no,      yes,        204'800, unknown},
};

constexpr Row perplexity[]{
    {"sonar",               no,      yes,     no,         128'000, unknown},
    {"sonar-pro",           no,      yes,     no,         200'000, unknown},
    {"sonar-reasoning-pro", no,      yes,     yes,        128'000, unknown},
    {"sonar-deep-research", no,      unknown, yes,        128'000, unknown},
};

constexpr Row groq[]{
    {"llama-3.3-70b-versatile",          yes, no, no,     131'072,  32'768},
    {"llama-3.1-8b-instant",             yes, no, no,     131'072, unknown},
    {"openai/gpt-oss-120b",              yes, no, yes,    131'072,  65'536},
    {"openai/gpt-oss-20b",               yes, no, yes,    131'072,  65'536},
    {"qwen/qwen3-32b",                   yes, no, yes,    131'072,  40'960},
    {"moonshotai/kimi-k2-instruct",      yes, no, no,     262'144,  16'384},
};

constexpr Row together[]{
    {"meta-llama/Llama-3.3-70B-Instruct-Turbo", yes, no, no,      131'072, unknown},
    {"openai/gpt-oss-120b",                     yes, no, yes,     131'072, unknown},
    {"deepseek-ai/DeepSeek-V3.1",               yes, no, unknown, unknown, unknown},
    {"Qwen/Qwen3-235B-A22B-Instruct-2507-tput", yes, no, no,      262'144, unknown},
};

constexpr Row fireworks[]{
    {"accounts/fireworks/models/gpt-oss-120b",     yes, no, yes, 131'072, unknown},
    {"accounts/fireworks/models/gpt-oss-20b",      yes, no, yes, 131'072, unknown},
    {"accounts/fireworks/models/kimi-k2-instruct", yes, no, no,  262'144, unknown},
};

constexpr Row openrouter[]{
    {"openai/gpt-5-mini",          yes, yes, yes,         400'000, 128'000},
    {"anthropic/claude-haiku-4.5", yes, yes, yes,         200'000,  64'000},
    {"google/gemini-2.5-flash",    yes, yes, yes,       1'048'576, unknown},
    {"x-ai/grok-4.1-fast",         yes, yes, yes,       2'000'000, unknown},
    {"moonshotai/kimi-k2.5",       yes, yes, yes,         262'144, unknown},
    {"deepseek/deepseek-chat",     yes, no,  unknown,     unknown, unknown},
};

constexpr Row cerebras[]{
    {"gpt-oss-120b",                   yes, no, yes,      131'072, unknown},
    {"zai-glm-4.7",                    yes, no, yes,      131'072, unknown},
    {"qwen-3-235b-a22b-instruct-2507", yes, no, no,       131'072, unknown},
};
// clang-format on

struct Table {
    std::string_view kind;
    std::span<const Row> rows;
};
constexpr Table tables[]{
    {"anthropic", anthropic_rows},
    {"bedrock", bedrock_rows},
    {"cerebras", cerebras},
    {"deepseek", deepseek},
    {"fireworks", fireworks},
    {"gemini", gemini},
    {"groq", groq},
    {"minimax", minimax},
    {"mistral", mistral},
    {"moonshot", moonshot},
    {"openai", openai},
    {"openrouter", openrouter},
    {"perplexity", perplexity},
    {"together", together},
    {"xai", xai},
};

// What comes after a model's name where a version of it is named: "", "-latest", "-2025-08-07",
// "-0905", "@20250514".
bool is_version(std::string_view rest) {
    constexpr std::size_t digits_min = 4;
    if (rest.empty() || rest == "-latest") return true;
    if (rest.front() != '-' && rest.front() != '@') return false;
    rest.remove_prefix(1);
    return rest.find_first_not_of("0123456789-") == std::string_view::npos &&
           rest.substr(0, rest.find('-')).size() >= digits_min;
}

bool fits(const Row& row, std::string_view model) {
    if (row.name.ends_with('*')) return model.starts_with(row.name.substr(0, row.name.size() - 1));
    return model.starts_with(row.name) && is_version(model.substr(row.name.size()));
}

// Whose model it is that a cloud has, and what it is called there.
std::pair<std::string_view, std::string_view> who_made(std::string_view cloud,
                                                       std::string_view model) {
    if (cloud == "vertex")
        return {model.starts_with("claude") ? "anthropic" : "gemini",
                model.substr(model.rfind('/') + 1)};
    // "us.anthropic.claude-…-v1:0": regions and the maker before it, a version behind.
    constexpr std::string_view maker = "anthropic.";
    if (const std::size_t at = model.find(maker); at != std::string_view::npos) {
        model.remove_prefix(at + maker.size());
        return {"anthropic", model.substr(0, model.rfind("-v"))};
    }
    for (const std::string_view region : {"us.", "eu.", "apac.", "global."})
        if (model.starts_with(region)) model.remove_prefix(region.size());
    return {cloud, model};
}

ModelFacts demo_facts(std::string_view model) {
    ModelFacts facts;
    if (std::ranges::find(demo_models, model, &DemoModel::name) == demo_models.end()) return facts;
    facts.streaming = true;
    if (model.ends_with("tools")) facts.tools = true;
    if (model == "reasoning") facts.reasoning = true;
    return facts;
}

}  // namespace

ModelFacts known_facts(std::string_view kind, std::string_view model) {
    if (kind == "demo") return demo_facts(model);
    if (kind == "vertex" || kind == "bedrock") std::tie(kind, model) = who_made(kind, model);
    if (const Preset* preset = find_preset(kind)) kind = preset->kind;
    const auto table = std::ranges::find(tables, kind, &Table::kind);
    if (table == std::end(tables)) return {};
    const auto row =
        std::ranges::find_if(table->rows, [&](const Row& one) { return fits(one, model); });
    if (row == table->rows.end()) return {};
    ModelFacts facts{row->tools, row->vision,         row->reasoning,
                     yes,        row->context_length, row->max_output};
    if (kind == "anthropic") facts.max_output = anthropic::traits_of(model).output_max;
    return facts;
}

}  // namespace runnel::provider
