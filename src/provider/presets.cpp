#include "provider/presets.hpp"

#include <algorithm>

namespace runnel::provider {
namespace {

using Q = RequestQuirks;
using N = std::string_view;

// Reasoning efforts, in the order none, minimal, low, medium, high, xhigh, max.
constexpr std::array<N, 7> every_effort{"none", "minimal", "low", "medium", "high", "xhigh", "max"};
constexpr std::array<N, 7> three_efforts{"low", "low", "low", "medium", "high", "high", "high"};
constexpr std::array<N, 7> four_efforts{"none", "low", "low", "medium", "high", "high", "high"};

constexpr EffortRule any_effort[]{{"", every_effort}};

// OpenAI and Azure.
constexpr N openai_prefixes[]{
    "gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-3", "text-embedding-ada"};
constexpr N openai_models[]{"gpt-5.5",    "gpt-5.4",     "gpt-5.2", "gpt-5",
                            "gpt-5-mini", "gpt-5-nano",  "gpt-4.1", "gpt-4.1-mini",
                            "gpt-4o",     "gpt-4o-mini", "o3",      "o4-mini"};
constexpr N sampling[]{"temperature", "top_p",    "presence_penalty", "frequency_penalty",
                       "logit_bias",  "logprobs", "top_logprobs"};
constexpr N sampling_and_stop[]{"temperature", "top_p",    "presence_penalty", "frequency_penalty",
                                "logit_bias",  "logprobs", "top_logprobs",     "stop"};
constexpr N openai_foreign[]{"top_k", "min_p"};
constexpr ModelRule openai_rules[]{
    {"gpt-5-chat", {}},        {"gpt-5.", sampling, ModelRule::Thinking::asked_for},
    {"gpt-5", sampling},       {"o1", sampling_and_stop},
    {"o3", sampling_and_stop}, {"o4", sampling_and_stop},
};

// xAI.
constexpr N xai_prefixes[]{"grok-"};
constexpr N xai_models[]{"grok-4.3", "grok-4-fast-reasoning", "grok-4-1-fast-non-reasoning",
                         "grok-code-fast-1", "grok-3-mini"};
constexpr N xai_dropped[]{"presence_penalty", "frequency_penalty", "stop", "top_k"};
constexpr EffortRule xai_efforts[]{{"grok-3-mini", three_efforts}, {"grok-4.", four_efforts}};

// DeepSeek.
constexpr N deepseek_prefixes[]{"deepseek-"};
constexpr N deepseek_models[]{"deepseek-v4-flash", "deepseek-v4-pro", "deepseek-chat",
                              "deepseek-reasoner"};
constexpr N deepseek_dropped[]{"seed"};
constexpr EffortRule deepseek_efforts[]{{"", {"", "low", "low", "high", "high", "high", "max"}}};

// Mistral answers 422 to a field it does not know.
constexpr N mistral_prefixes[]{"mistral-",   "magistral-",    "codestral-",
                               "ministral-", "devstral-",     "pixtral-",
                               "voxtral-",   "open-mistral-", "open-mixtral-"};
constexpr N mistral_models[]{"mistral-large-latest", "mistral-medium-latest",
                             "mistral-small-latest", "magistral-medium-latest",
                             "codestral-latest",     "ministral-8b-latest"};
constexpr N mistral_fields[]{"model",
                             "messages",
                             "stream",
                             "temperature",
                             "top_p",
                             "max_tokens",
                             "stop",
                             "random_seed",
                             "response_format",
                             "tools",
                             "tool_choice",
                             "parallel_tool_calls",
                             "presence_penalty",
                             "frequency_penalty",
                             "n",
                             "prediction",
                             "prompt_mode",
                             "reasoning_effort",
                             "safe_prompt",
                             "document_image_limit",
                             "document_page_limit"};
constexpr Rename mistral_renamed[]{{"seed", "random_seed"}};
constexpr std::array<N, 7> none_or_high{"none", "high", "high", "high", "high", "high", "high"};
constexpr EffortRule mistral_efforts[]{{"mistral-small-latest", none_or_high},
                                       {"mistral-small-26", none_or_high},
                                       {"mistral-medium-latest", none_or_high},
                                       {"mistral-medium-3", none_or_high},
                                       {"mistral-medium-26", none_or_high}};

// Moonshot.
constexpr N moonshot_aliases[]{"kimi"};
constexpr N moonshot_prefixes[]{"kimi-", "moonshot-"};
constexpr N moonshot_models[]{"kimi-k3", "kimi-k2.7-code", "kimi-k2.6", "kimi-k2.5"};
constexpr N moonshot_dropped[]{"seed"};
constexpr N temperature[]{"temperature"};
constexpr ModelRule moonshot_rules[]{{"kimi-k2.", temperature}, {"kimi-k3", temperature}};
constexpr EffortRule moonshot_efforts[]{
    {"kimi-k3", {"", "low", "low", "high", "high", "max", "max"}}};

// MiniMax.
constexpr N minimax_prefixes[]{"MiniMax-"};
constexpr N minimax_models[]{"MiniMax-M2.7", "MiniMax-M2.5", "MiniMax-M2"};
constexpr Added minimax_added[]{{"reasoning_split", "true"}};

// Groq.
constexpr N groq_models[]{"llama-3.3-70b-versatile", "llama-3.1-8b-instant",
                          "openai/gpt-oss-120b",     "openai/gpt-oss-20b",
                          "qwen/qwen3-32b",          "moonshotai/kimi-k2-instruct-0905"};
constexpr N groq_dropped[]{"logprobs", "top_logprobs", "logit_bias"};
constexpr EffortRule groq_efforts[]{
    {"openai/gpt-oss", three_efforts},
    {"qwen/qwen3", {"none", "default", "default", "default", "default", "default", "default"}}};

// Together and Fireworks.
constexpr N together_models[]{"meta-llama/Llama-3.3-70B-Instruct-Turbo", "openai/gpt-oss-120b",
                              "deepseek-ai/DeepSeek-V3.1",
                              "Qwen/Qwen3-235B-A22B-Instruct-2507-tput"};
constexpr EffortRule gpt_oss_efforts[]{{"openai/gpt-oss", three_efforts}};
constexpr N fireworks_models[]{"accounts/fireworks/models/gpt-oss-120b",
                               "accounts/fireworks/models/gpt-oss-20b",
                               "accounts/fireworks/models/kimi-k2-instruct-0905"};
constexpr EffortRule fireworks_efforts[]{{"", four_efforts}};

// OpenRouter.
constexpr N openrouter_models[]{"openai/gpt-5-mini",       "anthropic/claude-haiku-4.5",
                                "google/gemini-2.5-flash", "x-ai/grok-4.1-fast",
                                "moonshotai/kimi-k2.5",    "deepseek/deepseek-chat"};
// By these it would be asked for other models than the one that is allowed, limited and priced.
constexpr N openrouter_dropped[]{"models", "route", "preset"};

// Perplexity.
constexpr N perplexity_prefixes[]{"sonar"};
constexpr N perplexity_models[]{"sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"};
constexpr N perplexity_dropped[]{"seed", "logit_bias", "parallel_tool_calls"};
constexpr EffortRule perplexity_efforts[]{{"sonar-reasoning", three_efforts},
                                          {"sonar-deep-research", three_efforts}};

// Cerebras.
constexpr N cerebras_models[]{"gpt-oss-120b", "zai-glm-4.7", "qwen-3-235b-a22b-instruct-2507"};
constexpr N cerebras_dropped[]{"presence_penalty", "frequency_penalty", "logit_bias",
                               "service_tier"};
constexpr EffortRule cerebras_efforts[]{{"gpt-oss", three_efforts}};

// Self-hosted.
constexpr N llamacpp_aliases[]{"llama.cpp", "llama-cpp"};
constexpr N lmstudio_aliases[]{"lm-studio"};

// Embeddings: OpenAI takes 2,048 inputs of 300,000 tokens together; who runs a server of their own
// says what that takes.
using E = EmbeddingQuirks;
using Purpose = operation::EmbeddingPurpose;
constexpr E openai_embeddings{.inputs = 2048, .base64 = E::Base64::yes, .user = E::User::keep};
constexpr E served_embeddings{.inputs = 2048, .base64 = E::Base64::yes};
constexpr E plain_embeddings{.inputs = E::inputs_in_numbers};
constexpr E mistral_embeddings{
    .inputs = E::inputs_in_numbers, .tokens = 16'000, .dimensions_field = "output_dimension"};
constexpr PurposeWord jina_purposes[]{{Purpose::query, "retrieval.query"},
                                      {Purpose::document, "retrieval.passage"},
                                      {Purpose::question_answering, "retrieval.query"},
                                      {Purpose::fact_verification, "retrieval.query"},
                                      {Purpose::similarity, "text-matching"},
                                      {Purpose::classification, "classification"},
                                      {Purpose::clustering, "separation"},
                                      {Purpose::code_query, "code.query"}};
constexpr PurposeWord voyage_purposes[]{{Purpose::query, "query"},
                                        {Purpose::question_answering, "query"},
                                        {Purpose::fact_verification, "query"},
                                        {Purpose::code_query, "query"},
                                        {Purpose::document, "document"}};
constexpr E jina_embeddings{
    .inputs = E::inputs_in_numbers, .purpose_field = "task", .purposes = jina_purposes};
constexpr E voyage_embeddings{.inputs = 1000,
                              .tokens = 100'000,
                              .base64 = E::Base64::yes,
                              .dimensions_field = "output_dimension",
                              .purpose_field = "input_type",
                              .purposes = voyage_purposes};
constexpr N jina_prefixes[]{"jina-"};
constexpr N voyage_prefixes[]{"voyage-"};

constexpr Preset all_presets[]{
    {.kind = "azure",
     .display_name = "Azure OpenAI",
     .base_url = "",
     .key_variable = "AZURE_OPENAI_API_KEY",
     .auth = Preset::Auth::api_key,
     .address = Preset::Address::azure,
     .think_tags = TurnOptions::ThinkTags::reasoning,  // DeepSeek-R1 and MAI run there too
     .request = {.developer = Q::Developer::keep,
                 .max_tokens_field = "max_completion_tokens",
                 .foreign = openai_foreign,
                 .model_rules = openai_rules,
                 .efforts = any_effort,
                 .allowed_tools = Q::AllowedTools::native},
     .embeddings = openai_embeddings},
    {.kind = "cerebras",
     .display_name = "Cerebras",
     .base_url = "https://api.cerebras.ai/v1",
     .key_variable = "CEREBRAS_API_KEY",
     .models = cerebras_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.max_tokens_field = "max_completion_tokens",
                 .dropped = cerebras_dropped,
                 .efforts = cerebras_efforts}},
    {.kind = "deepseek",
     .display_name = "DeepSeek",
     .base_url = "https://api.deepseek.com",
     .key_variable = "DEEPSEEK_API_KEY",
     .model_prefixes = deepseek_prefixes,
     .models = deepseek_models,
     .request = {.dropped = deepseek_dropped,
                 .efforts = deepseek_efforts,
                 .reasoning = Q::ReasoningField::thinking,
                 .forced_tools = Q::ForcedTools::without_thinking,
                 .content = Q::Content::text_as_string,
                 .json_schema = Q::JsonSchema::instructed,
                 .choices = Q::Choices::one,
                 .replay = ReasoningReplay::content_on_all_turns}},
    {.kind = "fireworks",
     .display_name = "Fireworks",
     .base_url = "https://api.fireworks.ai/inference/v1",
     .key_variable = "FIREWORKS_API_KEY",
     .models = fireworks_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.efforts = fireworks_efforts,
                 .required_tool_word = "any",
                 .replay = ReasoningReplay::as_sent},
     .embeddings = plain_embeddings},
    {.kind = "groq",
     .display_name = "Groq",
     .base_url = "https://api.groq.com/openai/v1",
     .key_variable = "GROQ_API_KEY",
     .models = groq_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.max_tokens_field = "max_completion_tokens",
                 .dropped = groq_dropped,
                 .efforts = groq_efforts,
                 .message_names = Q::MessageNames::drop,
                 .choices = Q::Choices::one}},
    {.kind = "jina",
     .display_name = "Jina",
     .base_url = "https://api.jina.ai/v1",
     .key_variable = "JINA_API_KEY",
     .model_prefixes = jina_prefixes,
     .embeddings = jina_embeddings},
    {.kind = "llamacpp",
     .display_name = "llama.cpp",
     .base_url = "http://127.0.0.1:8080/v1",
     .key_variable = "",
     .aliases = llamacpp_aliases,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.efforts = any_effort,
                 .reasoning = Q::ReasoningField::thinking,
                 .replay = ReasoningReplay::as_sent,
                 .tool_names = any_tool_name},
     .embeddings = served_embeddings},
    {.kind = "lmstudio",
     .display_name = "LM Studio",
     .base_url = "http://127.0.0.1:1234/v1",
     .key_variable = "",
     .aliases = lmstudio_aliases,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.efforts = any_effort,
                 .reasoning = Q::ReasoningField::thinking,
                 .replay = ReasoningReplay::as_sent,
                 .tool_names = any_tool_name},
     .embeddings = plain_embeddings},
    {.kind = "minimax",
     .display_name = "MiniMax",
     .base_url = "https://api.minimax.io/v1",
     .key_variable = "MINIMAX_API_KEY",
     .model_prefixes = minimax_prefixes,
     .models = minimax_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.added = minimax_added,
                 .cache_control = Q::CacheControl::keep,
                 .replay = ReasoningReplay::details}},
    {.kind = "mistral",
     .display_name = "Mistral",
     .base_url = "https://api.mistral.ai/v1",
     .key_variable = "MISTRAL_API_KEY",
     .model_prefixes = mistral_prefixes,
     .models = mistral_models,
     .request = {.usage_option = Q::UsageOption::never,  // it tells without being asked
                 .only = mistral_fields,
                 .renamed = mistral_renamed,
                 .efforts = mistral_efforts,
                 .required_tool_word = "any",
                 .message_names = Q::MessageNames::on_tools,
                 .files = Q::Files::document_url,
                 .tool_ids = Q::ToolIds::nine_characters,
                 .after_tool = Q::AfterTool::assistant,
                 .prefill = Q::Prefill::marked},
     .embeddings = mistral_embeddings},
    {.kind = "moonshot",
     .display_name = "Moonshot",
     .base_url = "https://api.moonshot.ai/v1",
     .key_variable = "MOONSHOT_API_KEY",
     .aliases = moonshot_aliases,
     .model_prefixes = moonshot_prefixes,
     .models = moonshot_models,
     .request = {.dropped = moonshot_dropped,
                 .model_rules = moonshot_rules,
                 .efforts = moonshot_efforts,
                 .reasoning = Q::ReasoningField::thinking,
                 .content = Q::Content::text_as_string,
                 .replay = ReasoningReplay::content_on_tool_turns,
                 .tool_names = {.first = ToolNameRule::First::letter},
                 .schemas = Q::Schemas::moonshot}},
    {.kind = "openai",
     .display_name = "OpenAI",
     .base_url = "https://api.openai.com/v1",
     .key_variable = "OPENAI_API_KEY",
     .model_prefixes = openai_prefixes,
     .models = openai_models,
     .request = {.developer = Q::Developer::keep,
                 .max_tokens_field = "max_completion_tokens",
                 .foreign = openai_foreign,
                 .model_rules = openai_rules,
                 .efforts = any_effort,
                 .allowed_tools = Q::AllowedTools::native},
     .embeddings = openai_embeddings},
    {.kind = "openai-compatible",
     .display_name = "The provider",
     .base_url = "",
     .key_variable = "",
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.efforts = any_effort,
                 .reasoning = Q::ReasoningField::thinking,
                 .replay = ReasoningReplay::as_sent,
                 .tool_names = any_tool_name},
     .embeddings = served_embeddings},
    {.kind = "openrouter",
     .display_name = "OpenRouter",
     .base_url = "https://openrouter.ai/api/v1",
     .key_variable = "OPENROUTER_API_KEY",
     .models = openrouter_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.developer = Q::Developer::keep,
                 .dropped = openrouter_dropped,
                 .reasoning = Q::ReasoningField::openrouter,
                 .cache_control = Q::CacheControl::keep,
                 .replay = ReasoningReplay::details},
     .embeddings = served_embeddings},
    {.kind = "perplexity",
     .display_name = "Perplexity",
     .base_url = "https://api.perplexity.ai",
     .key_variable = "PERPLEXITY_API_KEY",
     .model_prefixes = perplexity_prefixes,
     .models = perplexity_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.usage_option = Q::UsageOption::never,  // it tells on every chunk
                 .dropped = perplexity_dropped,
                 .efforts = perplexity_efforts,
                 .choices = Q::Choices::one}},
    {.kind = "together",
     .display_name = "Together",
     .base_url = "https://api.together.xyz/v1",
     .key_variable = "TOGETHER_API_KEY",
     .models = together_models,
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.efforts = gpt_oss_efforts, .replay = ReasoningReplay::as_sent},
     .embeddings = plain_embeddings},
    {.kind = "vllm",
     .display_name = "vLLM",
     .base_url = "http://127.0.0.1:8000/v1",
     .key_variable = "",
     .think_tags = TurnOptions::ThinkTags::reasoning,
     .request = {.efforts = any_effort,
                 .reasoning = Q::ReasoningField::thinking,
                 .replay = ReasoningReplay::as_sent,
                 .tool_names = any_tool_name},
     .embeddings = served_embeddings},
    {.kind = "voyage",
     .display_name = "Voyage",
     .base_url = "https://api.voyageai.com/v1",
     .key_variable = "VOYAGE_API_KEY",
     .model_prefixes = voyage_prefixes,
     .embeddings = voyage_embeddings},
    {.kind = "xai",
     .display_name = "xAI",
     .base_url = "https://api.x.ai/v1",
     .key_variable = "XAI_API_KEY",
     .model_prefixes = xai_prefixes,
     .models = xai_models,
     .request = {.max_tokens_field = "max_completion_tokens",
                 .dropped = xai_dropped,
                 .efforts = xai_efforts}},
};

}  // namespace

std::span<const Preset> presets() { return all_presets; }

const Preset* find_preset(std::string_view kind) {
    const auto found = std::ranges::find_if(all_presets, [&](const Preset& row) {
        return row.kind == kind || std::ranges::find(row.aliases, kind) != row.aliases.end();
    });
    return found == std::end(all_presets) ? nullptr : found;
}

}  // namespace runnel::provider
