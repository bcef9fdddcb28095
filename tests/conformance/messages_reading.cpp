#include "api_reading.hpp"
#include "shape.hpp"

#include <map>
#include <optional>
#include <set>

// A strict reader of Anthropic's Messages API.
namespace runnel::conformance {
namespace {

const std::map<std::string, std::string> finish_by_reason = {
    {"end_turn", "stop"},       {"stop_sequence", "stop"},     {"max_tokens", "length"},
    {"tool_use", "tool_calls"}, {"refusal", "content_filter"}, {"pause_turn", "stop"}};

const std::vector<std::string> message_members = {
    "id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"};

class MessageReader {
public:
    MessageReader(const ExpectedEnvelope& expected, std::vector<std::string>* violations)
        : expected_(expected),
          shape_(violations) {}

    Answer read_stream(std::string_view bytes) {
        for (const NamedEvent& event : named_events(bytes, shape_)) read_event(event);
        shape_.check(ended_, "the stream does not end", Json());
        return std::move(answer_);
    }

    Answer read_body(std::string_view bytes) {
        const Json body = Json::parse(bytes, nullptr, false);
        if (field(body, "type") == "error") {
            read_error(body);
            return std::move(answer_);
        }
        read_message(body);
        for (const Json& block : field(body, "content")) read_whole_block(block);
        read_stop(body);
        read_usage(field(body, "usage"));
        return std::move(answer_);
    }

private:
    void read_event(const NamedEvent& event) {
        const Json data = Json::parse(event.data, nullptr, false);
        if (ended_) return shape_.check(false, "an event after the end", data);
        shape_.check(data.is_object() && field(data, "type") == event.name,
                     "an event of the name " + event.name, data);
        if (event.name == "error") {
            ended_ = true;
            return read_error(data);
        }
        shape_.check(started_ == (event.name != "message_start"), "message_start and only then",
                     data);
        if (event.name == "message_start") return start(data);
        if (event.name == "message_delta") return message_delta(data);
        if (event.name == "message_stop") return message_stop(data);
        shape_.check(!stopped_, "a block after the stop reason", data);
        if (event.name == "content_block_start") return block_start(data);
        if (event.name == "content_block_delta") return block_delta(data);
        if (event.name == "content_block_stop") return block_stop(data);
        shape_.check(false, "an unknown event", data);
    }

    void start(const Json& data) {
        started_ = true;
        shape_.members(data, "message_start", {"type", "message"});
        const Json& message = field(data, "message");
        read_message(message);
        shape_.check(field(message, "content") == Json::array(), "content at the start", message);
        shape_.check(field(message, "stop_reason").is_null() &&
                         field(message, "stop_sequence").is_null(),
                     "a reason to stop at the start", message);
        shape_.count(field(message, "usage"), "input_tokens");
        shape_.count(field(message, "usage"), "output_tokens");
    }

    void read_message(const Json& message) {
        shape_.members(message, "the message", message_members);
        shape_.check(field(message, "id") == expected_.id, "id", message);
        shape_.check(field(message, "type") == "message", "type", message);
        shape_.check(field(message, "role") == "assistant", "role", message);
        shape_.check(field(message, "model") == expected_.model, "model", message);
        shape_.check(field(message, "content").is_array(), "content is no array", message);
        answer_.choices[0];
    }

    void block_start(const Json& data) {
        shape_.members(data, "content_block_start", {"type", "index", "content_block"});
        shape_.check(!open_, "a block inside of another", data);
        shape_.check(field(data, "index") == blocks_, "index of the block", data);
        const Json& block = field(data, "content_block");
        kind_ = text_field(block, "type");
        open_ = blocks_++;
        signed_ = false;
        told_ = false;
        if (kind_ == "text") {
            shape_.check(block == Json{{"type", "text"}, {"text", ""}}, "begins as", block);
        } else if (kind_ == "thinking") {
            shape_.check(block == Json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}},
                         "begins as", block);
        } else if (kind_ == "tool_use") {
            read_call(block, "");
            shape_.check(field(block, "input") == Json::object(), "input at the start", block);
        } else {
            read_redacted(block);
        }
    }

    void block_delta(const Json& data) {
        shape_.members(data, "content_block_delta", {"type", "index", "delta"});
        if (!open_ || field(data, "index") != *open_)
            return shape_.check(false, "a delta of a block that is not open", data);
        const Json& delta = field(data, "delta");
        const std::string type = text_field(delta, "type");
        Choice& choice = answer_.choices[0];
        if (kind_ == "text" && type == "text_delta") {
            shape_.members(delta, "delta", {"type", "text"});
            choice.text += shape_.some_text(delta, "text");
        } else if (kind_ == "text" && type == "citations_delta") {
            shape_.members(delta, "delta", {"type", "citation"});
            read_citation(field(delta, "citation"));
        } else if (kind_ == "thinking" && type == "thinking_delta" && !signed_) {
            shape_.members(delta, "delta", {"type", "thinking"});
            choice.reasoning += shape_.some_text(delta, "thinking");
        } else if (kind_ == "thinking" && type == "signature_delta") {
            shape_.members(delta, "delta", {"type", "signature"});
            shape_.some_text(delta, "signature");
            signed_ = true;
        } else if (kind_ == "tool_use" && type == "input_json_delta") {
            shape_.members(delta, "delta", {"type", "partial_json"});
            choice.tool_calls.back().arguments += shape_.some_text(delta, "partial_json");
        } else {
            return shape_.check(false, "a delta that its block can't have", data);
        }
        told_ = true;
    }

