#include "plain_json.hpp"
#include "plain_reading.hpp"
#include "wire_forms.hpp"

#include <map>

namespace runnel::conformance {
namespace {

// Native word → ours; empty for a word that means failure.
std::string finish_of(const std::string& native) {
    static const std::map<std::string, std::string> table = {
        {"length", "length"},
        {"model_length", "length"},
        {"model_context_window_exceeded", "length"},
        {"tool_calls", "tool_calls"},
        {"tool_call", "tool_calls"},
        {"function_call", "tool_calls"},
        {"content_filter", "content_filter"},
        {"sensitive", "content_filter"},
        {"safety", "content_filter"},
        {"refusal", "content_filter"},
        {"function_call_filter", ""},
        {"error", ""},
        {"abort", ""},
        {"aborted", ""},
        {"network_error", ""},
        {"insufficient_system_resource", ""},
    };
    // Google says more behind a colon.
    const auto found = table.find(native.substr(0, native.find(':')));
    return found == table.end() ? "stop" : found->second;
}

bool is_zero(const Json& usage) {
    return count_field(usage, "prompt_tokens").value_or(0) == 0 &&
           count_field(usage, "completion_tokens").value_or(0) == 0;
}

Usage usage_of(const Json& reported) {
    const Json& prompt_details = field(reported, "prompt_tokens_details");
    const Json& completion_details = field(reported, "completion_tokens_details");
    const auto first_of = [](auto... counts) {
        std::optional<std::int64_t> found;
        ((found = found ? found : counts), ...);
        return found;
    };
    Usage usage;
    usage.prompt = count_field(reported, "prompt_tokens").value_or(0);
    usage.completion = count_field(reported, "completion_tokens").value_or(0);
    usage.cached =
        first_of(count_field(prompt_details, "cached_tokens"),
                 count_field(reported, "prompt_cache_hit_tokens"),
                 count_field(reported, "cached_tokens"), count_field(reported, "num_cached_tokens"),
                 count_field(field(reported, "prompt_token_details"), "cached_tokens"));
    usage.cache_write = first_of(count_field(prompt_details, "cache_write_tokens"),
                                 count_field(reported, "cache_creation_input_tokens"));
    usage.reasoning = first_of(count_field(completion_details, "reasoning_tokens"),
                               count_field(reported, "reasoning_tokens"));

    // xAI leaves the reasoning out of the completion, which shows in its total. Where more was
    // cached than the prompt has (xAI and others), the cached part is not in the prompt.
    const auto cached = usage.cached.value_or(0);
    const auto reasoning = usage.reasoning.value_or(0);
    const auto total = count_field(reported, "total_tokens").value_or(0);
    if (total == usage.prompt + usage.completion + reasoning) usage.completion += reasoning;
    if (cached > usage.prompt) usage.prompt += cached;
    usage.total = usage.prompt + usage.completion;
    return usage;
}

class Reading {
public:
    explicit Reading(std::string_view from) : from_(from) {}

    Answer read(std::string_view bytes) {
        whole_body_ = form_of(bytes) == WireForm::json_object;
        for (const WireEvent& event : events_of(bytes)) {
            if (event.data.find("[DONE]") != std::string::npos && event.data.size() < 16) {
                done_ = true;
                break;
            }
            message(event);
            if (answer_.failed) break;
            // A body that arrived whole is as complete as a stream with its end marker.
            done_ = done_ || whole_body_;
        }
        finish();
        return std::move(answer_);
    }

private:
    void message(const WireEvent& event) {
        const Json chunk = parse_or_null(event.data);
        if (!chunk.is_object()) return fail("not an object: " + event.data.substr(0, 80));
        if (event.name == "error" || !field(chunk, "error").is_null())
            return fail("error: " + event.data.substr(0, 120));
        if (!field(field(chunk, "x_groq"), "error").is_null()) return fail("x_groq.error");
        if (count_field(field(chunk, "base_resp"), "status_code").value_or(0) != 0)
            return fail("base_resp: " + field(chunk, "base_resp").dump());
        if (!field(chunk, "choices").is_array())
            return fail("no choices: " + event.data.substr(0, 80));
        if (model_.empty()) model_ = text_field(chunk, "model");

        usage(field(chunk, "usage"));
        usage(field(field(chunk, "x_groq"), "usage"));
        for (const Json& choice : field(chunk, "choices")) {
            usage(field(choice, "usage"));
            read_choice(choice);
        }
    }

