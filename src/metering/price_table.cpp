#include "metering/price_list.hpp"

#include <span>

namespace runnel::metering {
namespace {

constexpr std::optional<double> same = std::nullopt;  // as plain input

// US dollars per million tokens. A row is for the name itself and its dated versions.
struct Row {
    std::string_view model;
    double input;
    double output;
    std::optional<double> cache_read = same;
    std::optional<double> cache_write = same;
    double per_request = 0;  // US dollars
};

// What the same models cost where the input is longer than so many tokens.
struct LongRow {
    std::string_view kind;
    std::string_view model;
    std::int64_t above_tokens;
    double input;
    double output;
    std::optional<double> cache_read = same;
    std::optional<double> cache_write = same;
};

// clang-format off
constexpr Row openai[]{
    {"gpt-5.5",             5.00,  30.00, 0.50},
    {"gpt-5.5-pro",        30.00, 180.00},
    {"gpt-5.4",             2.50,  15.00, 0.25},
    {"gpt-5.4-pro",        30.00, 180.00},
    {"gpt-5.4-mini",        0.75,   4.50, 0.075},
    {"gpt-5.4-nano",        0.20,   1.25, 0.02},
    {"gpt-5.3-codex",       1.75,  14.00, 0.175},
    {"gpt-5.2",             1.75,  14.00, 0.175},
    {"gpt-5.2-chat",        1.75,  14.00, 0.175},
    {"gpt-5.2-codex",       1.75,  14.00, 0.175},
    {"gpt-5.2-pro",        21.00, 168.00},
    {"gpt-5.1",             1.25,  10.00, 0.125},
    {"gpt-5.1-chat",        1.25,  10.00, 0.125},
    {"gpt-5.1-codex",       1.25,  10.00, 0.125},
    {"gpt-5.1-codex-max",   1.25,  10.00, 0.125},
    {"gpt-5.1-codex-mini",  0.25,   2.00, 0.025},
    {"gpt-5",               1.25,  10.00, 0.125},
    {"gpt-5-chat",          1.25,  10.00, 0.125},
    {"gpt-5-codex",         1.25,  10.00, 0.125},
    {"gpt-5-mini",          0.25,   2.00, 0.025},
    {"gpt-5-nano",          0.05,   0.40, 0.005},
    {"gpt-5-pro",          15.00, 120.00},
    {"gpt-4.1",             2.00,   8.00, 0.50},
    {"gpt-4.1-mini",        0.40,   1.60, 0.10},
    {"gpt-4.1-nano",        0.10,   0.40, 0.025},
    {"gpt-4o",              2.50,  10.00, 1.25},
    {"gpt-4o-2024-05-13",   5.00,  15.00},
    {"gpt-4o-mini",         0.15,   0.60, 0.075},
    {"chatgpt-4o",          5.00,  15.00},
    {"gpt-4-turbo",        10.00,  30.00},
    {"gpt-4-0125-preview", 10.00,  30.00},
    {"gpt-4-1106-preview", 10.00,  30.00},
    {"gpt-4",              30.00,  60.00},
    {"gpt-4-32k",          60.00, 120.00},
    {"gpt-3.5-turbo",       0.50,   1.50},
    {"gpt-3.5-turbo-1106",  1.00,   2.00},
    {"o4-mini",             1.10,   4.40, 0.275},
    {"o3",                  2.00,   8.00, 0.50},
    {"o3-pro",             20.00,  80.00},
    {"o3-mini",             1.10,   4.40, 0.55},
    {"o1",                 15.00,  60.00, 7.50},
    {"o1-pro",            150.00, 600.00},
    {"o1-mini",             1.10,   4.40, 0.55},
};

constexpr Row anthropic[]{
    {"claude-opus-5",       5.00,  25.00, 0.50,  6.25},
    {"claude-sonnet-5",     3.00,  15.00, 0.30,  3.75},
    {"claude-opus-4-8",     5.00,  25.00, 0.50,  6.25},
    {"claude-opus-4-7",     5.00,  25.00, 0.50,  6.25},
    {"claude-opus-4-6",     5.00,  25.00, 0.50,  6.25},
    {"claude-opus-4-5",     5.00,  25.00, 0.50,  6.25},
    {"claude-opus-4-1",    15.00,  75.00, 1.50, 18.75},
    {"claude-opus-4",      15.00,  75.00, 1.50, 18.75},
    {"claude-sonnet-4-6",   3.00,  15.00, 0.30,  3.75},
    {"claude-sonnet-4-5",   3.00,  15.00, 0.30,  3.75},
    {"claude-sonnet-4",     3.00,  15.00, 0.30,  3.75},
    {"claude-haiku-4-5",    1.00,   5.00, 0.10,  1.25},
    {"claude-3-7-sonnet",   3.00,  15.00, 0.30,  3.75},
    {"claude-3-5-sonnet",   3.00,  15.00, 0.30,  3.75},
    {"claude-3-5-haiku",    0.80,   4.00, 0.08,  1.00},
    {"claude-3-opus",      15.00,  75.00, 1.50, 18.75},
    {"claude-3-haiku",      0.25,   1.25, 0.03,  0.30},
};

constexpr Row gemini[]{
    {"gemini-3.1-pro",        2.00,   12.00, 0.20},
    {"gemini-3-pro",          2.00,   12.00, 0.20},
    {"gemini-3-flash",        0.50,    3.00, 0.05},
    {"gemini-2.5-pro",        1.25,   10.00, 0.125},
    {"gemini-2.5-flash",      0.30,    2.50, 0.03},
    {"gemini-2.5-flash-lite", 0.10,    0.40, 0.01},
    {"gemini-2.0-flash",      0.10,    0.40, 0.025},
    {"gemini-2.0-flash-lite", 0.075,   0.30},
    {"gemini-1.5-pro",        1.25,    5.00, 0.3125},
    {"gemini-1.5-flash",      0.075,   0.30, 0.01875},
    {"gemini-1.5-flash-8b",   0.0375,  0.15, 0.01},
};

constexpr Row xai[]{
    {"grok-4.5",                    2.00,  6.00, 0.50},
    {"grok-4.3",                    1.25,  2.50, 0.20},
    {"grok-4-1-fast",               0.20,  0.50, 0.05},
    {"grok-4-1-fast-reasoning",     0.20,  0.50, 0.05},
    {"grok-4-1-fast-non-reasoning", 0.20,  0.50, 0.05},
    {"grok-4-fast",                 0.20,  0.50, 0.05},
    {"grok-4-fast-reasoning",       0.20,  0.50, 0.05},
    {"grok-4-fast-non-reasoning",   0.20,  0.50, 0.05},
    {"grok-4",                      3.00, 15.00, 0.75},
    {"grok-code-fast-1",            0.20,  1.50, 0.02},
    {"grok-3",                      3.00, 15.00, 0.75},
    {"grok-3-mini",                 0.30,  0.50, 0.075},
};

constexpr Row deepseek[]{
    {"deepseek-v4-pro",   1.74, 3.48, 0.145},
    {"deepseek-v4-flash", 0.14, 0.28, 0.028},
    {"deepseek-chat",     0.28, 0.42, 0.028},
    {"deepseek-reasoner", 0.28, 0.42, 0.028},
};

constexpr Row mistral[]{
    {"mistral-large",       0.50, 1.50},
    {"mistral-large-3",     0.50, 1.50},
    {"mistral-large-2411",  2.00, 6.00},
    {"mistral-large-2407",  3.00, 9.00},
    {"mistral-medium",      1.50, 7.50},
    {"mistral-medium-3-5",  1.50, 7.50},
    {"mistral-medium-2508", 0.40, 2.00},
    {"mistral-medium-2505", 0.40, 2.00},
    {"mistral-small",       0.10, 0.30},
    {"magistral-medium",    2.00, 5.00},
    {"magistral-small",     0.50, 1.50},
    {"codestral",           0.30, 0.90},
    {"devstral-medium",     0.40, 2.00},
    {"devstral-small",      0.10, 0.30},
    {"ministral-14b",       0.20, 0.20},
    {"ministral-8b",        0.15, 0.15},
    {"ministral-3b",        0.10, 0.10},
    {"pixtral-large",       2.00, 6.00},
};

constexpr Row moonshot[]{
    {"kimi-k2.6",              0.95, 4.00, 0.16},
    {"kimi-k2.5",              0.60, 3.00, 0.10},
    {"kimi-k2",                0.60, 2.50, 0.15},
    {"kimi-k2-turbo",          1.15, 8.00, 0.15},
    {"kimi-k2-thinking",       0.60, 2.50, 0.15},
    {"kimi-k2-thinking-turbo", 1.15, 8.00, 0.15},
    {"moonshot-v1-8k",         0.20, 2.00},
    {"moonshot-v1-32k",        1.00, 3.00},
    {"moonshot-v1-128k",       2.00, 5.00},
};

constexpr Row minimax[]{
    {"MiniMax-M2.7", 0.30, 1.20, 0.06},
    {"MiniMax-M2.5", 0.30, 1.20, 0.03},
    {"MiniMax-M2.1", 0.30, 1.20, 0.03},
    {"MiniMax-M2",   0.30, 1.20, 0.03},
};

constexpr Row groq[]{
    {"llama-3.3-70b-versatile",     0.59,  0.79},
    {"llama-3.1-8b-instant",        0.05,  0.08},
    {"openai/gpt-oss-120b",         0.15,  0.60, 0.075},
    {"openai/gpt-oss-20b",          0.075, 0.30, 0.0375},
    {"qwen/qwen3-32b",              0.29,  0.59},
    {"moonshotai/kimi-k2-instruct", 1.00,  3.00, 0.50},
};

constexpr Row cerebras[]{
    {"gpt-oss-120b",              0.35, 0.75},
    {"zai-glm-4.7",               2.25, 2.75},
    {"qwen-3-235b-a22b-instruct", 0.60, 1.20},
    {"llama-3.3-70b",             0.85, 1.20},
    {"llama3.1-8b",               0.10, 0.10},
};

constexpr Row together[]{
    {"meta-llama/Llama-3.3-70B-Instruct-Turbo", 0.88, 0.88},
    {"openai/gpt-oss-120b",                     0.15, 0.60},
    {"openai/gpt-oss-20b",                      0.05, 0.20},
    {"deepseek-ai/DeepSeek-V3.1",               0.60, 1.70},
    {"Qwen/Qwen3-235B-A22B-Instruct-2507-tput", 0.20, 0.60},
};

constexpr Row fireworks[]{
    {"accounts/fireworks/models/gpt-oss-120b",     0.15, 0.60},
    {"accounts/fireworks/models/gpt-oss-20b",      0.07, 0.30},
    {"accounts/fireworks/models/kimi-k2-instruct", 0.60, 2.50},
};

// The fee for a search is the one for a small context.
constexpr Row perplexity[]{
    {"sonar",               1.00,  1.00, same, same, 0.005},
    {"sonar-pro",           3.00, 15.00, same, same, 0.006},
    {"sonar-reasoning-pro", 2.00,  8.00, same, same, 0.006},
};

constexpr Row openrouter[]{
    {"openai/gpt-5",                1.25, 10.00, 0.125},
    {"openai/gpt-5-mini",           0.25,  2.00, 0.025},
    {"anthropic/claude-sonnet-4.5", 3.00, 15.00, 0.30, 3.75},
    {"anthropic/claude-haiku-4.5",  1.00,  5.00, 0.10, 1.25},
    {"google/gemini-2.5-pro",       1.25, 10.00, 0.125},
    {"google/gemini-2.5-flash",     0.30,  2.50, 0.03},
};

constexpr LongRow long_rows[]{
    {"openai",    "gpt-5.5",                     272'000, 10.00,  45.00, 1.00},
    {"openai",    "gpt-5.4",                     272'000,  5.00,  22.50, 0.50},
    {"openai",    "gpt-5.4-pro",                 272'000, 60.00, 270.00},
    {"anthropic", "claude-sonnet-4-5",           200'000,  6.00,  22.50, 0.60, 7.50},
    {"anthropic", "claude-sonnet-4",             200'000,  6.00,  22.50, 0.60, 7.50},
    {"gemini",    "gemini-3.1-pro",              200'000,  4.00,  18.00, 0.40},
    {"gemini",    "gemini-3-pro",                200'000,  4.00,  18.00, 0.40},
    {"gemini",    "gemini-2.5-pro",              200'000,  2.50,  15.00, 0.25},
    {"gemini",    "gemini-1.5-pro",              128'000,  2.50,  10.00, 0.625},
    {"gemini",    "gemini-1.5-flash",            128'000,  0.15,   0.60, 0.0375},
    {"gemini",    "gemini-1.5-flash-8b",         128'000,  0.075,  0.30, 0.02},
    {"xai",       "grok-4.5",                    200'000,  4.00,  12.00, 1.00},
    {"xai",       "grok-4.3",                    200'000,  2.50,   5.00, 0.40},
    {"xai",       "grok-4-1-fast",               128'000,  0.40,   1.00, 0.05},
    {"xai",       "grok-4-1-fast-reasoning",     128'000,  0.40,   1.00, 0.05},
    {"xai",       "grok-4-1-fast-non-reasoning", 128'000,  0.40,   1.00, 0.05},
    {"xai",       "grok-4-fast",                 128'000,  0.40,   1.00, 0.05},
    {"xai",       "grok-4-fast-reasoning",       128'000,  0.40,   1.00, 0.05},
    {"xai",       "grok-4-fast-non-reasoning",   128'000,  0.40,   1.00, 0.05},
    {"xai",       "grok-4",                      128'000,  6.00,  30.00, 0.75},
};

struct Table {
    std::string_view kind;
    std::span<const Row> rows;
};
constexpr Table tables[]{
    {"anthropic", anthropic}, {"cerebras", cerebras}, {"deepseek", deepseek},
    {"fireworks", fireworks}, {"gemini", gemini},     {"groq", groq},
    {"minimax", minimax},     {"mistral", mistral},   {"moonshot", moonshot},
    {"openai", openai},       {"openrouter", openrouter}, {"perplexity", perplexity},
    {"together", together},   {"xai", xai},
};
// clang-format on

constexpr double per_million = 1e-6;

std::optional<double> each(std::optional<double> price) {
    return price ? std::optional(*price * per_million) : std::nullopt;
}

template <class AnyRow>
TokenPrices token_prices(const AnyRow& row) {
    return {row.input * per_million, row.output * per_million, each(row.cache_read),
            each(row.cache_write)};
}

PriceList build() {
    PriceList list;
    for (const Table& table : tables)
        for (const Row& row : table.rows)
            list.set(table.kind, row.model, {token_prices(row), std::nullopt, row.per_request});
    for (const LongRow& row : long_rows) {
        Price price = list.find(row.kind, row.model).value();
        price.long_input = {row.above_tokens, token_prices(row)};
        list.set(row.kind, row.model, price);
    }
    return list;
}

}  // namespace

const PriceList& built_in_prices() {
    static const PriceList list = build();
    return list;
}

}  // namespace runnel::metering
