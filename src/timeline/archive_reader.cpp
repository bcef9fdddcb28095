#include "base/limits.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "timeline/archive.hpp"
#include "timeline/archive_names.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <utility>

namespace runnel::timeline {
namespace {

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
         {Finish::stop, Finish::length, Finish::tool_calls, Finish::content_filter})
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
    std::optional<Event> read_server_tool(Members members);
    // A text that is handed on as JSON must be some.
    std::optional<std::string_view> raw(Members& members, std::string_view name);
    std::string_view plain(Members& members, std::string_view name);

    simdjson::dom::parser raw_parser_;
    std::list<std::string> texts_;
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
    const auto choice = members.number("choice").value_or(0);
    if (choice < 0 || choice >= static_cast<std::int64_t>(limits::choices)) return std::nullopt;
    const auto of = static_cast<Choice>(choice);
    if (const auto text = members.escaped("text")) return Text{of, *text};
    if (const auto text = members.escaped("reasoning")) return Reasoning{of, *text};
    if (const auto text = members.escaped("refusal")) return Refusal{of, *text};
    if (auto event = read_tool_call(members, of)) return event;
    if (auto event = read_aside(members, of)) return event;
    if (const auto usage = members.object("usage")) return UsageReported{read_usage(*usage)};
    if (const auto word = members.plain("finished")) {
        const auto finish = finish_named(*word);
        if (finish) return Finished{of, *finish, plain(members, "native")};
        return std::nullopt;
    }
    if (const auto error = members.object("failed")) return read_error(*error);
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
    if (const auto json = raw(members, "annotation")) return Annotation{choice, *json};
    for (std::size_t i = 0; i < media_kinds.size(); ++i)
        if (const auto json = raw(members, media_kinds[i]))
            return Media{choice, static_cast<Media::Kind>(i), *json};
    if (const auto json = raw(members, "logprobs")) return Logprobs{choice, *json};
    if (const auto json = raw(members, "provider_state"))
        return ProviderState{plain(members, "id"), *json};
    if (const auto word = members.plain("hold_over"))
        if (const auto why = named_in<HoldOver::Why>(hold_over_reasons, *word))
            return HoldOver{*why};
    return std::nullopt;
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
    if (members.number("version") != archive_version)
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
