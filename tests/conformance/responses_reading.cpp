#include "api_reading.hpp"
#include "shape.hpp"

#include <set>

// A strict reader of OpenAI's Responses API.
namespace runnel::conformance {
namespace {

// What the schema of a response asks for; it may have more.
const std::vector<std::string> response_members = {"id",
                                                   "object",
                                                   "created_at",
                                                   "model",
                                                   "status",
                                                   "instructions",
                                                   "parallel_tool_calls",
                                                   "tool_choice",
                                                   "tools",
                                                   "text",
                                                   "reasoning",
                                                   "temperature",
                                                   "top_p",
                                                   "truncation",
                                                   "metadata",
                                                   "error",
                                                   "incomplete_details",
                                                   "output",
                                                   "usage",
                                                   "max_output_tokens",
                                                   "previous_response_id",
                                                   "store",
                                                   "background",
                                                   "completed_at"};

class ResponseReader {
public:
    ResponseReader(const ExpectedEnvelope& expected, std::vector<std::string>* violations)
        : expected_(expected),
          shape_(violations) {}

    Answer read_stream(std::string_view bytes) {
        const auto events = named_events(bytes, shape_);
        for (const NamedEvent& event : events) read_event(event);
        shape_.check(done_, "the stream does not end with [DONE]", Json());
        return std::move(answer_);
    }

    Answer read_body(std::string_view bytes) {
        const Json body = Json::parse(bytes, nullptr, false);
        if (body.is_object() && body.size() == 1 && body.contains("error")) {
            answer_.failed = true;
            answer_.failure = shape_.some_text(field(body, "error"), "message");
            return std::move(answer_);
        }
        read_response(body);
        for (const Json& item : field(body, "output")) read_whole_item(item);
        read_end(body);
        return std::move(answer_);
    }

private:
    void read_event(const NamedEvent& event) {
        if (done_) return shape_.check(false, "an event after [DONE]", Json(event.data));
        if (event.data == "[DONE]") {
            done_ = true;
            shape_.check(event.name.empty() && ended_, "[DONE] before the end", Json(event.name));
            return;
        }
        const Json data = Json::parse(event.data, nullptr, false);
        const std::string type = text_field(data, "type");
        shape_.check(data.is_object() && !type.empty() && type == event.name,
                     "an event of the name " + event.name, data);
        shape_.check(field(data, "sequence_number") == sequence_++, "sequence_number", data);
        if (ended_) return shape_.check(false, "an event after the end", data);
        if (sequence_ <= 2)
            return begin(data, sequence_ == 1 ? "response.created" : "response.in_progress");
        if (type == "response.completed" || type == "response.incomplete" ||
            type == "response.failed")
            return end(data);
        if (type == "response.output_item.added") return item_added(data);
        if (type == "response.output_item.done") return item_done(data);
        item_event(type, data);
    }

    void begin(const Json& data, std::string_view type) {
        shape_.check(field(data, "type") == type, "the stream does not begin right", data);
        const Json& response = field(data, "response");
        read_response(response);
        shape_.check(field(response, "status") == "in_progress", "status", response);
        shape_.check(field(response, "output") == Json::array(), "output at the start", response);
        shape_.check(field(response, "usage").is_null() && field(response, "error").is_null(),
                     "an end at the start", response);
    }

    void read_response(const Json& response) {
        for (const std::string& name : response_members)
            shape_.check(response.is_object() && response.contains(name),
                         "the response has no " + name, response);
        shape_.check(field(response, "id") == expected_.id, "id", response);
        shape_.check(field(response, "object") == "response", "object", response);
        shape_.check(field(response, "created_at") == expected_.created, "created_at", response);
        shape_.check(field(response, "model") == expected_.model, "model", response);
        answer_.choices[0];
    }