    void read_choice(const Json& wire) {
        const int index = static_cast<int>(count_field(wire, "index").value_or(0));
        Choice& choice = answer_.choices[index];
        // Perplexity sends both always: an empty delta beside a body's message, and the message so
        // far beside a stream's delta.
        const Json& delta = field(wire, whole_body_ ? "message" : "delta");
        reasoning(delta, choice);
        content(field(delta, "content"), choice);
        if (delta.is_null()) choice.text += text_field(wire, "text");  // a legacy completion's
        choice.refusal += text_field(delta, "refusal");
        choice.transcript += text_field(field(delta, "audio"), "transcript");
        if (field(delta, "tool_calls").is_array())
            for (const Json& call : field(delta, "tool_calls")) tool_call(call, index, choice);
        legacy_call(field(delta, "function_call"), choice);

        const std::string native = text_field(wire, "finish_reason");
        if (native.empty()) return;
        choice.finish = finish_of(native);
        if (choice.finish.empty()) fail("finish_reason " + native);
    }

    // One reasoning, under four names; more than one of them may be there at once.
    static void reasoning(const Json& delta, Choice& choice) {
        for (const char* name : {"reasoning_content", "reasoning", "reasoning_text"}) {
            if (text_field(delta, name).empty()) continue;
            choice.reasoning += text_field(delta, name);
            return;
        }
        if (!field(delta, "reasoning_details").is_array()) return;
        for (const Json& detail : field(delta, "reasoning_details"))
            choice.reasoning += text_field(detail, "text") + text_field(detail, "summary");
    }

    // A string, or Mistral's array of parts.
    static void content(const Json& content, Choice& choice) {
        choice.text += text_of(content);
        if (!content.is_array()) return;
        for (const Json& part : content) {
            choice.text += text_field(part, "text");
            if (field(part, "thinking").is_array())
                for (const Json& thought : field(part, "thinking"))
                    choice.reasoning += text_field(thought, "text");
        }
    }

    void tool_call(const Json& wire, int choice_index, Choice& choice) {
        const Json& function = field(wire, "function");
        const std::string id = text_field(wire, "id");
        auto& positions = positions_[choice_index];

        // Which call this piece belongs to: by index; without one, by id; without either, the last.
        // An index that comes back under another id is another call.
        std::optional<std::size_t> position;
        const auto index = count_field(wire, "index");
        if (index && positions.contains(*index)) position = positions[*index];
        if (!index && id.empty() && !choice.tool_calls.empty() &&
            text_field(function, "name").empty())
            position = choice.tool_calls.size() - 1;
        if (!index && !id.empty())
            for (std::size_t i = 0; i < choice.tool_calls.size(); ++i)
                if (choice.tool_calls[i].id == id) position = i;
        if (position && !id.empty() && !choice.tool_calls[*position].id.empty() &&
            choice.tool_calls[*position].id != id)
            position.reset();

        if (!position) {
            position = choice.tool_calls.size();
            choice.tool_calls.emplace_back();
            if (index) positions[*index] = *position;
        }
        ToolCall& call = choice.tool_calls[*position];
        if (call.id.empty()) call.id = id;
        if (call.name.empty()) call.name = text_field(function, "name");
        call.arguments += text_field(function, "arguments");
    }

    static void legacy_call(const Json& wire, Choice& choice) {
        if (text_field(wire, "name").empty()) return;
        choice.tool_calls.push_back({.id = "",
                                     .name = text_field(wire, "name"),
                                     .arguments = text_field(wire, "arguments")});
    }

    // Counts are cumulative: a later one replaces an earlier one, field by field. A zero after a
    // count is no count (Cloudflare).
    void usage(const Json& reported) {
        if (!reported.is_object() || (usage_.is_object() && is_zero(reported))) return;
        if (usage_.is_null())
            usage_ = reported;
        else
            usage_.update(reported);
    }

    void finish() {
        if (!answer_.failed && answer_.choices.empty() && done_) answer_.choices[0];
        if (answer_.choices.empty() && !answer_.failed) fail("nothing but an end");
        for (auto& [index, choice] : answer_.choices) {
            // A call that was never named cannot be shown.
            std::erase_if(choice.tool_calls,
                          [](const ToolCall& call) { return call.name.empty(); });
            if (thinks_in_tags(from_, model_)) take_out_think_block(choice);
            if (answer_.failed) continue;
            if (choice.finish.empty() && !done_) fail("ended without a finish reason");
            if (choice.finish.empty()) choice.finish = "stop";
            if (choice.finish == "stop" && !choice.tool_calls.empty()) choice.finish = "tool_calls";
        }
        if (usage_.is_object()) answer_.usage = usage_of(usage_);
    }

    void fail(std::string why) {
        answer_.failed = true;
        answer_.failure = std::move(why);
    }

    std::string from_;
    std::string model_;
    Answer answer_;
    Json usage_;
    bool whole_body_ = false;
    bool done_ = false;
    std::map<int, std::map<std::int64_t, std::size_t>> positions_;
};

}  // namespace

Answer read_openai_plainly(std::string_view from, std::string_view bytes) {
    return Reading(from).read(bytes);
}

}  // namespace runnel::conformance
