#include "metering/price_file.hpp"

#include "base/utf8.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace runnel::metering {
namespace {

// As LiteLLM calls those that Runnel speaks to.
struct KnownProvider {
    std::string_view litellm;
    std::string_view kind;
};
constexpr KnownProvider providers[]{
    {"openai", "openai"},
    {"azure", "azure"},
    {"anthropic", "anthropic"},
    {"gemini", "gemini"},
    {"xai", "xai"},
    {"deepseek", "deepseek"},
    {"mistral", "mistral"},
    {"moonshot", "moonshot"},
    {"minimax", "minimax"},
    {"groq", "groq"},
    {"together_ai", "together"},
    {"fireworks_ai", "fireworks"},
    {"openrouter", "openrouter"},
    {"perplexity", "perplexity"},
    {"cerebras", "cerebras"},
    {"ollama", "ollama"},
    {"hosted_vllm", "vllm"},
    {"lm_studio", "lmstudio"},
};

constexpr std::string_view explanation_entry = "sample_spec";  // tells people what the fields are
constexpr double dollars_per_token_max = 0.01;  // who writes more wrote it per thousand or million

std::optional<double>* part_named(std::string_view field, std::optional<double>& input,
                                  std::optional<double>& output, TokenPrices& others) {
    if (field == "input_cost_per_token") return &input;
    if (field == "output_cost_per_token") return &output;
    if (field == "cache_read_input_token_cost") return &others.cache_read;
    if (field == "cache_creation_input_token_cost") return &others.cache_write;
    if (field == "output_cost_per_reasoning_token") return &others.reasoning;
    return nullptr;
}

// A set of prices in the making: of an entry, or of its long inputs.
struct PricesSoFar {
    std::optional<double> input{};
    std::optional<double> output{};
    TokenPrices others{};

    std::optional<double>* find(std::string_view field) {
        return part_named(field, input, output, others);
    }
    // What is not said here is as `base` says.
    TokenPrices over(const TokenPrices& base) const {
        const auto first = [](std::optional<double> here, std::optional<double> there) {
            return here ? here : there;
        };
        return {input.value_or(base.input), output.value_or(base.output),
                first(others.cache_read, base.cache_read),
                first(others.cache_write, base.cache_write),
                first(others.reasoning, base.reasoning)};
    }
};

struct Threshold {
    std::string_view field;         // without it
    std::int64_t above_tokens = 0;  // 0: the field names none
};

// input_cost_per_token_above_200k_tokens.
Threshold split_threshold(std::string_view field) {
    constexpr std::string_view mark = "_above_", unit = "k_tokens";
    const std::size_t at = field.find(mark);
    if (at == std::string_view::npos) return {field};
    const char* const digits = field.data() + at + mark.size();
    const char* const end = field.data() + field.size();
    std::int64_t thousands = 0;
    const auto [rest, error] = std::from_chars(digits, end, thousands);
    if (error != std::errc() || std::string_view(rest, end) != unit) return {field};
    return {field.substr(0, at), thousands * 1000};
}

std::unexpected<Error> wrong(std::string_view entry, std::string_view field,
                             std::string_view what) {
    constexpr std::size_t shown_bytes = 100;
    return fail(ErrorKind::invalid_value,
                fmt::format("the price file's entry '{}', {}: {}", utf8_prefix(entry, shown_bytes),
                            field, what));
}

// One entry, which may be of no use here.
struct Entry {
    std::string provider{};
    PricesSoFar prices{};
    std::int64_t above_tokens = 0;
    PricesSoFar long_input{};
};

Result<void> read_price(std::string_view entry, std::string_view field, json::ondemand::value value,
                        std::optional<double>& out) {
    if (json::is_null(value)) return {};
    double price = 0;
    if (value.get_double().get(price))
        return wrong(entry, field, "a price is a number, in US dollars per token");
    if (price < 0 || price > dollars_per_token_max)
        return wrong(entry, field,
                     fmt::format("a price is from 0 to {} US dollars per token; this is {}",
                                 dollars_per_token_max, price));
    out = price;
    return {};
}

Result<void> read_field(std::string_view name, std::string_view field, json::ondemand::value value,
                        Entry& entry) {
    if (field == "litellm_provider") {
        if (!json::plain_string(value, entry.provider))
            return wrong(name, field, "the provider's name is a text");
        return {};
    }
    const Threshold threshold = split_threshold(field);
    // Of several thresholds the first counts: what is above the others is above it too.
    if (threshold.above_tokens != 0 && entry.above_tokens != 0 &&
        threshold.above_tokens > entry.above_tokens)
        return {};
    const bool is_long = threshold.above_tokens != 0;
    std::optional<double>* part = (is_long ? entry.long_input : entry.prices).find(threshold.field);
    if (part == nullptr) return {};
    if (is_long && threshold.above_tokens != entry.above_tokens) {
        entry.above_tokens = threshold.above_tokens;
        entry.long_input = {};
        part = entry.long_input.find(threshold.field);
    }
    return read_price(name, field, value, *part);
}

void add_to(PriceList& list, std::string_view name, const Entry& entry) {
    const auto provider = std::ranges::find(providers, entry.provider, &KnownProvider::litellm);
    if (provider == std::end(providers)) return;
    if (!entry.prices.input && !entry.prices.output) return;
    // gemini/gemini-2.5-pro, but gpt-5.
    const std::string prefix = entry.provider + '/';
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    Price price{entry.prices.over({})};
    if (entry.above_tokens != 0)
        price.long_input = {entry.above_tokens, entry.long_input.over(price.tokens)};
    list.set(provider->kind, name, price);
}

}  // namespace