    void item_added(const Json& data) {
        shape_.members(data, "output_item.added",
                       {"type", "sequence_number", "output_index", "item"});
        shape_.check(item_.is_null(), "an item inside of another", data);
        shape_.check(field(data, "output_index") == items_.size(), "output_index", data);
        item_ = field(data, "item");
        told_.clear();
        part_ = Json();
        annotations_ = Json::array();
        part_done_ = text_done_ = false;
        shape_.check(ids_.insert(shape_.some_text(item_, "id")).second, "an id is used again",
                     data);
        const std::string type = text_field(item_, "type");
        if (type == "message") {
            check_message(item_, "in_progress");
            shape_.check(field(item_, "content") == Json::array(), "content at the start", data);
        } else if (type == "function_call") {
            check_call(item_, "in_progress");
            shape_.check(field(item_, "arguments") == "", "arguments at the start", data);
        } else {
            check_thought(item_);
            shape_.check(field(item_, "summary") == Json::array(), "a summary at the start", data);
        }
    }

    void item_event(const std::string& type, const Json& data) {
        const std::string kind = text_field(item_, "type");
        if (item_.is_null() || field(data, "item_id") != field(item_, "id") ||
            field(data, "output_index") != items_.size())
            return shape_.check(false, "an event of no open item", data);
        if (kind == "message") return message_event(type, data);
        if (kind == "reasoning") return thought_event(type, data);
        if (kind == "function_call") return call_event(type, data);
        shape_.check(false, "an event of an unknown item", data);
    }

    void message_event(const std::string& type, const Json& data) {
        shape_.check(field(data, "content_index") == 0, "content_index", data);
        if (type == "response.content_part.added") {
            shape_.check(part_.is_null(), "a second part", data);
            part_ = field(data, "part");
            return shape_.check(part_ == empty_part(), "begins as", data);
        }
        const bool is_refusal = text_field(part_, "type") == "refusal";
        const std::string begin = is_refusal ? "response.refusal." : "response.output_text.";
        const char* member = is_refusal ? "refusal" : "text";
        if (part_.is_null() || part_done_)
            return shape_.check(false, "an event of no open part", data);
        if (type == "response.content_part.done") {
            shape_.check(text_done_, "the part ends before its text", data);
            part_done_ = true;
            part_[member] = told_;
            if (!is_refusal) part_["annotations"] = annotations_;
            check_part(field(data, "part"));
            return;
        }
        if (text_done_) return shape_.check(false, "an event after the text's end", data);
        if (type == begin + "delta") {
            told_ += shape_.some_text(data, "delta");
            if (!is_refusal)
                shape_.check(field(data, "logprobs").is_array(), "logprobs is no array", data);
        } else if (type == begin + "done") {
            text_done_ = true;
            shape_.check(field(data, member) == told_, "not what the deltas said", data);
        } else if (type == "response.output_text.annotation.added") {
            shape_.check(!is_refusal && field(data, "annotation_index") == annotations_.size(),
                         "annotation_index", data);
            annotations_.push_back(field(data, "annotation"));
            check_annotation(annotations_.back());
        } else {
            shape_.check(false, "an event that a message can't have", data);
        }
    }

    Json empty_part() const {
        if (field(part_, "type") == "refusal") return Json{{"type", "refusal"}, {"refusal", ""}};
        return Json{{"type", "output_text"},
                    {"text", ""},
                    {"annotations", Json::array()},
                    {"logprobs", Json::array()}};
    }

    void check_part(const Json& part) {
        Json expected = part_;
        if (expected.contains("logprobs")) expected["logprobs"] = field(part, "logprobs");
        shape_.check(part == expected, "not the part that was told", part);
    }

    void check_annotation(const Json& annotation) {
        const std::string type = text_field(annotation, "type");
        if (type == "url_citation") {
            shape_.members(annotation, "annotation",
                           {"type", "start_index", "end_index", "url", "title"});
        } else {
            shape_.members(annotation, "annotation", {"type", "file_id", "filename", "index"});
        }
    }

