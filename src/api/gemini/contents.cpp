#include "api/gemini/contents.hpp"

#include "api/gemini/signature.hpp"
#include "api/gemini/spelling.hpp"
#include "base/ascii.hpp"
#include "base/is_in.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace runnel::api::gemini {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

// Of all contents together: each takes ten times the memory of the fewest bytes that make it.
constexpr std::size_t parts_max = 40'000;

// What says something about a part, rather than being what it is.
constexpr std::array<std::string_view, 3> about_a_part{"videoMetadata", "mediaResolution",
                                                       "partMetadata"};

// The name of an audio format, from its media type.
std::string_view audio_format(std::string_view type) {
    type.remove_prefix(type.find('/') + 1);
    if (type == "mpeg") return "mp3";
    return type == "x-wav" || type == "wave" ? "wav" : type;
}

Part::Content media_of(const chat::Source& source, std::string_view filename) {
    const std::string_view type = source.media_type_escaped;
    if (type.starts_with("image/")) return chat::Image{.source = source};
    if (type.starts_with("video/")) return chat::Video{source};
    if (type.starts_with("audio/")) return chat::Audio{source, audio_format(type)};
    return chat::File{.source = source, .filename_escaped = filename};
}

}  // namespace

Result<void> Contents::read(Value& contents) {
    auto read = for_one_or_each(contents, [&](std::size_t index, Value& content) -> Result<void> {
        if (index == parts_max)
            return contents.wrong(fmt::format("has more than {} elements", parts_max));
        return read_content(content);
    });
    end_turn();
    return read;
}

Result<Message> Contents::read_system(Value& value) {
    Message before = std::exchange(turn_, Message{.role = Role::system});
    auto read = Result<void>();
    if (value.is_string()) {
        turn_.parts.push_back({chat::Text{*value.escaped()}});
    } else {
        read = read_parts(value);
    }
    Message system = std::exchange(turn_, std::move(before));
    if (!read) return propagate(read);
    return system;
}

Result<void> Contents::read_content(Value& content) {
    if (!content.is_object()) return content.must_be("an object");
    const std::string word = content.text_of("role");
    const bool is_model = word == "model";
    if (!is_model && !word.empty() && word != "user" && word != "function" && word != "tool")
        return content.wrong(
            fmt::format("has the role {}. Please use a valid role: user, model.", in_quotes(word)));
    if (!is_model || turn_.role != Role::assistant) end_turn();
    turn_.role = is_model ? Role::assistant : Role::user;
    return read_parts(content);
}

Result<void> Contents::read_parts(Value& content) {
    return content.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "parts") return {};
        return for_one_or_each(field, [&](std::size_t, Value& part) { return read_part(part); });
    });
}

Result<void> Contents::count(const Value& part) {
    if (++parts_ <= parts_max) return {};
    return part.wrong(
        fmt::format("is one part too many: all contents together may have {}", parts_max));
}

Result<void> Contents::read_part(Value& value) {
    if (auto fits = count(value); !fits) return fits;
    Fields fields;
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        return read_field(name, field, fields);
    });
    if (read) add(value, fields);
    return read;
}

Result<void> Contents::read_field(std::string_view name, Value& field, Fields& fields) {
    if (name == "text") return store(field.escaped(), fields.text);
    if (name == "thought") return store(field.boolean(), fields.thought);
    if (name == "thoughtSignature") {
        if (!field.is_string()) return field.must_be("a string");
        fields.signature_raw = field.raw();
        return {};
    }
    if (name == "inlineData" || name == "fileData") return read_media(field, fields.media);
    if (name == "functionCall" && turn_.role == Role::assistant)
        return read_call(field, fields.call.emplace());
    if (name == "functionResponse" && turn_.role == Role::user) {
        if (std::exchange(fields.result, true)) return field.wrong("is given twice");
        return read_result(field);
    }
    if (!is_in(name, about_a_part)) fields.unknown = name;
    return keep_named(name, field, request_, fields.extras);
}

void Contents::add(const Value& value, Fields& fields) {
    const bool is_models = turn_.role == Role::assistant;
    if (fields.thought && fields.text && is_models && !fields.call) {
        go_on(Run::thought, *fields.text);
        const std::string_view raw = fields.signature_raw;
        if (!raw.empty()) end_run(raw.substr(1, raw.size() - 2));
        return;
    }
    const bool is_plain = !fields.call && !fields.media && fields.signature_raw.empty();
    if (fields.text && is_models && is_plain && fields.extras.empty())
        return go_on(Run::text, *fields.text);
    end_run();
    if (fields.call) return add_call(fields);
    if (fields.thought || (!fields.unknown.empty() && !fields.text && !fields.media)) {
        const std::string type = fields.unknown.empty() ? "thought" : fields.unknown;
        turn_.parts.push_back({chat::Other{type, value.raw()}});
        return;
    }
    const bool is_signed = !own_signature(fields).empty();
    if (is_signed) fields.extras.push_back({"thoughtSignature", fields.signature_raw});
    if (fields.media) {
        turn_.parts.push_back({*fields.media, {}, std::move(fields.extras)});
    } else if (fields.text && is_models && fields.extras.empty()) {
        go_on(Run::text, *fields.text);
    } else if (fields.text) {
        turn_.parts.push_back({chat::Text{*fields.text}, {}, std::move(fields.extras)});
    }
}

Result<void> Contents::read_call(Value& value, chat::ToolCall& call) {
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        if (name == "id") return store(field.text(), call.id);
        if (name == "name") return store(field.text(), call.name);
        if (name != "args") return Result<void>();
        if (!field.is_object()) return Result<void>(field.must_be("an object"));
        call.arguments_raw = field.raw();
        return Result<void>();
    });
    if (!read) return read;
    if (call.name.empty()) return value.needs("name");
    if (call.arguments_raw.empty()) call.arguments_raw = "{}";
    return {};
}

