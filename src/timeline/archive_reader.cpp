#include "base/limits.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "timeline/archive.hpp"
#include "timeline/archive_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace runnel::timeline {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = json::ondemand;

constexpr std::size_t depth_max = 8;
constexpr std::int64_t ms_max = 7 * 86'400'000;

std::optional<ErrorKind> error_named(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(ErrorKind::internal_error); ++i)
        if (name_of(static_cast<ErrorKind>(i)) == name) return static_cast<ErrorKind>(i);
    return std::nullopt;
}

std::optional<Finish> finish_named(std::string_view name) {
    for (const Finish finish :
         {Finish::stop, Finish::length, Finish::tool_calls, Finish::content_filter, Finish::pause})
        if (name_of(finish) == name) return finish;
    return std::nullopt;
}

// The members of one JSON object, in any order. The document was validated before.
class Members {
public:
    explicit Members(ondemand::object object) : object_(object) {}

    bool find(std::string_view name, ondemand::value& value) {
        return !object_.find_field_unordered(name).get(value);
    }
    bool has(std::string_view name) {
        ondemand::value value;
        return find(name, value);
    }
    std::optional<Members> object(std::string_view name) {
        ondemand::value value;
        ondemand::object found;
        if (!find(name, value) || value.get_object().get(found)) return std::nullopt;
        return Members(found);
    }
    std::optional<std::string_view> escaped(std::string_view name) {
        ondemand::value value;
        std::string_view text;
        if (!find(name, value) || !json::escaped_string(value, text)) return std::nullopt;
        return text;
    }
    std::optional<std::int64_t> number(std::string_view name) {
        ondemand::value value;
        std::int64_t number = 0;
        if (!find(name, value) || !json::integer(value, number)) return std::nullopt;
        return number;
    }
    std::optional<std::string> plain(std::string_view name) {
        const auto text = escaped(name);
        return text ? std::optional(json::unescaped(*text)) : std::nullopt;
    }

    // What stands there; empty where nothing does.
    std::string_view escaped_or_none(std::string_view name) {
        return escaped(name).value_or(std::string_view());
    }

private:
    ondemand::object object_;
};

// Makes events of JSON objects; the text of one is valid until the next.
class EventReader {
public:
    // Nothing where there is none.
    std::optional<Event> read(Members& members);

private:
    std::optional<Event> read_tool_call(Members& members, Choice choice);
    std::optional<Event> read_aside(Members& members, Choice choice);
    std::optional<Event> read_reasoning(Members& members, Choice choice);
    std::optional<Event> read_server_tool(Members members);
    std::optional<Event> read_citation(Members members, Choice choice);
    std::optional<Event> read_native(Members members, Choice choice);
    std::optional<Event> read_media(Members members, Choice choice);
    std::optional<Event> read_logprobs(Members& members, Choice choice);
    // Nothing where one of them can't be read.
    std::optional<std::span<const TokenLogprob>> read_tokens(ondemand::value tokens);
    std::optional<TokenLogprob> read_token(Members members);
    // A text that is handed on as JSON must be some.
    std::optional<std::string_view> raw(Members& members, std::string_view name);
    std::string_view plain(Members& members, std::string_view name);

    simdjson::dom::parser raw_parser_;
    std::list<std::string> texts_;
    std::list<std::vector<TokenLogprob>> tokens_;
};

std::string_view EventReader::plain(Members& members, std::string_view name) {
    auto text = members.plain(name);
    return text ? std::string_view(texts_.emplace_back(std::move(*text))) : std::string_view();
}

std::optional<std::string_view> EventReader::raw(Members& members, std::string_view name) {
    const std::string_view text = plain(members, name);
    if (text.empty() || raw_parser_.parse(text.data(), text.size()).error()) return std::nullopt;
    return text;
}

Usage read_usage(Members members) {
    Usage usage;
    usage.fresh_input = members.number("fresh_input").value_or(0);
    usage.cache_read = members.number("cache_read");
    usage.cache_write = members.number("cache_write");
    usage.output = members.number("output").value_or(0);
    usage.reasoning = members.number("reasoning");
    usage.audio_input = members.number("audio_input");
    usage.audio_output = members.number("audio_output");
    return usage;
}

std::optional<Event> read_error(Members members) {
    const auto kind = error_named(members.plain("kind").value_or(""));
    if (!kind) return std::nullopt;
    Error error{*kind, members.plain("message").value_or(""), members.plain("param").value_or("")};
    if (const auto ms = members.number("retry_after_ms"))
        error.retry_after = std::chrono::milliseconds(*ms);
    return Failed{std::move(error)};
}

