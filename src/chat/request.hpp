#pragma once

#include "base/header_field.hpp"

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// What any client asked, in no vendor's words. Long text stays where it came: views named
// `…_escaped` are JSON string bodies (between the quotes), views named `…_raw` are whole JSON
// values, and both lie in Request::body or Request::kept, so they live as long as the Request.
// Short things (names, ids) are plain std::strings.
namespace runnel::chat {

// The API that a request was written in.
enum class Api { chat_completions, messages, responses, gemini, completions, ollama };
std::string_view name_of(Api api);

// What only the request's own API has a word for, as the client wrote it. It goes on to providers
// that speak that API, and to nobody else.
struct Extra {
    std::string_view name;  // plain
    std::string_view raw;
};
using Extras = std::vector<Extra>;

// The value of that extra; empty: there is none.
std::string_view find(const Extras& extras, std::string_view name);

// A yes or no that may also be left to others.
enum class Wish { unsaid, no, yes };

// A number as the client wrote it, so that it goes on digit by digit.
struct Number {
    std::string_view raw;
    double value = 0;
};

// The prompt up to here is worth keeping in the provider's cache.
struct CacheMark {
    std::string_view ttl_escaped{};  // "5m", "1h"; empty: the provider's own
};

// --- What messages are made of

struct Text {
    std::string_view text_escaped{};
};

struct Refusal {
    std::string_view text_escaped{};
};

// Where bytes that are no text are found: one of these.
struct Source {
    std::string_view data_escaped{};        // base64
    std::string_view media_type_escaped{};  // of the data, or what the address leads to
    std::string_view url_escaped{};         // https:, gs:, or a data: URL of an unusual form
    std::string_view file_id_escaped{};     // a file that the provider has

    bool empty() const {
        return data_escaped.empty() && url_escaped.empty() && file_id_escaped.empty();
    }
};

// A data: URL with a media type and base64 becomes that; any other URL stays one.
Source source_of_url(std::string_view url_escaped);
// As a URL (data: where the bytes are here), appended to `out`.
void append_url(std::string& out, const Source& source);

struct Image {
    Source source{};
    std::string_view detail_escaped{};  // low, high, auto
};

struct Audio {
    Source source{};
    std::string_view format_escaped{};  // wav, mp3
};

struct Video {
    Source source{};
};

// A document: pages, or plain text.
struct File {
    Source source{};
    std::string_view text_escaped{};  // where it is plain text
    std::string_view filename_escaped{};
    std::string_view context_escaped{};  // what the client says of it
    Wish citations = Wish::unsaid;
};

// What a model thought in an earlier turn. Signatures and encrypted thinking are for whoever made
// them.
struct Reasoning {
    std::string_view text_escaped{};       // the thinking, or its summary
    std::string_view signature_escaped{};  // the issuer's proof that it is its own
    std::string_view encrypted_escaped{};  // thinking that only the issuer can read
    std::string id{};                      // the issuer's, where it has one
    std::string issuer{};                  // "kind" or "kind/model"; empty: nobody knows

    bool is_signed() const { return !signature_escaped.empty() || !encrypted_escaped.empty(); }
};

// What a provider said beside a call and wants back with its result, where this gateway kept it.
struct ProviderState {
    std::string owner;  // who may get it back: "kind/model"
    std::string raw;    // that provider's own JSON
};

struct ToolCall {
    enum class Kind { function, custom } kind = Kind::function;
    std::string id{};
    std::string name{};
    // A function's arguments, in one of two forms: JSON text inside a JSON string, which may be
    // empty, or a JSON value. A custom tool's input is plain text, escaped.
    std::string_view arguments_escaped{};
    std::string_view arguments_raw{};
    std::string_view signature_escaped{};  // Gemini signs its calls
    std::optional<ProviderState> state{};
};

// Something that only the request's own API knows.
struct Other {
    std::string type{};
    std::string_view raw{};  // the part as it was sent
};

struct Part {
    using Content =
        std::variant<Text, Refusal, Image, Audio, Video, File, Reasoning, ToolCall, Other>;

    Content content{};
    std::optional<CacheMark> cache{};
    Extras extras{};

    template <class T>
    const T* as() const {
        return std::get_if<T>(&content);
    }
    template <class T>
    T* as() {
        return std::get_if<T>(&content);
    }
    template <class T>
    bool is() const {
        return std::holds_alternative<T>(content);
    }
    // What a text or a refusal says, escaped; nothing for parts that are no words.
    std::optional<std::string_view> words() const;
};

enum class Role { system, developer, user, assistant, tool };

struct Message {
    Role role = Role::user;
    // In the order they were said; null or absent content is none. Only the assistant thinks and
    // calls tools.
    std::vector<Part> parts{};
    enum class Form { parts, string } form = Form::parts;  // how the client wrote its content
    std::string tool_call_id{};                            // tool: the call that it answers
    Wish failed = Wish::unsaid;                            // tool: whether the call did
    std::string name{};
    std::optional<CacheMark> cache{};  // at its end
    Extras extras{};
    std::size_t number = 0;  // among the client's messages, from 1; 0: the gateway added it

