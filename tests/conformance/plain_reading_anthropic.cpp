#include "plain_json.hpp"
#include "plain_reading.hpp"
#include "wire_forms.hpp"

#include <map>

namespace runnel::conformance {
namespace {

std::string finish_of(const std::string& native) {
    static const std::map<std::string, std::string> table = {
        {"tool_use", "tool_calls"},
        {"max_tokens", "length"},
        {"model_context_window_exceeded", "length"},
        {"compaction", "length"},
        {"refusal", "content_filter"},
    };
    const auto found = table.find(native);
    return found == table.end() ? "stop" : found->second;
}

void add(Usage& usage, const Json& counts) {
    const auto add_to = [](std::optional<std::int64_t>& sum, std::optional<std::int64_t> count) {
        if (count) sum = sum.value_or(0) + *count;
    };
    const auto read = count_field(counts, "cache_read_input_tokens");
    const auto write = count_field(counts, "cache_creation_input_tokens");
    usage.prompt +=
        count_field(counts, "input_tokens").value_or(0) + read.value_or(0) + write.value_or(0);
    usage.completion += count_field(counts, "output_tokens").value_or(0);
    add_to(usage.cached, read);
    add_to(usage.cache_write, write);
}

Usage usage_of(const Json& reported) {
    Usage usage;
    usage.reasoning = count_field(field(reported, "output_tokens_details"), "thinking_tokens");

    // A turn that compacted its history first has a bill for each part, and the top level leaves
    // the compaction out. What another model did in between (an advisor) is not this model's; with
    // a fallback the top level is right.
    const Json& iterations = field(reported, "iterations");
    bool summed = false;
    if (iterations.is_array()) {
        for (const Json& part : iterations) {
            const std::string type = text_field(part, "type");
            if (type == "fallback_message") {
                summed = false;
                break;
            }
            summed = summed || type == "message" || type == "compaction";
        }
        for (const Json& part : iterations) {
            const std::string type = text_field(part, "type");
            if (summed && (type == "message" || type == "compaction")) add(usage, part);
        }
    }
    if (!summed) add(usage, reported);
    usage.total = usage.prompt + usage.completion;
    return usage;
}

class Reading {
public:
    Answer read(std::string_view bytes) {
        for (const WireEvent& event : events_of(bytes)) {
            const Json message = parse_or_null(event.data);
            // Gateways in front of Anthropic may add an OpenAI-style end.
            if (!message.is_object()) continue;
            if (on(message) == Next::stop) break;
        }
        finish();
        return std::move(answer_);
    }

private:
    enum class Next { go_on, stop };

    Next on(const Json& event) {
        const std::string type = text_field(event, "type");
        if (type == "error" || !field(event, "error").is_null()) {
            fail("error: " + field(event, "error").dump());
            return Next::stop;
        }
        if (type == "message") {  // a whole body
            message(event);
            ended_ = true;
        } else if (type == "message_start") {
            if (!started_) message(field(event, "message"));
            started_ = true;
        } else if (type == "content_block_start") {
            block_start(event);
        } else if (type == "content_block_delta") {
            block_delta(event);
        } else if (type == "message_delta") {
            stop_reason(field(event, "delta"));
            usage(field(event, "usage"));
        } else if (type == "message_stop") {
            ended_ = true;
            return Next::stop;
        }
        return Next::go_on;
    }

    // A message's own content is empty in a stream, unless the call was deferred: then it
    // is all there.
    void message(const Json& message) {
        answer_.choices[0];
        if (field(message, "content").is_array())
            for (const Json& block : field(message, "content")) whole_block(block);
        stop_reason(message);
        usage(field(message, "usage"));
    }

    void whole_block(const Json& block) {
        const std::string type = text_field(block, "type");
        if (type == "text") choice().text += text_field(block, "text");
        if (type == "thinking") choice().reasoning += text_field(block, "thinking");
        if (type == "tool_use") tool_use(block);
    }

    void tool_use(const Json& block) {
        const Json& input = field(block, "input");
        const bool has_input = input.is_object() && !input.empty();
        choice().tool_calls.push_back(
            {.id = "call_" + text_field(block, "id"),
             .name = text_field(block, "name"),
             .arguments = has_input ? input.dump() : "",
             .compare = has_input ? ToolCall::Compare::value : ToolCall::Compare::text});
    }

    // Every block type takes a number, client tools or not: only tool_use blocks are the client's.
    void block_start(const Json& event) {
        const auto index = count_field(event, "index").value_or(-1);
        const Json& block = field(event, "content_block");
        types_[index] = text_field(block, "type");
        whole_block(block);
        if (types_[index] == "tool_use") calls_[index] = choice().tool_calls.size() - 1;
    }

    void block_delta(const Json& event) {
        const auto index = count_field(event, "index").value_or(-1);
        const Json& delta = field(event, "delta");
        const std::string type = text_field(delta, "type");
        if (type == "text_delta") choice().text += text_field(delta, "text");
        if (type == "thinking_delta") choice().reasoning += text_field(delta, "thinking");
        if (type != "input_json_delta" || types_[index] != "tool_use") return;
        const std::string piece = text_field(delta, "partial_json");
        if (piece.empty()) return;
        ToolCall& call = choice().tool_calls[calls_[index]];
        if (call.compare == ToolCall::Compare::value) call.arguments.clear();
        call.compare = ToolCall::Compare::text;
        call.arguments += piece;
    }

    void stop_reason(const Json& holder) {
        const std::string native = text_field(holder, "stop_reason");
        if (!native.empty()) choice().finish = finish_of(native);
        choice().refusal += text_field(field(holder, "stop_details"), "explanation");
    }

    // Later counts replace earlier ones, unless they are null.
    void usage(const Json& reported) {
        if (!reported.is_object()) return;
        if (usage_.is_null()) usage_ = Json::object();
        for (const auto& [name, value] : reported.items())
            if (!value.is_null()) usage_[name] = value;
    }

    void finish() {
        if (usage_.is_object()) answer_.usage = usage_of(usage_);
        if (answer_.failed) return;
        const bool finished = !choice().finish.empty();
        if (!ended_ || !finished) fail(finished ? "ended without message_stop" : "ended early");
        answer_.end_is_doubtful = finished && !ended_;
        if (choice().finish == "stop" && !choice().tool_calls.empty())
            choice().finish = "tool_calls";
    }

    Choice& choice() { return answer_.choices[0]; }

    void fail(std::string why) {
        answer_.failed = true;
        answer_.failure = std::move(why);
    }

    Answer answer_;
    Json usage_;
    bool started_ = false;
    bool ended_ = false;
    std::map<std::int64_t, std::string> types_;
    std::map<std::int64_t, std::size_t> calls_;
};

}  // namespace

Answer read_anthropic_plainly(std::string_view bytes) { return Reading().read(bytes); }

}  // namespace runnel::conformance