std::optional<Event> EventReader::read(Members& members) {
    texts_.clear();
    tokens_.clear();
    const auto choice = members.number("choice").value_or(0);
    if (choice < 0 || choice >= static_cast<std::int64_t>(limits::choices)) return std::nullopt;
    const auto of = static_cast<Choice>(choice);
    if (const auto text = members.escaped("text")) return Text{of, *text};
    if (auto event = read_reasoning(members, of)) return event;
    if (const auto text = members.escaped("refusal")) return Refusal{of, *text};
    if (auto event = read_tool_call(members, of)) return event;
    if (auto event = read_aside(members, of)) return event;
    if (const auto usage = members.object("usage")) return UsageReported{read_usage(*usage)};
    if (const auto word = members.plain("finished")) {
        const auto finish = finish_named(*word);
        if (!finish) return std::nullopt;
        return Finished{of, *finish, plain(members, "native"),
                        members.escaped_or_none("stop_sequence")};
    }
    if (const auto error = members.object("failed")) return read_error(*error);
    if (members.has("item_ended")) return ItemEnded{of};
    if (members.has("started")) return Started{};
    if (members.has("ended")) return Ended{};
    return std::nullopt;
}

std::optional<Event> EventReader::read_tool_call(Members& members, Choice choice) {
    const auto index_of = [&](std::string_view name) -> std::optional<int> {
        const auto number = members.number(name);
        if (!number || *number < 0 || *number >= static_cast<std::int64_t>(limits::tool_calls))
            return std::nullopt;
        return static_cast<int>(*number);
    };
    if (const auto index = index_of("tool_started"))
        return ToolStarted{choice, *index, plain(members, "id"), plain(members, "name")};
    if (const auto fragment = members.escaped("tool_arguments"))
        if (const auto index = index_of("index")) return ToolArguments{choice, *index, *fragment};
    if (const auto index = index_of("tool_ended")) return ToolEnded{choice, *index};
    return std::nullopt;
}

// What goes along with what is said.
std::optional<Event> EventReader::read_aside(Members& members, Choice choice) {
    if (const auto tool = members.object("server_tool")) return read_server_tool(*tool);
    if (const auto citation = members.object("citation")) return read_citation(*citation, choice);
    if (const auto native = members.object("native")) return read_native(*native, choice);
    if (const auto media = members.object("media")) return read_media(*media, choice);
    if (auto event = read_logprobs(members, choice)) return event;
    if (const auto json = raw(members, "provider_state"))
        return ProviderState{plain(members, "id"), *json};
    if (const auto word = members.plain("hold_over"))
        if (const auto why = named_in<HoldOver::Why>(hold_over_reasons, *word))
            return HoldOver{*why};
    return std::nullopt;
}

std::optional<Event> EventReader::read_reasoning(Members& members, Choice choice) {
    if (const auto text = members.escaped("reasoning")) return Reasoning{choice, *text};
    if (const auto signature = members.escaped("reasoning_signed"))
        return ReasoningSigned{choice, *signature, plain(members, "issuer")};
    if (const auto data = members.escaped("reasoning_encrypted"))
        return ReasoningEncrypted{choice, *data, plain(members, "issuer"), plain(members, "id")};
    return std::nullopt;
}

std::optional<Event> EventReader::read_citation(Members members, Choice choice) {
    const auto kind = named_in<Citation::Kind>(citation_kinds, members.plain("kind").value_or(""));
    if (!kind) return std::nullopt;
    NativeJson native;
    if (members.has("native")) {
        const auto json = raw(members, "native");
        if (!json) return std::nullopt;
        native = {plain(members, "native_api"), *json};
    }
    return Citation{.choice = choice,
                    .kind = *kind,
                    .url = members.escaped_or_none("url"),
                    .title = members.escaped_or_none("title"),
                    .cited_text = members.escaped_or_none("cited_text"),
                    .text_start = members.number("text_start"),
                    .text_end = members.number("text_end"),
                    .document = members.number("document"),
                    .start = members.number("start"),
                    .end = members.number("end"),
                    .file_id = members.escaped_or_none("file_id"),
                    .reference = members.escaped_or_none("reference"),
                    .native = native};
}

std::optional<Event> EventReader::read_native(Members members, Choice choice) {
    const auto what = named_in<Native::What>(native_kinds, members.plain("what").value_or(""));
    const auto json = raw(members, "json");
    if (!what || !json) return std::nullopt;
    return Native{choice, *what, {plain(members, "api"), *json}};
}

std::optional<Event> EventReader::read_media(Members members, Choice choice) {
    const auto kind = named_in<Media::Kind>(media_kinds, members.plain("kind").value_or(""));
    if (!kind) return std::nullopt;
    return Media{.choice = choice,
                 .kind = *kind,
                 .media_type = plain(members, "media_type"),
                 .data = members.escaped_or_none("data"),
                 .url = members.escaped_or_none("url"),
                 .id = members.escaped_or_none("id"),
                 .transcript = members.escaped_or_none("transcript"),
                 .expires_at = members.number("expires_at")};
}

std::optional<Event> EventReader::read_logprobs(Members& members, Choice choice) {
    const auto of = named_in<Logprobs::Of>(logprobs_of, members.plain("of").value_or("text"));
    ondemand::value list;
    if (!of || !members.find("logprobs", list)) return std::nullopt;
    const auto tokens = read_tokens(list);
    return tokens ? std::optional<Event>(Logprobs{choice, *of, *tokens}) : std::nullopt;
}