    bool has_calls() const;
    // Calls `use` with each tool call, in order.
    template <class Use>
    void for_each_call(Use use) const {
        for (const Part& part : parts)
            if (const ToolCall* call = part.as<ToolCall>()) use(*call);
    }
    template <class Use>
    void for_each_call(Use use) {
        for (Part& part : parts)
            if (ToolCall* call = part.as<ToolCall>()) use(*call);
    }
};

// --- What the model may use and is asked for

struct Tool {
    // `provider`: a tool that the provider runs itself, such as a search of the web.
    enum class Kind { function, custom, provider } kind = Kind::function;
    std::string name{};
    std::string type{};  // provider: the API's word for it
    std::string_view description_escaped{};
    std::string_view parameters_raw{};  // function: a JSON Schema; empty: takes nothing
    std::string_view format_raw{};      // custom: the grammar of its input; empty: any text
    std::optional<bool> strict{};
    std::optional<CacheMark> cache{};
    Extras extras{};
    std::string_view raw{};  // provider: the tool as it was sent
};

struct ToolChoice {
    enum class Kind { absent, none, automatic, required, named, allowed };
    Kind kind = Kind::absent;
    std::string name{};                  // named
    std::vector<std::string> allowed{};  // allowed
    enum class Mode { automatic, required } allowed_mode = Mode::automatic;
};

struct OutputFormat {
    enum class Kind { unsaid, text, json_object, json_schema };
    Kind kind = Kind::unsaid;
    std::string name{};
    std::string_view description_escaped{};
    std::string_view schema_raw{};
    std::optional<bool> strict{};

    bool is_json() const { return kind == Kind::json_object || kind == Kind::json_schema; }
};

enum class Effort { none, minimal, low, medium, high, xhigh, max };

struct ReasoningWish {
    std::optional<Effort> effort{};
    std::optional<std::int64_t> budget_tokens{};
    enum class Show { yes, no } show = Show::yes;
    std::string summary{};           // auto, concise, detailed; empty: not asked for
    bool effort_is_implied = false;  // by a switch that says only that it should think, or not
};

struct Sampling {
    std::optional<Number> temperature{}, top_p{}, top_k{}, min_p{};
    std::optional<Number> presence_penalty{}, frequency_penalty{}, seed{};
    std::vector<std::string> stop{};
    std::string_view logit_bias_raw{};
    Wish logprobs = Wish::unsaid;
    std::optional<std::int64_t> top_logprobs{};
};

// What the client asked of the gateway itself; it never goes upstream.
struct GatewayWishes {
    std::string dialect{};  // stream_dialect
    Wish echo_model = Wish::unsaid;
    Wish strict_model = Wish::unsaid;     // rather refuse than let another model stand in
    std::vector<std::string> fallback{};  // models to ask after the model's own targets
    std::optional<int> retries{};
    std::optional<std::chrono::milliseconds> timeout{};  // for the whole request
    // How tools that the gateway runs show in its stream, each in one dialect.
    enum class ToolEvents { hidden, comments } tool_events = ToolEvents::hidden;
    Wish servertool_results = Wish::unsaid;
    enum class Hold { brief, round } hold = Hold::brief;
    Wish json_only = Wish::unsaid;
    std::string_view response_schema_raw{};
    std::optional<int> heal_attempts{};  // how often an answer that does not fit may be asked for
    std::vector<std::string> builtin_tools{};  // tools of the gateway's, besides the model's
    // Whether the model is asked why it calls them.
    Wish tool_invocation_explanations = Wish::unsaid;
    std::vector<std::string> guardrails{};
};

enum class Streaming { no, yes };

// A conversation that is kept here between requests, where an API knows such a thing.
struct KeptConversation {
    bool keep = false;                      // the answer to this request, too
    std::string id{};                       // that this request is a turn of; empty: none
    std::string previous{};                 // the answer that it goes on from; empty: none
    std::vector<std::string> references{};  // items of it that are named and not sent again
    bool in_background = false;             // the answer needs no client to wait for it
    std::size_t earlier_place = 0;          // before which message what was said until then belongs
    std::string_view input_raw{};           // what this request adds to it, in its API's words
};

struct Request {
    Api api = Api::chat_completions;
    std::string model{};
    std::optional<Streaming> streaming{};
    Wish include_usage = Wish::unsaid;
    std::optional<std::int64_t> n{};  // answers; 1 where it is unsaid
    std::vector<Message> messages{};
    std::vector<Tool> tools{};
    ToolChoice tool_choice{};
    std::optional<bool> parallel_tool_calls{};
    OutputFormat output{};
    std::string verbosity{};  // low, medium, high
    std::optional<std::int64_t> max_tokens{};
    Sampling sampling{};
    ReasoningWish reasoning{};
    std::string user{};
    std::string safety_identifier{};
    std::string_view metadata_raw{};  // an object of strings
    std::string session{};            // requests with the same one share a prompt: prompt_cache_key
    std::string service_tier{};
    std::optional<CacheMark> cache{};  // of the whole request
    GatewayWishes gateway{};
    KeptConversation conversation{};
    Extras extras{};
    // Headers that only the request's own API knows; they go on as its extras do. Names are in
    // lower case.
    std::vector<HeaderField> headers{};
    // The names of its top-level fields, for those who may not use all of them.
    std::vector<std::string_view> field_names{};

    // The client's bytes, and text made later (a virtual model's system text, tool results).
    std::unique_ptr<std::string> body{};
    std::list<std::string> kept{};
    std::string_view keep(std::string text) { return kept.emplace_back(std::move(text)); }

    bool streams() const { return streaming == Streaming::yes; }
    std::int64_t choices() const { return n.value_or(1); }
    // Who asks, as far as the client says it.
    const std::string& end_user() const {
        return safety_identifier.empty() ? user : safety_identifier;
    }
};

// Fills in what the client left unsaid. Views of `defaults` are copied, so it must outlive the
// request; its messages and model are not looked at.
void apply_defaults(const Request& defaults, Request* request);

std::string_view name_of(Role role);
std::string_view name_of(Effort effort);
std::optional<Effort> effort_named(std::string_view name);
// What an effort comes to where thinking is counted in tokens.
std::int64_t thinking_tokens(Effort effort);
// The other way round.
Effort effort_for(std::int64_t thinking_tokens);

}  // namespace runnel::chat
