#include "api/responses/response_object.hpp"

#include "api/responses/output.hpp"
#include "api/responses/request.hpp"
#include "api/responses/sealed.hpp"
#include "api/responses/tools.hpp"
#include "base/utf8.hpp"
#include "json/parser.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace runnel::api::responses {
namespace {

using Status = ResponseObject::State::Status;
using timeline::Answer;

std::string compact(std::string_view raw) {
    std::string out;
    json::append_compact(out, raw);
    return out;
}

// Tells a client's request back to it, with what counts where it says nothing.
class EchoWriter {
public:
    EchoWriter(const chat::Request* request, std::string* out)
        : request_(request != nullptr ? *request : unsaid_),
          writer_(*out) {}

    void write() {
        write_instructions();
        text_or_null("previous_response_id", request_.conversation.previous);
        number_or_null("max_output_tokens", request_.max_tokens);
        extra_or("max_tool_calls", "null");
        writer_.key("parallel_tool_calls").boolean(request_.parallel_tool_calls.value_or(true));
        write_choice();
        write_tools();
        write_text();
        write_reasoning();
        real("temperature", request_.sampling.temperature, "1.0");
        real("top_p", request_.sampling.top_p, "1.0");
        real("presence_penalty", request_.sampling.presence_penalty, "0.0");
        real("frequency_penalty", request_.sampling.frequency_penalty, "0.0");
        writer_.key("top_logprobs").number(request_.sampling.top_logprobs.value_or(0));
        extra_or("truncation", R"("disabled")");
        const std::string& tier = request_.service_tier;
        writer_.key("service_tier").string(tier.empty() ? std::string("default") : tier);
        writer_.key("store").boolean(request_.conversation.keep);
        writer_.key("background").boolean(request_.conversation.in_background);
        if (const std::string& id = request_.conversation.id; !id.empty())
            writer_.key("conversation").begin_object().key("id").string(id).end_object();
        text_or_null("prompt_cache_key", request_.session);
        text_or_null("safety_identifier", request_.safety_identifier);
        text_or_null("user", request_.user);
        const std::string_view metadata = request_.metadata_raw;
        writer_.key("metadata").raw(metadata.empty() ? "{}" : compact(metadata));
    }

private:
    void text_or_null(json::Literal name, std::string_view text) {
        writer_.key(name);
        text.empty() ? writer_.null() : writer_.string(text);
    }

    void number_or_null(json::Literal name, std::optional<std::int64_t> number) {
        writer_.key(name);
        number ? writer_.number(*number) : writer_.null();
    }

    void real(json::Literal name, const std::optional<chat::Number>& number,
              std::string_view otherwise) {
        writer_.key(name).raw(number ? number->raw : otherwise);
    }

    void extra_or(json::Literal name, std::string_view otherwise) {
        const std::string_view raw = chat::find(request_.extras, name.text());
        writer_.key(name).raw(raw.empty() ? std::string(otherwise) : compact(raw));
    }

    // They are the first of the client's messages.
    void write_instructions() {
        writer_.key("instructions");
        const auto& fields = request_.field_names;
        const auto first = std::ranges::find(request_.messages, 1U, &chat::Message::number);
        const bool told = std::ranges::find(fields, "instructions") != fields.end() &&
                          first != request_.messages.end() && first->role == chat::Role::system &&
                          !first->parts.empty();
        const auto words = told ? first->parts.front().words() : std::nullopt;
        words ? writer_.escaped(*words) : writer_.null();
    }

    void write_choice() {
        using Kind = chat::ToolChoice::Kind;
        const std::string_view raw = chat::find(request_.extras, "tool_choice");
        writer_.key("tool_choice");
        if (!raw.empty()) {
            writer_.raw(compact(raw));
            return;
        }
        const Kind kind = request_.tool_choice.kind;
        if (kind == Kind::named) {
            writer_.begin_object().key("type").string("function");
            writer_.key("name").string(request_.tool_choice.name).end_object();
        } else {
            writer_.string(kind == Kind::none       ? std::string_view("none")
                           : kind == Kind::required ? std::string_view("required")
                                                    : std::string_view("auto"));
        }
    }

    // Those of a group stand together.
    void write_tools() {
        writer_.key("tools").begin_array();
        std::string_view open_group;
        for (const chat::Tool& tool : request_.tools) {
            const std::string_view group = as_client_knows(tool).group;
            if (group != open_group && !open_group.empty()) writer_.end_array().end_object();
            if (group != open_group && !group.empty()) begin_group(tool, group);
            open_group = group;
            write_tool(tool);
        }
        if (!open_group.empty()) writer_.end_array().end_object();
        writer_.end_array();
    }

    void begin_group(const chat::Tool& first, std::string_view group) {
        const std::string_view description = chat::find(first.extras, "namespace_description");
        writer_.begin_object().key("type").string("namespace").key("name").string(group);
        writer_.key("description").raw(description.empty() ? "null" : description);
        writer_.key("tools").begin_array();
    }