    void block_stop(const Json& data) {
        shape_.members(data, "content_block_stop", {"type", "index"});
        shape_.check(open_ && field(data, "index") == *open_, "the end of no open block", data);
        shape_.check(told_ || kind_ == "tool_use" || kind_ == "redacted_thinking",
                     "a block that says nothing", data);
        open_.reset();
    }

    void message_delta(const Json& data) {
        shape_.members(data, "message_delta", {"type", "delta", "usage"});
        shape_.check(!open_, "the stop reason inside of a block", data);
        shape_.check(!stopped_, "a second stop reason", data);
        stopped_ = true;
        shape_.members(field(data, "delta"), "delta", {"stop_reason", "stop_sequence"});
        read_stop(field(data, "delta"));
        read_usage(field(data, "usage"));
    }

    void message_stop(const Json& data) {
        shape_.members(data, "message_stop", {"type"});
        shape_.check(stopped_, "the end before the stop reason", data);
        ended_ = true;
    }

    void read_whole_block(const Json& block) {
        const std::string type = text_field(block, "type");
        Choice& choice = answer_.choices[0];
        if (type == "text") {
            shape_.members(block, "text", {"type", "text"}, {"citations"});
            choice.text += shape_.some_text(block, "text");
            for (const Json& citation : field(block, "citations")) read_citation(citation);
        } else if (type == "thinking") {
            shape_.members(block, "thinking", {"type", "thinking", "signature"});
            choice.reasoning += text_field(block, "thinking");
            shape_.check(!text_field(block, "thinking").empty() ||
                             !text_field(block, "signature").empty(),
                         "thinking that says nothing", block);
        } else if (type == "tool_use") {
            read_call(block, arguments_in(field(block, "input")));
            choice.tool_calls.back().compare = ToolCall::Compare::value;
        } else {
            read_redacted(block);
        }
    }

    void read_call(const Json& block, std::string arguments) {
        shape_.members(block, "tool_use", {"type", "id", "name", "input"});
        shape_.check(field(block, "input").is_object(), "input is no object", block);
        answer_.choices[0].tool_calls.push_back({.id = shape_.some_text(block, "id"),
                                                 .name = shape_.some_text(block, "name"),
                                                 .arguments = std::move(arguments)});
    }

    void read_redacted(const Json& block) {
        shape_.check(field(block, "type") == "redacted_thinking", "an unknown block", block);
        shape_.members(block, "redacted_thinking", {"type", "data"});
        shape_.some_text(block, "data");
    }

    void read_citation(const Json& citation) {
        shape_.some_text(citation, "type");
        shape_.check(field(citation, "cited_text").is_string(), "no cited_text", citation);
    }

    void read_stop(const Json& object) {
        const std::string reason = text_field(object, "stop_reason");
        const auto known = finish_by_reason.find(reason);
        shape_.check(known != finish_by_reason.end(), "stop_reason", object);
        const Json& sequence = field(object, "stop_sequence");
        shape_.check((reason == "stop_sequence") == !text_of(sequence).empty() &&
                         (sequence.is_null() || sequence.is_string()),
                     "stop_sequence", object);
        if (known != finish_by_reason.end()) answer_.choices[0].finish = known->second;
    }

    void read_usage(const Json& usage) {
        shape_.members(usage, "usage",
                       {"input_tokens", "output_tokens", "cache_creation_input_tokens",
                        "cache_read_input_tokens"});
        Usage read;
        read.completion = shape_.count(usage, "output_tokens");
        const std::int64_t written = shape_.count(usage, "cache_creation_input_tokens");
        const std::int64_t cached = shape_.count(usage, "cache_read_input_tokens");
        read.prompt = shape_.count(usage, "input_tokens") + written + cached;
        read.total = read.prompt + read.completion;
        if (written > 0) read.cache_write = written;
        if (cached > 0) read.cached = cached;
        // Who counted nothing counts as zero.
        if (read.total > 0) answer_.usage = read;
    }

    void read_error(const Json& body) {
        static const std::set<std::string> types = {
            "invalid_request_error", "authentication_error", "billing_error",
            "permission_error",      "not_found_error",      "request_too_large",
            "rate_limit_error",      "timeout_error",        "api_error",
            "overloaded_error"};
        shape_.members(body, "the error", {"type", "error"});
        shape_.members(field(body, "error"), "the error", {"type", "message"});
        shape_.check(types.contains(text_field(field(body, "error"), "type")), "its type", body);
        answer_.failed = true;
        answer_.failure = shape_.some_text(field(body, "error"), "message");
    }

    const ExpectedEnvelope& expected_;
    Shape shape_;
    Answer answer_;
    bool started_ = false, stopped_ = false, ended_ = false;
    int blocks_ = 0;
    std::optional<int> open_;
    std::string kind_;
    bool signed_ = false, told_ = false;  // of the open block
};

}  // namespace

ClientStream read_messages_stream(std::string_view bytes, const ExpectedEnvelope& expected) {
    ClientStream stream;
    stream.answer = MessageReader(expected, &stream.violations).read_stream(bytes);
    return stream;
}

ClientBody read_messages_body(std::string_view bytes, const ExpectedEnvelope& expected) {
    ClientBody body;
    body.answer = MessageReader(expected, &body.violations).read_body(bytes);
    return body;
}

}  // namespace runnel::conformance
