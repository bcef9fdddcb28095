#include "tools/rounds/json_contract.hpp"

#include "base/limits.hpp"
#include "json/find_json.hpp"
#include "json/parser.hpp"
#include "json/schema.hpp"
#include "json/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace runnel::tools {
namespace {

constexpr std::string_view any_object = R"({"type":"object"})";

}  // namespace

std::optional<JsonContract> JsonContract::of(const chat::Request& request) {
    const chat::GatewayWishes& wishes = request.gateway;
    const bool formatted = request.output.is_json();
    const bool own_schema = !wishes.response_schema_raw.empty();
    const bool json_only = wishes.json_only == chat::Wish::yes;
    if ((!formatted && !own_schema && !json_only) || request.choices() > 1) return std::nullopt;

    JsonContract contract;
    const bool any = request.output.kind == chat::OutputFormat::Kind::json_object;
    contract.schema_raw_ = any ? any_object : request.output.schema_raw;
    if (own_schema) contract.schema_raw_ = wishes.response_schema_raw;
    contract.in_words_ = own_schema || !formatted;
    contract.binding_ = own_schema || json_only || wishes.heal_attempts;
    contract.bare_ = json_only;
    // Where any JSON will do, a model that gave none will hardly do better when asked again.
    const int usual = contract.schema_raw_.empty() ? 1 : limits::heal_attempts;
    contract.attempts_ = wishes.heal_attempts.value_or(usual);
    return contract;
}

std::string JsonContract::instruction() const {
    if (!in_words_) return {};
    constexpr std::string_view nothing_else = "nothing else: no explanation, no code fence.";
    if (schema_raw_.empty()) return fmt::format("Answer with one JSON value and {}", nothing_else);
    std::string text = fmt::format(
        "Answer with one JSON value that fits this JSON Schema, and {}\n", nothing_else);
    json::append_compact(text, schema_raw_);
    return text;
}

JsonContract::Verdict JsonContract::examine(std::string_view text_escaped,
                                            timeline::Finish finish) const {
    const bool cut_off =
        finish == timeline::Finish::length || finish == timeline::Finish::content_filter;
    const auto end = cut_off ? json::TextEnd::cut_off : json::TextEnd::own;
    const auto schema = json::read_tree(schema_raw_);
    Verdict first;
    for (std::string& found : json::find_json(json::unescaped(text_escaped), end)) {
        const auto value = json::read_tree(found);
        if (!value) continue;
        Verdict verdict;
        if (schema) verdict.problems = json::schema_problems(*schema, *value);
        verdict.json = std::move(found);
        if (verdict.good()) return verdict;
        if (first.good()) first = std::move(verdict);
    }
    if (first.good()) first.problems.emplace_back("it is not JSON");
    return first;
}

std::string JsonContract::correction(const std::vector<std::string>& problems) const {
    return fmt::format("Your answer can't be used, because of this:\n- {}\n"
                       "Answer again with the whole corrected JSON value and nothing else: no "
                       "explanation, no code fence.",
                       fmt::join(problems, "\n- "));
}

}  // namespace runnel::tools