    void write_tool(const chat::Tool& tool) {
        if (tool.kind == chat::Tool::Kind::provider) {
            writer_.raw(compact(tool.raw));
            return;
        }
        const bool is_custom = tool.kind == chat::Tool::Kind::custom;
        writer_.begin_object().key("type");
        is_custom ? writer_.string("custom") : writer_.string("function");
        writer_.key("name").string(as_client_knows(tool).name).key("description");
        tool.description_escaped.empty() ? writer_.null()
                                         : writer_.escaped(tool.description_escaped);
        if (is_custom) {
            writer_.key("format").raw(tool.format_raw.empty() ? R"({"type":"text"})"
                                                              : compact(tool.format_raw));
        } else {
            writer_.key("parameters");
            writer_.raw(tool.parameters_raw.empty() ? "null" : compact(tool.parameters_raw));
            writer_.key("strict");
            tool.strict ? writer_.boolean(*tool.strict) : writer_.null();
        }
        writer_.end_object();
    }

    void write_text() {
        writer_.key("text").begin_object().key("format").begin_object().key("type");
        const chat::OutputFormat& output = request_.output;
        if (output.kind == chat::OutputFormat::Kind::json_schema) {
            writer_.string("json_schema").key("name").string(output.name).key("description");
            output.description_escaped.empty() ? writer_.null()
                                               : writer_.escaped(output.description_escaped);
            writer_.key("schema").raw(compact(output.schema_raw));
            writer_.key("strict").boolean(output.strict.value_or(false));
        } else if (output.kind == chat::OutputFormat::Kind::json_object) {
            writer_.string("json_object");
        } else {
            writer_.string("text");
        }
        writer_.end_object();
        if (!request_.verbosity.empty()) writer_.key("verbosity").string(request_.verbosity);
        writer_.end_object();
    }

    void write_reasoning() {
        const chat::ReasoningWish& wish = request_.reasoning;
        writer_.key("reasoning").begin_object();
        text_or_null("effort", wish.effort ? chat::name_of(*wish.effort) : std::string_view());
        text_or_null("summary", wish.summary);
        writer_.end_object();
    }

    const chat::Request unsaid_{};
    const chat::Request& request_;
    json::Writer writer_;
};

std::string_view word_for(Status status) {
    switch (status) {
        case Status::queued: return "queued";
        case Status::in_progress: return "in_progress";
        case Status::completed: return "completed";
        case Status::incomplete: return "incomplete";
        case Status::failed: return "failed";
    }
    return "completed";
}

// Clients try again after codes that they do not know, so that what would fail again says so.
std::string_view error_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::context_length_exceeded: return "context_length_exceeded";
        case ErrorKind::insufficient_balance:
        case ErrorKind::key_spend_limit_reached:
        case ErrorKind::upstream_quota: return "insufficient_quota";
        case ErrorKind::overloaded:
        case ErrorKind::upstream_overloaded: return "server_is_overloaded";
        default: break;
    }
    const int http_status = shape_of(kind).status;
    if (http_status == 429) return "rate_limit_exceeded";
    return http_status >= 500 || http_status == 408 ? "server_error" : "invalid_prompt";
}

// Codex reads the time to wait for out of the text.
std::string message_of(const Error& error) {
    std::string message = with_valid_utf8(error.message);
    if (error.retry_after && error_code(error.kind) == "rate_limit_exceeded")
        message += fmt::format(" Please try again in {}ms.", error.retry_after->count());
    return message;
}

void write_error(json::Writer& writer, const Error* error) {
    writer.key("error");
    if (error == nullptr) {
        writer.null();
        return;
    }
    writer.begin_object().key("code").string(error_code(error->kind));
    writer.key("message").string(message_of(*error)).end_object();
}

void write_usage(json::Writer& writer, const timeline::Usage& usage) {
    writer.begin_object().key("input_tokens").number(usage.input());
    writer.key("input_tokens_details").begin_object();
    writer.key("cached_tokens").number(usage.cache_read.value_or(0));
    writer.key("cache_write_tokens").number(usage.cache_write.value_or(0)).end_object();
    writer.key("output_tokens").number(usage.output);
    writer.key("output_tokens_details").begin_object();
    writer.key("reasoning_tokens").number(usage.reasoning.value_or(0)).end_object();
    writer.key("total_tokens").number(usage.total()).end_object();
}

// The items of a whole answer, one after another.
class OutputWriter {
public:
    OutputWriter(const Envelope& envelope, Status status) : envelope_(envelope), status_(status) {}

    std::string write(const Answer::Choice& choice) {
        for (const Answer::Item& item : choice.items) {
            const bool is_last = &item == &choice.items.back();
            const bool is_cut = is_last && status_ != Status::completed;
            item_status_ = is_cut ? ItemStatus::incomplete : ItemStatus::completed;
            std::visit([&](const auto& told) { add(told); }, item);
        }
        return std::move(output_);
    }

private:
    void add(const Answer::Text& text) {
        OutputItem item{.kind = OutputItem::Kind::text, .text = text.text_escaped};
        for (const timeline::Event& event : text.citations.events())
            if (const auto* citation = std::get_if<timeline::Citation>(&event))
                if (has_annotation(*citation)) add_annotation(item.annotations, *citation);
        for (const timeline::Event& event : text.logprobs.events())
            if (const auto* logprobs = std::get_if<timeline::Logprobs>(&event))
                add_logprobs(item.logprobs, *logprobs);
        append(std::move(item));
    }

