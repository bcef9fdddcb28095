#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What any client asked, in no vendor's words. Long text stays where it came: views named
// `…_escaped` are JSON string bodies (between the quotes), views named `…_raw` are whole JSON
// values, and both lie in Request::body or Request::kept, so they live as long as the Request.
// Short things (names, ids) are plain std::strings.
namespace runnel::chat {

enum class Role { system, developer, user, assistant, tool };

// A number as the client wrote it, so that it goes on digit by digit.
struct Number {
    std::string_view raw;
    double value = 0;
};

struct Part {
    enum class Kind { text, refusal, image, audio, file, other };
    Kind kind = Kind::other;
    std::string_view text_escaped{};      // text, refusal
    std::string_view url_escaped{};       // image: https URL or data: URL
    std::string_view detail_escaped{};    // image
    std::string_view data_escaped{};      // audio: base64; file: file_data (a data: URL)
    std::string_view format_escaped{};    // audio: wav, mp3
    std::string_view file_id_escaped{};   // file
    std::string_view filename_escaped{};  // file
    std::string_view cache_control_raw{};
    std::string_view raw{};  // the part as the client sent it; empty for string content
};

struct ToolCall {
    std::string id;
    std::string name;
    std::string_view arguments_escaped{};  // JSON text inside a JSON string; may be empty
    std::string_view extra_content_raw{};  // Google's own carrier of thought signatures
};

// What a provider said alongside its tool calls and wants back with their results (see
// timeline::ProviderState).
struct KeptState {
    std::string owner;  // who may get it back: "kind/model"
    std::string raw;    // that provider's own JSON
};

struct Message {
    Role role = Role::user;
    std::vector<Part> parts{};  // string content is one text part; null or absent content none
    std::vector<ToolCall> tool_calls{};
    std::string tool_call_id{};
    std::string name{};
    std::string_view reasoning_escaped{};      // reasoning_content or reasoning
    std::string_view reasoning_details_raw{};  // OpenRouter's carrier
    std::string_view thinking_blocks_raw{};    // LiteLLM's carrier: Anthropic blocks verbatim
    std::string_view cache_control_raw{};
    std::vector<KeptState> kept_state{};  // parallel to tool_calls where it was found; else empty
    std::string_view raw{};   // the message as the client sent it, with old ways made new
    std::string_view sent{};  // its very bytes; empty: it is not the client's
};

struct Tool {
    enum class Kind { function, custom };
    Kind kind = Kind::function;
    std::string name;
    std::string_view description_escaped{};
    std::string_view parameters_raw{};  // JSON Schema; empty: takes nothing
    std::optional<bool> strict{};
    std::string_view cache_control_raw{};
    std::string_view raw{};
};

struct ToolChoice {
    enum class Kind { absent, none, automatic, required, named, allowed };
    Kind kind = Kind::absent;
    std::string name{};                  // named
    std::vector<std::string> allowed{};  // allowed
    enum class Mode { automatic, required } allowed_mode = Mode::automatic;
};

struct OutputFormat {
    enum class Kind { text, json_object, json_schema };
    Kind kind = Kind::text;
    std::string name{};
    std::string_view description_escaped{};
    std::string_view schema_raw{};
    std::optional<bool> strict{};
};

enum class Effort { none, minimal, low, medium, high, xhigh, max };

struct ReasoningWish {
    std::optional<Effort> effort{};
    std::optional<std::int64_t> budget_tokens{};
    enum class Show { yes, no } show = Show::yes;
};

struct Sampling {
    std::optional<Number> temperature{}, top_p{}, top_k{}, min_p{};
    std::optional<Number> presence_penalty{}, frequency_penalty{}, seed{};
    std::vector<std::string> stop{};
    std::string_view logit_bias_raw{};
    bool logprobs = false;
    std::optional<std::int64_t> top_logprobs{};
};

// A top-level field of the client's JSON object.
struct Field {
    std::string name;
    std::string_view raw;
};

// What the client asked of the gateway itself; removed before the request goes on.
struct GatewayWishes {
    std::string dialect{};  // stream_dialect
    bool echo_model = false;
    bool strict_model = false;            // rather refuse than let another model stand in
    std::vector<std::string> fallback{};  // models to ask after the model's own targets
    std::optional<int> retries{};
    std::optional<std::chrono::milliseconds> timeout{};  // for the whole request
    // How tools that the gateway runs show in its stream, each in one dialect.
    enum class ToolEvents { hidden, comments } tool_events = ToolEvents::hidden;
    bool servertool_results = false;
    enum class Hold { brief, round } hold = Hold::brief;
    bool json_only = false;
    std::string_view response_schema_raw{};
    std::optional<int> heal_attempts{};  // how often an answer that does not fit may be asked for
    std::vector<std::string> builtin_tools{};   // tools of the gateway's, besides the model's
    bool tool_invocation_explanations = false;  // whether the model is asked why it calls them
    std::vector<std::string> guardrails{};
};

enum class Streaming { no, yes };

struct Request {
    std::string model{};
    Streaming streaming = Streaming::no;
    bool include_usage = false;
    std::int64_t n = 1;
    std::vector<Message> messages{};
    std::vector<Tool> tools{};
    ToolChoice tool_choice{};
    std::optional<bool> parallel_tool_calls{};
    OutputFormat output{};
    std::optional<std::int64_t> max_tokens{};
    Sampling sampling{};
    ReasoningWish reasoning{};
    std::string user{};  // user or safety_identifier
    GatewayWishes gateway{};
    // Every top-level field, known or not, in the client's order: OpenAI-compatible targets get
    // them on.
    std::vector<Field> fields{};

    // The client's bytes, and text made later (a virtual model's system text, tool results).
    std::unique_ptr<std::string> body{};
    std::list<std::string> kept{};
    std::string_view keep(std::string text) { return kept.emplace_back(std::move(text)); }

    bool has(std::string_view field) const;
};

// The names of the gateway's own body fields: they never go upstream.
bool is_gateway_field(std::string_view name);

std::string_view name_of(Role role);
std::string_view name_of(Effort effort);
std::optional<Effort> effort_named(std::string_view name);
// What an effort comes to where thinking is counted in tokens.
std::int64_t thinking_tokens(Effort effort);

}  // namespace runnel::chat