    void thought_event(const std::string& type, const Json& data) {
        shape_.check(field(data, "summary_index") == 0, "summary_index", data);
        const auto part = [&] { return Json{{"type", "summary_text"}, {"text", told_}}; };
        if (type == "response.reasoning_summary_part.added") {
            shape_.check(part_.is_null(), "a second part", data);
            part_ = field(data, "part");
            shape_.check(part_ == part(), "begins as", data);
        } else if (part_.is_null() || part_done_) {
            shape_.check(false, "an event of no open part", data);
        } else if (type == "response.reasoning_summary_text.delta") {
            shape_.check(!text_done_, "more after the text's end", data);
            told_ += shape_.some_text(data, "delta");
        } else if (type == "response.reasoning_summary_text.done") {
            text_done_ = true;
            shape_.check(field(data, "text") == told_, "not what the deltas said", data);
        } else if (type == "response.reasoning_summary_part.done") {
            shape_.check(text_done_, "the part ends before its text", data);
            part_done_ = true;
            shape_.check(field(data, "part") == part(), "not the part that was told", data);
        } else {
            shape_.check(false, "an event that reasoning can't have", data);
        }
    }

    void call_event(const std::string& type, const Json& data) {
        if (type == "response.function_call_arguments.delta") {
            shape_.check(!text_done_, "more after the arguments' end", data);
            told_ += shape_.some_text(data, "delta");
        } else if (type == "response.function_call_arguments.done") {
            text_done_ = true;
            shape_.check(field(data, "arguments") == told_, "not what the deltas said", data);
            shape_.check(field(data, "name") == field(item_, "name"), "another name", data);
        } else {
            shape_.check(false, "an event that a call can't have", data);
        }
    }

    void item_done(const Json& data) {
        shape_.members(data, "output_item.done",
                       {"type", "sequence_number", "output_index", "item"});
        const Json& item = field(data, "item");
        if (item_.is_null()) return shape_.check(false, "the end of no open item", data);
        shape_.check(field(data, "output_index") == items_.size(), "output_index", data);
        for (const char* name : {"id", "type", "call_id", "name"})
            shape_.check(field(item, name) == field(item_, name), "another item", data);
        const std::string kind = text_field(item_, "type");
        if (kind == "message") {
            shape_.check(part_done_, "the message ends before its part", data);
            if (!field(item, "content").empty()) check_part(field(item, "content")[0]);
        } else if (kind == "reasoning") {
            shape_.check(part_.is_null() || part_done_, "it ends before its part", data);
        } else {
            shape_.check(text_done_, "the call ends before its arguments", data);
            shape_.check(field(item, "arguments") == told_, "not what the deltas said", data);
        }
        read_whole_item(item);
        items_.push_back(item);
        item_ = Json();
    }

    void read_whole_item(const Json& item) {
        const std::string type = text_field(item, "type");
        const bool cut = field(item, "status") == "incomplete";
        const char* status = cut ? "incomplete" : "completed";
        Choice& choice = answer_.choices[0];
        if (type == "message") {
            check_message(item, status);
            shape_.check(field(item, "content").size() == 1, "content", item);
            for (const Json& part : field(item, "content")) {
                choice.text += text_field(part, "text");
                choice.refusal += text_field(part, "refusal");
                for (const Json& annotation : field(part, "annotations"))
                    check_annotation(annotation);
            }
        } else if (type == "function_call") {
            check_call(item, status);
            choice.tool_calls.push_back({.id = text_field(item, "call_id"),
                                         .name = text_field(item, "name"),
                                         .arguments = text_field(item, "arguments")});
        } else {
            check_thought(item);
            for (const Json& part : field(item, "summary")) {
                shape_.check(field(part, "type") == "summary_text", "a part of a summary", item);
                choice.reasoning += shape_.some_text(part, "text");
            }
        }
    }

    void check_message(const Json& item, std::string_view status) {
        shape_.members(item, "the message", {"id", "type", "status", "role", "content"});
        shape_.check(field(item, "status") == status, "status", item);
        shape_.check(field(item, "role") == "assistant", "role", item);
        shape_.check(text_field(item, "id").starts_with("msg_"), "id", item);
    }

    void check_call(const Json& item, std::string_view status) {
        shape_.members(item, "the call", {"id", "type", "status", "call_id", "name", "arguments"});
        shape_.check(field(item, "status") == status, "status", item);
        shape_.check(text_field(item, "id").starts_with("fc_"), "id", item);
        shape_.some_text(item, "call_id");
        shape_.some_text(item, "name");
        shape_.check(field(item, "arguments").is_string(), "arguments are no text", item);
    }