Result<PriceList> read_price_file(std::string_view json) {
    PriceList list;
    std::string text(json);
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object root;
    const auto unreadable = [](simdjson::error_code error) {
        return fail(ErrorKind::invalid_json,
                    fmt::format("the price file is not a JSON object of models: {}",
                                simdjson::error_message(error)));
    };
    if (const auto error = parser.parse_strict(Padded::of(text), document))
        return unreadable(error);
    if (const auto error = document.get_object().get(root)) return unreadable(error);
    Result<void> outcome;
    // `name` is a view of the text.
    const auto note_line = [&](std::string_view name) {
        const auto before =
            std::string_view(text).substr(0, static_cast<std::size_t>(name.data() - text.data()));
        outcome.error().message = fmt::format("line {}: {}", 1 + std::ranges::count(before, '\n'),
                                              outcome.error().message);
    };
    const auto read_entry = [&](std::string_view escaped_name, json::ondemand::value value) {
        const std::string name = json::unescaped(escaped_name);
        json::ondemand::object fields;
        if (!outcome || name == explanation_entry) return;
        if (value.get_object().get(fields)) {
            outcome = fail(ErrorKind::invalid_value,
                           fmt::format("the price file's entry '{}' is not an object", name));
            note_line(escaped_name);
            return;
        }
        Entry entry;
        const auto error =
            json::for_each_field(fields, [&](std::string_view field, json::ondemand::value price) {
                if (!outcome) return;
                outcome = read_field(name, field, price, entry);
                if (!outcome) note_line(field);
            });
        if (error) outcome = unreadable(error);
        if (outcome) add_to(list, name, entry);
    };
    if (const auto error = json::for_each_field(root, read_entry); error && outcome)
        return unreadable(error);
    if (!outcome) return propagate(outcome);
    if (const char* rest = nullptr; !document.current_location().get(rest))
        return unreadable(simdjson::TRAILING_CONTENT);
    if (list.size() == 0)
        return fail(ErrorKind::invalid_value,
                    "the price file has no model that Runnel knows the provider of");
    return list;
}

}  // namespace runnel::metering
