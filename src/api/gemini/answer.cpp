#include "api/gemini/answer.hpp"

#include "api/gemini/candidate.hpp"
#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::api::gemini {
namespace {

using timeline::Answer;

void append_usage(std::string& out, const timeline::Usage& usage) {
    // Some providers count more thoughts than they count output.
    const std::int64_t thoughts = std::min(usage.reasoning.value_or(0), usage.output);
    json::Writer writer(out);
    writer.begin_object().key("promptTokenCount").number(usage.input());
    writer.key("candidatesTokenCount").number(usage.output - thoughts);
    writer.key("totalTokenCount").number(usage.total());
    if (usage.reasoning) writer.key("thoughtsTokenCount").number(thoughts);
    if (usage.cache_read) writer.key("cachedContentTokenCount").number(*usage.cache_read);
    writer.end_object();
}

void tell(const timeline::Recording& recording, Candidate& candidate) {
    for (const timeline::Event& event : recording.events()) {
        if (const auto* citation = std::get_if<timeline::Citation>(&event))
            candidate.cite(*citation);
        if (const auto* logprobs = std::get_if<timeline::Logprobs>(&event))
            candidate.logprobs(*logprobs);
    }
}

void write_candidate(std::string& out, const Envelope& envelope, const Answer::Choice& choice,
                     int index) {
    Candidate candidate;
    const bool hides_thoughts = envelope.reasoning == Envelope::Reasoning::hidden;
    for (const Answer::Item& item : choice.items)
        std::visit(timeline::Overload{
                       [&](const Answer::Text& text) {
                           candidate.text(text.text_escaped);
                           tell(text.citations, candidate);
                           tell(text.logprobs, candidate);
                       },
                       [&](const Answer::Reasoning& thought) {
                           if (!hides_thoughts && !thought.text_escaped.empty())
                               candidate.thought(thought.text_escaped);
                           if (!thought.signature_escaped.empty())
                               candidate.sign(thought.signature_escaped, thought.issuer);
                       },
                       [&](const Answer::EncryptedReasoning& thought) {
                           candidate.encrypted(thought.data_escaped, thought.issuer);
                       },
                       [&](const Answer::Refusal& refusal) {
                           candidate.text(refusal.text_escaped);
                           tell(refusal.logprobs, candidate);
                       },
                       [&](const Answer::ToolCall& call) {
                           candidate.begin_call(0, call.id, call.name);
                           candidate.add_arguments(0, call.arguments_escaped);
                           candidate.end_call(0);
                       },
                       // The gateway's own tools are not for the client to see.
                       [](const Answer::ServerTool&) {},
                       [&](const Answer::Media& media) { candidate.media(media.view()); },
                       [&](const Answer::Native& native) {
                           candidate.part({native.json.api, native.json.raw});
                       },
                   },
                   item);
    for (const Answer::NativeJson& fields : choice.finish_fields)
        candidate.fields({fields.api, fields.raw});
    candidate.finish(choice.finish.value_or(timeline::Finish::stop), choice.native_finish);
    candidate.write_last(out, index);
}

std::string_view status_name(int status) {
    switch (status) {
        case 401: return "UNAUTHENTICATED";
        case 402: return "FAILED_PRECONDITION";
        case 403: return "PERMISSION_DENIED";
        case 404: return "NOT_FOUND";
        case 429: return "RESOURCE_EXHAUSTED";
        case 502:
        case 503: return "UNAVAILABLE";
        case 408:
        case 504: return "DEADLINE_EXCEEDED";
        default: break;
    }
    return status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
}

}  // namespace

void append_fields(std::string& out, const timeline::NativeJson& fields) {
    if (is_ours(fields) && fields.raw.size() > 2)
        out.append(fields.raw.substr(1, fields.raw.size() - 2)).append(1, ',');
}

bool is_blocked(std::string_view fields) { return fields.contains(R"("blockReason")"); }

void append_tail(std::string& out, const Envelope& envelope,
                 const std::optional<timeline::Usage>& usage,
                 const timeline::NativeJson& native_usage) {
    out += ']';
    json::Writer writer(out);
    if (is_ours(native_usage)) {
        writer.key("usageMetadata").raw(native_usage.raw);
    } else if (usage) {
        writer.key("usageMetadata");
        append_usage(out, *usage);
    }
    writer.key("modelVersion").string(envelope.model);
    writer.key("responseId").string(envelope.id).end_object();
}

std::string whole_answer(const Envelope& envelope, const Answer& answer) {
    std::string fields;
    for (const Answer::NativeJson& json : answer.native_fields)
        append_fields(fields, {json.api, json.raw});
    std::string out = fmt::format(R"({{{}"candidates":[)", fields);
    for (std::size_t i = 0; i < answer.choices.size(); ++i) {
        if (is_blocked(fields) && answer.choices[i].items.empty()) break;
        if (i > 0) out += ',';
        write_candidate(out, envelope, answer.choices[i], static_cast<int>(i));
    }
    append_tail(out, envelope, answer.usage, {answer.native_usage.api, answer.native_usage.raw});
    return out;
}

int error_status(const Error& error) {
    const NativeError* native = error.native_in(chat::name_of(chat::Api::gemini));
    return native != nullptr && native->status >= 400 ? native->status
                                                      : shape_of(error.kind).status;
}

std::string error_body(const Error& error) {
    const NativeError* native = error.native_in(chat::name_of(chat::Api::gemini));
    const int status = error_status(error);
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object().key("code").number(status);
    // It may repeat what the client sent, such as a path, and JSON is UTF-8 whatever that was.
    writer.key("message").string(
        with_valid_utf8(native != nullptr ? native->message : error.message));
    writer.key("status").string(native != nullptr ? std::string_view(native->type)
                                                  : status_name(status));
    if (error.retry_after) {
        const double seconds = static_cast<double>(error.retry_after->count()) / 1000;
        writer.key("details").begin_array().begin_object().key("@type");
        writer.string("type.googleapis.com/google.rpc.RetryInfo");
        writer.key("retryDelay").string(fmt::format("{}s", seconds));
        writer.end_object().end_array();
    }
    writer.end_object().end_object();
    return out;
}

}  // namespace runnel::api::gemini
