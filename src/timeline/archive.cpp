#include "timeline/archive.hpp"

#include "base/utf8.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "timeline/archive_names.hpp"

namespace runnel::timeline {
namespace {

using json::Literal;
using json::Writer;

constexpr std::size_t closing_bytes = 2;  // ]}

void add_count(Writer& writer, Literal name, const std::optional<std::int64_t>& count) {
    if (count) writer.key(name).number(*count);
}

void add_text(Writer& writer, Literal name, std::string_view text) {
    if (!text.empty()) writer.key(name).string(text);
}

void add_escaped(Writer& writer, Literal name, std::string_view text) {
    if (!text.empty()) writer.key(name).escaped(text);
}

// The first choice is the only one, almost always.
Writer& add_choice(Writer& writer, Choice choice) {
    if (choice != 0) writer.key("choice").number(choice);
    return writer;
}

void write(Writer& writer, const Usage& usage) {
    writer.key("usage").begin_object();
    writer.key("fresh_input").number(usage.fresh_input);
    add_count(writer, "cache_read", usage.cache_read);
    add_count(writer, "cache_write", usage.cache_write);
    writer.key("output").number(usage.output);
    add_count(writer, "reasoning", usage.reasoning);
    add_count(writer, "audio_input", usage.audio_input);
    add_count(writer, "audio_output", usage.audio_output);
    writer.end_object();
}

void write(Writer& writer, const ServerTool& tool) {
    writer.key("server_tool").begin_object();
    writer.key("state").string(name_in(server_tool_states, tool.state));
    add_text(writer, "id", tool.id);
    add_text(writer, "name", tool.name);
    add_text(writer, "arguments", tool.arguments_raw);
    add_text(writer, "result", tool.result_raw);
    add_text(writer, "explanation", tool.explanation_raw);
    writer.end_object();
}

void write(Writer& writer, const Citation& citation) {
    writer.key("citation").begin_object();
    writer.key("kind").string(name_in(citation_kinds, citation.kind));
    add_escaped(writer, "url", citation.url);
    add_escaped(writer, "title", citation.title);
    add_escaped(writer, "cited_text", citation.cited_text);
    add_count(writer, "text_start", citation.text_start);
    add_count(writer, "text_end", citation.text_end);
    add_count(writer, "document", citation.document);
    add_count(writer, "start", citation.start);
    add_count(writer, "end", citation.end);
    add_escaped(writer, "file_id", citation.file_id);
    add_escaped(writer, "reference", citation.reference);
    add_text(writer, "native_api", citation.native.api);
    add_text(writer, "native", citation.native.raw);
    writer.end_object();
}

void write(Writer& writer, const Native& native) {
    writer.key("native").begin_object();
    writer.key("what").string(name_in(native_kinds, native.what));
    add_text(writer, "api", native.json.api);
    add_text(writer, "json", native.json.raw);
    writer.end_object();
}

void write(Writer& writer, const Media& media) {
    writer.key("media").begin_object();
    writer.key("kind").string(name_in(media_kinds, media.kind));
    add_text(writer, "media_type", media.media_type);
    add_escaped(writer, "data", media.data);
    add_escaped(writer, "url", media.url);
    add_escaped(writer, "id", media.id);
    add_escaped(writer, "transcript", media.transcript);
    add_count(writer, "expires_at", media.expires_at);
    writer.end_object();
}

void write(Writer& writer, std::span<const TokenLogprob> tokens) {
    writer.begin_array();
    for (const TokenLogprob& token : tokens) {
        writer.begin_object().key("token").escaped(token.token);
        writer.key("logprob").string(token.logprob_raw);
        add_text(writer, "bytes", token.bytes_raw);
        if (!token.top.empty()) write(writer.key("top"), token.top);
        writer.end_object();
    }
    writer.end_array();
}

void write(Writer& writer, const Error& error) {
    writer.key("failed").begin_object();
    writer.key("kind").string(name_of(error.kind));
    add_text(writer, "message", error.message);
    add_text(writer, "param", error.param);
    if (error.retry_after) writer.key("retry_after_ms").number(error.retry_after->count());
    writer.end_object();
}

// The member that an event is known by comes last: what belongs to it is known then. Raw JSON is
// written as text, so that the document is one line whatever it holds.
void write(Writer& writer, const Event& event) {
    std::visit(
        Overload{
            [&](const Started&) { writer.key("started").boolean(true); },
            [&](const Text& e) { add_choice(writer, e.choice).key("text").escaped(e.text); },
            [&](const Reasoning& e) {
                add_choice(writer, e.choice).key("reasoning").escaped(e.text);
            },
            [&](const ReasoningSigned& e) {
                add_choice(writer, e.choice);
                add_text(writer, "issuer", e.issuer);
                writer.key("reasoning_signed").escaped(e.signature);
            },
            [&](const ReasoningEncrypted& e) {
                add_choice(writer, e.choice);
                add_text(writer, "issuer", e.issuer);
                add_text(writer, "id", e.id);
                writer.key("reasoning_encrypted").escaped(e.data);
            },
            [&](const Refusal& e) { add_choice(writer, e.choice).key("refusal").escaped(e.text); },
            [&](const ItemEnded& e) {
                add_choice(writer, e.choice).key("item_ended").boolean(true);
            },
            [&](const ToolStarted& e) {
                add_choice(writer, e.choice).key("id").string(e.id);
                writer.key("name").string(e.name).key("tool_started").number(e.index);
            },
            [&](const ToolArguments& e) {
                add_choice(writer, e.choice).key("index").number(e.index);
                writer.key("tool_arguments").escaped(e.fragment);
            },
            [&](const ToolEnded& e) {
                add_choice(writer, e.choice).key("tool_ended").number(e.index);
            },
            [&](const ServerTool& e) { write(writer, e); },
            [&](const HoldOver& e) {
                writer.key("hold_over").string(name_in(hold_over_reasons, e.why));
            },
            [&](const Native& e) { write(add_choice(writer, e.choice), e); },
            [&](const Citation& e) { write(add_choice(writer, e.choice), e); },
            [&](const Media& e) { write(add_choice(writer, e.choice), e); },
            [&](const Logprobs& e) {
                add_choice(writer, e.choice).key("of").string(name_in(logprobs_of, e.of));
                write(writer.key("logprobs"), e.tokens);
            },
            [&](const ProviderState& e) {
                writer.key("id").string(e.call_id).key("provider_state").string(e.raw);
            },
            [&](const UsageReported& e) { write(writer, e.usage); },
            [&](const Finished& e) {
                add_choice(writer, e.choice);
                add_text(writer, "native", e.native);
                add_escaped(writer, "stop_sequence", e.stop_sequence);
                writer.key("finished").string(name_of(e.finish));
            },
            [&](const Failed& e) { write(writer, e.error); },
            [&](const Ended&) { writer.key("ended").boolean(true); },
        },
        event);
}

void append_event(std::string& out, EventTime at, const Event& event) {
    Writer writer(out);
    writer.begin_object().key("ms").number(at.count());
    write(writer, event);
    writer.end_object();
}

}  // namespace

ArchiveWriter::ArchiveWriter(std::size_t bytes_max, Now now)
    : bytes_max_(bytes_max),
      now_(std::move(now)),
      began_(now_()) {
    Writer(text_).begin_object().key("version").number(archive_version).key("events").begin_array();
}

void ArchiveWriter::on(const Event& event) {
    add(std::chrono::duration_cast<EventTime>(now_() - began_), event);
}

void ArchiveWriter::add(EventTime at, const Event& event) {
    if (std::holds_alternative<Ended>(event)) ended_ = true;
    if (!truncated_) {
        const std::size_t before = text_.size();
        append_event(text_, at, event);
        if (text_.size() + closing_bytes <= bytes_max_) return;
        text_.resize(before);
        truncated_ = true;
    }
    add_late(at, event);
}

// Only what there are few of, so that it is still bounded.
void ArchiveWriter::add_late(EventTime at, const Event& event) {
    if (const auto* usage = std::get_if<UsageReported>(&event)) {
        late_usage_.emplace(at, usage->usage);
        return;
    }
    const bool is_end = std::holds_alternative<Finished>(event) ||
                        std::holds_alternative<Failed>(event) ||
                        std::holds_alternative<Ended>(event);
    if (!is_end) return;
    if (ended_) append_late_usage();
    append_event(text_, at, event);
}

void ArchiveWriter::append_late_usage() {
    if (late_usage_) append_event(text_, late_usage_->first, UsageReported{late_usage_->second});
    late_usage_.reset();
}

std::string ArchiveWriter::take() {
    append_late_usage();
    Writer writer(text_);
    writer.end_array();
    if (truncated_) writer.key("truncated").boolean(true);
    writer.end_object();
    if (json::find_invalid_utf8(text_) != std::string::npos) return with_valid_utf8(text_);
    return std::move(text_);
}

std::string write_archive(const TimedRecording& recording, std::size_t bytes_max) {
    ArchiveWriter writer(bytes_max, [] { return ArchiveWriter::Clock::time_point(); });
    for (std::size_t i = 0; i < recording.events().size(); ++i)
        writer.add(recording.times()[i], recording.events()[i]);
    writer.truncated_ |= recording.truncated;
    return writer.take();
}

}  // namespace runnel::timeline