void Contents::add_call(Fields& fields) {
    chat::ToolCall& call = *fields.call;
    call.signature_escaped = own_signature(fields);
    // As long as the ids that the gateway gives to calls without one, so that none goes to Gemini.
    if (call.id.empty()) call.id = fmt::format("call_{:024}", ++minted_);
    calls_.insert(call.id);
    if (open_.insert(call.id).second) ids_by_name_[call.name].push_back(call.id);
    turn_.parts.push_back({std::move(call), {}, std::move(fields.extras)});
}

std::string_view Contents::own_signature(const Fields& fields) {
    if (fields.signature_raw.empty()) return {};
    const std::string_view carried =
        fields.signature_raw.substr(1, fields.signature_raw.size() - 2);
    chat::Reasoning thought = read_signature(carried);
    if (is_own(thought.issuer) && thought.signature_escaped == carried) return carried;
    if (thought.is_signed() && turn_.role == Role::assistant)
        turn_.parts.push_back({std::move(thought)});
    return {};
}

void Contents::go_on(Run kind, std::string_view text) {
    if (run_ != kind) end_run();
    run_ = kind;
    pieces_.push_back(text);
}

void Contents::end_run(std::string_view signature_escaped) {
    if (pieces_.empty()) return;
    std::string_view text = pieces_.front();
    if (pieces_.size() > 1) {
        std::string joined;
        for (const std::string_view piece : pieces_) joined += piece;
        text = request_.keep(std::move(joined));
    }
    pieces_.clear();
    if (run_ == Run::text) {
        // The last chunk of a stream has an empty text, which says nothing.
        if (!text.empty()) turn_.parts.push_back({chat::Text{text}});
        return;
    }
    chat::Reasoning thought = read_signature(signature_escaped);
    thought.text_escaped = text;
    if (thought.is_signed() || !text.empty()) turn_.parts.push_back({std::move(thought)});
}

void Contents::end_turn() {
    end_run();
    if (!turn_.parts.empty()) request_.messages.push_back(std::move(turn_));
    turn_ = Message{};
}

Result<void> Contents::read_media(Value& value, std::optional<Part::Content>& media) {
    chat::Source source;
    std::string_view filename;
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        if (name == "mimeType") return store(field.escaped(), source.media_type_escaped);
        if (name == "data") return store(field.escaped(), source.data_escaped);
        if (name == "fileUri") return store(field.escaped(), source.url_escaped);
        return name == "displayName" ? store(field.escaped(), filename) : Result<void>();
    });
    if (!read) return read;
    if (source.empty()) return value.wrong("needs a field data or fileUri");
    media = media_of(source, filename);
    return {};
}

Result<void> Contents::read_result(Value& value) {
    const Role role = turn_.role;
    end_turn();
    turn_.role = role;
    Message message{.role = Role::tool};
    message.parts.push_back({chat::Text{}});
    const std::string id = value.is_object() ? value.text_of("id") : std::string();
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        return read_result_field(name, field, message);
    });
    if (!read) return read;
    message.tool_call_id = answered_call(id, message.name);
    if (message.tool_call_id.empty())
        return value.wrong(
            fmt::format("answers no function call: {}", in_quotes(id.empty() ? message.name : id)),
            ErrorKind::tool_call_id_mismatch);
    // Calls have names; their results are known by the call.
    message.name.clear();
    request_.messages.push_back(std::move(message));
    return {};
}

Result<void> Contents::read_result_field(std::string_view name, Value& field, Message& message) {
    if (name == "id") return {};
    if (name == "name") return store(field.text(), message.name);
    if (name == "response") return read_response(field, message);
    if (name != "parts") return keep_named(name, field, request_, message.extras);
    return for_one_or_each(field, [&](std::size_t, Value& part) {
        return for_each_named_field(part, [&](std::string_view inner, Value& data) -> Result<void> {
            if (inner != "inlineData" && inner != "fileData") return {};
            if (auto fits = count(data); !fits) return fits;
            std::optional<Part::Content> media;
            auto read = read_media(data, media);
            if (read) message.parts.push_back({*std::move(media)});
            return read;
        });
    });
}

// {"output":"…"}, {"error":"…"} and {"result":"…"} are how Google and its SDKs wrap texts, and
// {"name":"the function's","content":"…"} is how the AI SDK does; anything else is told as it is.
Result<void> Contents::read_response(Value& response, Message& message) {
    std::optional<std::string_view> words;
    std::size_t members = 0;
    bool is_named = false;
    auto read = response.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        ++members;
        if (name == "error") message.failed = chat::Wish::yes;
        if (!field.is_string()) return {};
        if (name == "name") is_named = *field.escaped() == message.name;
        const bool is_wrapper = name == "output" || name == "error" || name == "result";
        if (is_wrapper || (is_named && name == "content")) words = *field.escaped();
        return {};
    });
    if (!read) return read;
    if (!words || members != (is_named ? 2 : 1)) {
        std::string escaped;
        json::append_escaped(escaped, response.raw());
        words = request_.keep(std::move(escaped));
    }
    message.parts.front().content = chat::Text{*words};
    return {};
}

std::string Contents::answered_call(const std::string& id, const std::string& name) {
    if (calls_.contains(id)) {
        open_.erase(id);
        return id;
    }
    std::deque<std::string>& ids = ids_by_name_[name];
    while (!ids.empty()) {
        std::string next = std::move(ids.front());
        ids.pop_front();
        // The others have got theirs by id.
        if (open_.erase(next) > 0) return next;
    }
    return {};
}

}  // namespace runnel::api::gemini
