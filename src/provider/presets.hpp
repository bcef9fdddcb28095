#pragma once

#include "chat/request.hpp"
#include "operation/embedding.hpp"
#include "provider/core/tool_names.hpp"
#include "provider/core/turn.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

// The OpenAI-compatible family: one wire format, one row of facts per provider. A new member is one
// row in presets.cpp.
namespace runnel::provider {

using Names = std::span<const std::string_view>;

// A field that goes by another name there.
struct Rename {
    std::string_view from;
    std::string_view to;
};

// A field that every request has, unless the client sets it.
struct Added {
    std::string_view name;
    std::string_view raw;
};

// Fields that models with this prefix refuse, always or only when the request asks for reasoning.
// The first rule whose prefix fits a model counts.
struct ModelRule {
    std::string_view prefix;
    Names dropped;
    enum class Thinking { any, asked_for } when = Thinking::any;
};

// What models with this prefix call each chat::Effort; an empty word is not sent.
struct EffortRule {
    std::string_view prefix;
    std::array<std::string_view, 7> words;  // none, minimal, low, medium, high, xhigh, max
};

// What becomes of the reasoning that an assistant message in the history carries.
enum class ReasoningReplay {
    strip,                  // the provider refuses or ignores it
    as_sent,                // whatever the client sent
    content_on_all_turns,   // reasoning_content on each assistant message, "" where it was lost
    content_on_tool_turns,  // reasoning_content beside tool calls, " " where it was lost
    details,                // reasoning_details, as the provider gave them
};

struct RequestQuirks {
    enum class Developer { keep, as_system } developer = Developer::as_system;
    std::string_view max_tokens_field = "max_tokens";
    enum class UsageOption {
        ask,
        never
    } usage_option = UsageOption::ask;  // stream_options.include_usage
    Names dropped{};                    // top-level fields it refuses
    Names only{};                       // where not empty: all others are refused
    // Fields that it refuses too, and that only a client of chat completions is believed to mean:
    // those of other APIs have them in their own.
    Names foreign{};
    std::span<const Rename> renamed{};
    std::span<const ModelRule> model_rules{};
    std::span<const EffortRule> efforts{};  // the first whose prefix fits the model
    // Where a wish for reasoning goes: reasoning_effort alone; that beside the client's own
    // `thinking`; OpenRouter's `reasoning` object.
    enum class ReasoningField { effort, thinking, openrouter } reasoning = ReasoningField::effort;
    std::span<const Added> added{};
    std::string_view required_tool_word = "required";
    // A model that thinks refuses to be forced to call a tool: thinking is switched off for it,
    // unless it was asked for.
    enum class ForcedTools {
        while_thinking,
        without_thinking
    } forced_tools = ForcedTools::while_thinking;
    enum class AllowedTools { native, filter } allowed_tools = AllowedTools::filter;
    enum class MessageNames { keep, drop, on_tools } message_names = MessageNames::keep;
    enum class Content { as_sent, text_as_string } content = Content::as_sent;
    enum class CacheControl { strip, keep } cache_control = CacheControl::strip;
    enum class Files { as_sent, document_url } files = Files::as_sent;
    enum class ToolIds { as_sent, nine_characters } tool_ids = ToolIds::as_sent;
    enum class AfterTool { anyone, assistant } after_tool = AfterTool::anyone;
    enum class Prefill {
        plain,
        marked
    } prefill = Prefill::plain;  // a last assistant message: prefix:true
    enum class JsonSchema { native, instructed } json_schema = JsonSchema::native;
    enum class Choices { many, one } choices = Choices::many;
    ReasoningReplay replay = ReasoningReplay::strip;
    ToolNameRule tool_names{};
    enum class Schemas { as_sent, moonshot } schemas = Schemas::as_sent;
};

// What it calls a purpose of embeddings.
struct PurposeWord {
    operation::EmbeddingPurpose purpose;
    std::string_view word;
};

// How it gives embeddings, if it does.
struct EmbeddingQuirks {
    static constexpr std::size_t inputs_in_numbers = 512;  // whose answer is not too large
    std::size_t inputs = 0;        // that it takes at once; 0: it has no embeddings
    std::size_t tokens = 250'000;  // estimated, of all of them
    enum class Base64 { no, yes } base64 = Base64::no;
    enum class User { drop, keep } user = User::drop;
    std::string_view dimensions_field = "dimensions";
    std::string_view purpose_field{};
    std::span<const PurposeWord> purposes{};
};

struct Preset {
    std::string_view kind;
    std::string_view display_name;
    std::string_view base_url;                                // empty: the config must say
    std::string_view key_variable;                            // empty: usually runs without a key
    enum class Auth { bearer, api_key } auth = Auth::bearer;  // the header that holds the key
    enum class Address { plain, azure } address = Address::plain;
    Names aliases{};
    Names model_prefixes{};  // bare model names it claims
    Names models{};          // well-known ones, for listing
    TurnOptions::ThinkTags think_tags =
        TurnOptions::ThinkTags::text;  // <think> at the head of content
    RequestQuirks request{};
    EmbeddingQuirks embeddings{};
};

std::span<const Preset> presets();

// By kind or alias; null when the family has no such member.
const Preset* find_preset(std::string_view kind);

}  // namespace runnel::provider