    void check_thought(const Json& item) {
        shape_.check(field(item, "type") == "reasoning", "an unknown item", item);
        shape_.members(item, "reasoning", {"id", "type", "summary"}, {"encrypted_content"});
        if (item.contains("encrypted_content")) shape_.some_text(item, "encrypted_content");
    }

    void end(const Json& data) {
        ended_ = true;
        const Json& response = field(data, "response");
        read_response(response);
        shape_.check("response." + text_field(response, "status") == text_field(data, "type"),
                     "status", response);
        shape_.check(field(response, "output") == items_, "not the output that was told", response);
        // A failure may come in the middle of an item.
        if (field(data, "type") == "response.failed") return read_failure(response);
        shape_.check(item_.is_null(), "the end inside of an item", data);
        read_end(response);
    }

    // Its item was told as far as it went.
    void read_failure(const Json& response) {
        answer_.failed = true;
        shape_.members(field(response, "error"), "the error", {"code", "message"});
        answer_.failure = shape_.some_text(field(response, "error"), "message");
        shape_.some_text(field(response, "error"), "code");
        if (item_.is_null()) return;
        Choice& choice = answer_.choices[0];
        const std::string kind = text_field(item_, "type");
        if (kind == "function_call") {
            choice.tool_calls.push_back({.id = text_field(item_, "call_id"),
                                         .name = text_field(item_, "name"),
                                         .arguments = told_});
        } else if (kind == "reasoning") {
            choice.reasoning += told_;
        } else {
            (text_field(part_, "type") == "refusal" ? choice.refusal : choice.text) += told_;
        }
    }

    void read_end(const Json& response) {
        Choice& choice = answer_.choices[0];
        const std::string status = text_field(response, "status");
        const std::string reason = text_field(field(response, "incomplete_details"), "reason");
        shape_.check(field(response, "error").is_null(), "an error", response);
        if (status == "completed") {
            shape_.check(field(response, "incomplete_details").is_null(), "why", response);
            choice.finish = choice.tool_calls.empty() ? "stop" : "tool_calls";
        } else if (status == "incomplete" && reason == "max_output_tokens") {
            choice.finish = "length";
        } else if (status == "incomplete" && reason == "content_filter") {
            choice.finish = "content_filter";
        } else {
            shape_.check(false, "status", response);
        }
        read_usage(field(response, "usage"));
    }

    void read_usage(const Json& usage) {
        shape_.members(usage, "usage",
                       {"input_tokens", "input_tokens_details", "output_tokens",
                        "output_tokens_details", "total_tokens"});
        Usage read;
        read.prompt = shape_.count(usage, "input_tokens");
        read.completion = shape_.count(usage, "output_tokens");
        read.total = shape_.count(usage, "total_tokens");
        shape_.check(read.total == read.prompt + read.completion, "does not add up", usage);
        const auto detail = [&](const char* group, const char* name) {
            const std::int64_t count = shape_.count(field(usage, group), name);
            return count > 0 ? std::optional(count) : std::nullopt;
        };
        read.cached = detail("input_tokens_details", "cached_tokens");
        read.cache_write = detail("input_tokens_details", "cache_write_tokens");
        read.reasoning = detail("output_tokens_details", "reasoning_tokens");
        // Who counted nothing counts as zero.
        if (read.total > 0) answer_.usage = read;
    }

    const ExpectedEnvelope& expected_;
    Shape shape_;
    Answer answer_;
    int sequence_ = 0;
    bool ended_ = false, done_ = false;
    Json items_ = Json::array();
    std::set<std::string> ids_;
    // Of the open item.
    Json item_, part_, annotations_;
    std::string told_;
    bool text_done_ = false, part_done_ = false;
};

}  // namespace

ClientStream read_responses_stream(std::string_view bytes, const ExpectedEnvelope& expected) {
    ClientStream stream;
    stream.answer = ResponseReader(expected, &stream.violations).read_stream(bytes);
    return stream;
}

ClientBody read_responses_body(std::string_view bytes, const ExpectedEnvelope& expected) {
    ClientBody body;
    body.answer = ResponseReader(expected, &body.violations).read_body(bytes);
    return body;
}

}  // namespace runnel::conformance