std::optional<std::span<const TokenLogprob>> EventReader::read_tokens(ondemand::value tokens) {
    std::vector<TokenLogprob>& read = tokens_.emplace_back();
    ondemand::array array;
    if (tokens.get_array().get(array)) return std::nullopt;
    for (auto element : array) {
        ondemand::object object;
        if (element.get_object().get(object)) return std::nullopt;
        const auto token = read_token(Members(object));
        if (!token) return std::nullopt;
        read.push_back(*token);
    }
    return read;
}

std::optional<TokenLogprob> EventReader::read_token(Members members) {
    const auto is_a = [&](std::string_view json, std::initializer_list<dom::element_type> types) {
        dom::element value;
        return !json.empty() && !raw_parser_.parse(json.data(), json.size()).get(value) &&
               std::ranges::find(types, value.type()) != types.end();
    };
    using enum dom::element_type;
    const auto text = members.escaped("token");
    const std::string_view logprob = plain(members, "logprob");
    const std::string_view bytes = plain(members, "bytes");
    if (!text || !is_a(logprob, {INT64, UINT64, DOUBLE})) return std::nullopt;
    if (!bytes.empty() && !is_a(bytes, {ARRAY, NULL_VALUE})) return std::nullopt;
    TokenLogprob token{*text, logprob, bytes};
    ondemand::value top;
    if (!members.find("top", top)) return token;
    const auto others = read_tokens(top);
    if (!others) return std::nullopt;
    token.top = *others;
    return token;
}

std::optional<Event> EventReader::read_server_tool(Members members) {
    const auto state =
        named_in<ServerTool::State>(server_tool_states, members.plain("state").value_or(""));
    const auto json_or_none = [&](std::string_view name) {
        return members.has(name) ? raw(members, name) : std::string_view();
    };
    const auto arguments = json_or_none("arguments");
    const auto result = json_or_none("result");
    const auto explanation = json_or_none("explanation");
    if (!state || !arguments || !result || !explanation) return std::nullopt;
    return ServerTool{*state,  plain(members, "id"), plain(members, "name"), *arguments,
                      *result, *explanation};
}

// What dialects rely on: calls are numbered in the order in which they appear, nothing is said of
// one that has not begun, and nothing comes after the end.
class Grammar {
public:
    bool allows(const Event& event) {
        if (ended_) return false;
        ended_ = std::holds_alternative<Ended>(event);
        if (const auto* e = std::get_if<ToolStarted>(&event)) return e->index == calls(e->choice)++;
        if (const auto* e = std::get_if<ToolArguments>(&event)) return e->index < calls(e->choice);
        if (const auto* e = std::get_if<ToolEnded>(&event)) return e->index < calls(e->choice);
        return true;
    }

private:
    int& calls(Choice choice) { return calls_.at(static_cast<std::size_t>(choice)); }

    std::array<int, limits::choices> calls_{};
    bool ended_ = false;
};

std::unexpected<Error> not_an_archive(std::string reason) {
    return fail(ErrorKind::invalid_value,
                fmt::format("this is not a recorded timeline: {}", reason));
}

// Everything in it, so that what is found later can only be of another type than it should.
bool is_valid(ondemand::document& document) {
    ondemand::object object;
    return !document.get_object().get(object) && !json::validate(object, depth_max) &&
           document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

}  // namespace

Result<TimedRecording> read_archive(std::string text) {
    json::Parser parser;
    ondemand::document document;
    if (parser.parse_strict(Padded::of(text), document) || !is_valid(document))
        return not_an_archive("it is not a JSON object");
    document.rewind();
    ondemand::object object;
    if (document.get_object().get(object)) return not_an_archive("it is not a JSON object");
    Members members(object);
    const auto version = members.number("version").value_or(0);
    if (version < 1 || version > archive_version)
        return not_an_archive(fmt::format("its version is not {}", archive_version));
    TimedRecording recording;
    ondemand::value flag;
    recording.truncated = members.find("truncated", flag) && json::is_true(flag);

    ondemand::value events;
    if (!members.find("events", events)) return not_an_archive("it has no events");
    EventReader reader;
    Grammar grammar;
    std::optional<std::string> problem;
    const auto read_one = [&](ondemand::value element) {
        if (problem) return;
        const std::size_t number = recording.events().size();
        ondemand::object found;
        if (element.get_object().get(found)) {
            problem = fmt::format("event {} is not an object", number);
            return;
        }
        Members parts(found);
        const auto ms = parts.number("ms");
        const auto event = reader.read(parts);
        if (!event || !ms || *ms < 0 || *ms > ms_max) {
            problem = fmt::format("event {} can't be read", number);
        } else if (!grammar.allows(*event)) {
            problem = fmt::format("event {} does not belong there", number);
        } else {
            recording.add(EventTime(*ms), *event);
        }
    };
    if (json::for_each_element(events, read_one) || problem)
        return not_an_archive(problem.value_or("its events are not an array"));
    return recording;
}

}  // namespace runnel::timeline