    void add(const Answer::Refusal& refusal) {
        append({.kind = OutputItem::Kind::refusal, .text = refusal.text_escaped});
    }

    void add(const Answer::Reasoning& thought) {
        const bool is_hidden = envelope_.reasoning == Envelope::Reasoning::hidden;
        if (is_hidden && thought.signature_escaped.empty()) return;
        OutputItem item{.kind = OutputItem::Kind::reasoning};
        if (!is_hidden) item.text = thought.text_escaped;
        if (!thought.signature_escaped.empty())
            append_sealed(item.sealed, Seal::signature, thought.issuer, thought.signature_escaped);
        append(std::move(item));
    }

    void add(const Answer::EncryptedReasoning& thought) {
        OutputItem item{.kind = OutputItem::Kind::reasoning, .id = thought.id};
        append_sealed(item.sealed, Seal::encrypted, thought.issuer, thought.data_escaped);
        append(std::move(item));
    }

    void add(const Answer::ToolCall& call) {
        OutputItem item = call_item(envelope_.request, call.id, call.name);
        item.text = call.arguments_escaped;
        complete_call(item);
        append(std::move(item));
    }

    // The gateway's own tools are not for the client to see, and pictures have no item of their
    // own.
    void add(const Answer::ServerTool&) {}
    void add(const Answer::Media&) {}
    void add(const Answer::Native&) {}

    void append(OutputItem item) {
        if (item.id.empty()) item.id = item_id(envelope_.id, item.kind, index_);
        ++index_;
        append_item(output_, item, item_status_);
    }

    const Envelope& envelope_;
    Status status_;
    ItemStatus item_status_ = ItemStatus::completed;
    int index_ = 0;
    std::string output_;
};

std::string with_status(std::string_view response_json, std::string_view status,
                        const Error* error) {
    auto response = json::read_tree(response_json);
    if (!response || !response->is_object()) return std::string(response_json);
    response->set("status", json::Node::string(status));
    if (error != nullptr) {
        json::Node told = json::Node::object();
        told.set("code", json::Node::string(error_code(error->kind)));
        told.set("message", json::Node::string(message_of(*error)));
        response->set("error", std::move(told));
    }
    std::string out;
    json::append_tree(out, *response);
    return out;
}

}  // namespace

ResponseObject::ResponseObject(const Envelope& envelope) {
    json::Writer writer(begin_);
    writer.begin_object().key("id").string(envelope.id).key("object").string("response");
    writer.key("created_at").number(envelope.created).key("model").string(envelope.model);
    EchoWriter(envelope.request, &begin_).write();
}

void ResponseObject::append(std::string& out, const State& state) const {
    out += begin_;
    json::Writer writer(out);
    writer.key("status").string(word_for(state.status)).key("completed_at").null();
    write_error(writer, state.error);
    writer.key("incomplete_details");
    if (state.status == Status::incomplete) {
        const bool is_cut = state.finish == timeline::Finish::length;
        writer.begin_object().key("reason");
        is_cut ? writer.string("max_output_tokens") : writer.string("content_filter");
        writer.end_object();
    } else {
        writer.null();
    }
    writer.key("output").begin_array().raw(state.output).end_array().key("usage");
    const bool is_over = state.status == Status::completed || state.status == Status::incomplete;
    // Clients read usage without looking: a provider that counted nothing counts as zero.
    if (state.usage || is_over) {
        write_usage(writer, state.usage.value_or(timeline::Usage{}));
    } else {
        writer.null();
    }
    writer.end_object();
}

Status status_of(timeline::Finish finish) {
    const bool is_cut =
        finish == timeline::Finish::length || finish == timeline::Finish::content_filter;
    return is_cut ? Status::incomplete : Status::completed;
}

std::string whole_answer(const Envelope& envelope, const Answer& answer) {
    const Answer::Choice none;
    const Answer::Choice& choice = answer.choices.empty() ? none : answer.choices.front();
    const timeline::Finish finish = choice.finish.value_or(timeline::Finish::stop);
    const Status status = answer.error ? Status::failed : status_of(finish);
    const std::string output = OutputWriter(envelope, status).write(choice);
    std::string out;
    ResponseObject(envelope).append(
        out, {status, output, answer.usage, finish, answer.error ? &*answer.error : nullptr});
    return out;
}

std::string queued_response(const Envelope& envelope) {
    std::string out;
    ResponseObject(envelope).append(out, {.status = Status::queued});
    return out;
}

std::string cancelled_response(std::string_view response_json) {
    return with_status(response_json, "cancelled", nullptr);
}

std::string failed_response(std::string_view response_json, const Error& error) {
    return with_status(response_json, word_for(Status::failed), &error);
}

std::string begun_response(std::string_view response_json) {
    return with_status(response_json, word_for(Status::in_progress), nullptr);
}

}  // namespace runnel::api::responses
