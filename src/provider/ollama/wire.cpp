#include "provider/ollama/wire.hpp"

#include "base/limits.hpp"
#include "framing/json_lines.hpp"
#include "json/text.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/json_fields.hpp"

#include <algorithm>
#include <utility>

namespace runnel::provider::ollama {
namespace {

using json::ondemand::value;

}  // namespace

std::unique_ptr<framing::Framing> ChatWire::framing_for(char) const {
    return std::make_unique<framing::JsonLines>(limits::frame_bytes);
}

void ChatWire::on_frame(const framing::Frame& frame, Turn& turn) {
    Line line;
    const bool readable = read_line(frame.data, line, turn);
    if (line.error) {
        turn.fail(to_error(turn.options().display_name, read_error_facts(frame.data.text())));
        return;
    }
    if (!readable) turn.malformed();
    tell_text(line, turn);
    if (line.done) tell_end(line, turn);
}

void ChatWire::on_body(Padded body, Turn& turn) { on_frame({{}, body}, turn); }

// False when it is not JSON; what was read before that is told all the same.
bool ChatWire::read_line(Padded text, Line& line, Turn& turn) {
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser_->parse(text, document) || document.get_object().get(object)) return false;
    for_each_field(object, [&](std::string_view key, value inside) {
        if (key == "message") {
            read_message(inside, line, turn);
        } else if (key == "response") {
            start(turn);
            json::escaped_string(inside, line.text);
        } else if (key == "thinking") {
            json::escaped_string(inside, line.thinking);
        } else if (key == "done") {
            line.done = is_true(inside);
        } else if (key == "done_reason") {
            json::escaped_string(inside, line.done_reason);
        } else if (key == "prompt_eval_count") {
            read_count(inside, line.input);
        } else if (key == "prompt_eval_cached_count") {
            read_count(inside, line.cached);
        } else if (key == "eval_count") {
            read_count(inside, line.output);
        } else if (key == "error") {
            line.error = !json::is_null(inside);
        }
    });
    return document.is_alive();  // it is given up when something in it is not JSON
}

void ChatWire::read_message(value message, Line& line, Turn& turn) {
    start(turn);
    for_each_field(message, [&](std::string_view key, value inside) {
        if (key == "content") {
            json::escaped_string(inside, line.text);
        } else if (key == "thinking") {
            json::escaped_string(inside, line.thinking);
        } else if (key == "tool_calls") {
            tell_text(line, turn);
            for_each_element(inside, [&](value call) { read_call(call, turn); });
        }
    });
}

// Calls come whole, often without an id; `function.index` counts across the conversation and says
// nothing.
void ChatWire::read_call(value call, Turn& turn) {
    std::string id;
    std::string name;
    arguments_.clear();
    for_each_field(call, [&](std::string_view key, value inside) {
        if (key == "id") json::plain_string(inside, id);
        if (key != "function") return;
        for_each_field(inside, [&](std::string_view field, value part) {
            std::string_view raw;
            if (field == "name") {
                json::plain_string(part, name);
            } else if (field == "arguments" && !json::is_null(part)) {
                // Models that answer through a proxy may have their arguments as text already.
                if (json::escaped_string(part, raw)) {
                    arguments_ = raw;
                } else if (json::raw_value(part, raw)) {
                    json_.clear();
                    json::append_compact(json_, raw);
                    json::append_escaped(arguments_, json_);
                }
            }
        });
    });
    const Turn::CallKey key = calls_++;
    turn.tool(0, key, id, name);
    turn.tool_arguments(0, key, arguments_);
    turn.tool_ended(0, key);
}

void ChatWire::start(Turn& turn) {
    if (!std::exchange(started_, true)) turn.started();
}

// What was thought comes before what was said, whatever their order in the line.
void ChatWire::tell_text(Line& line, Turn& turn) {
    turn.reasoning(0, std::exchange(line.thinking, {}));
    turn.text(0, std::exchange(line.text, {}));
}

void ChatWire::tell_end(const Line& line, Turn& turn) {
    if (line.input || line.output) {
        timeline::Usage usage;
        // The count is left out by servers of old when the whole prompt was still in memory.
        usage.fresh_input =
            std::max<std::int64_t>(0, line.input.value_or(0) - line.cached.value_or(0));
        usage.cache_read = line.cached;
        usage.output = line.output.value_or(0);
        turn.usage(usage);
    }
    // Beside stop and length there are load and unload, the answers to a request without messages.
    const auto finish =
        line.done_reason == "length" ? timeline::Finish::length : timeline::Finish::stop;
    turn.finish(0, finish, line.done_reason);
    turn.complete();
}

}  // namespace runnel::provider::ollama
