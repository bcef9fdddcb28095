#include "provider/openai/wire.hpp"

#include "base/limits.hpp"
#include "framing/sse.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/core/logprobs.hpp"
#include "provider/core/reasoning_keeper.hpp"
#include "provider/openai/calls.hpp"
#include "provider/openai/delta.hpp"
#include "provider/openai/finish.hpp"
#include "provider/openai/sources.hpp"
#include "provider/openai/usage.hpp"

#include <fmt/format.h>

namespace runnel::provider {
namespace {

namespace ondemand = json::ondemand;
using timeline::Choice;

bool is_truthy(ondemand::value value) {
    std::string_view raw;
    if (!json::raw_value(value, raw)) return false;
    return raw != "null" && raw != "false" && raw != "0" && raw != "\"\"";
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Chunks and whole answers differ only in the name of what a choice holds (`delta`, `message`), so
// one reader does for both: each field once, in the order of the document, and whatever depends on
// several fields after the last of them.
class OpenAiWire final : public Wire {
public:
    OpenAiWire(const Preset& preset, std::string display_name, json::Parser* parser)
        : display_name_(std::move(display_name)),
          parser_(parser),
          calls_(preset.request.replay == ReasoningReplay::as_sent ? CallKeys::Extra::keep
                                                                   : CallKeys::Extra::drop),
          reasoning_(preset.request.replay) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;
    std::size_t held_bytes() const override {
        return sources_.held_bytes() + reasoning_.held_bytes();
    }

private:
    // What one document said beside its choices.
    struct Document {
        bool has_choices = false;
        bool failed = false;    // it holds an error, in whichever of the places for one
        bool done = false;      // Perplexity's last chunk says so by its type
        bool finished = false;  // a choice
        std::optional<ErrorKind>
            aborted{};  // a finish reason that is none, and the provider's word for it
        std::string_view aborted_native{};
        std::optional<timeline::Usage> usage{};
        std::optional<timeline::Usage> usage_elsewhere{};  // x_groq's, a choice's own
    };

    void begin(Turn& turn);
    simdjson::error_code read(Padded json, Turn& turn, Document& document);
    void read_choice(ondemand::value value, Turn& turn, Document& document);
    void read_groq(ondemand::value value, Document& document);
    // What the choice ended with, if it did.
    struct End {
        std::string_view native{};
        std::string_view stop_sequence{};
    };
    void tell(Choice choice, const Pieces& pieces, Turn& turn);
    void tell_citation(Choice choice, timeline::Citation citation, Turn& turn);
    void finish(Choice choice, const End& end, Turn& turn, Document& document);
    void conclude(const Document& document, std::string_view json, Turn& turn);
    void complete(Turn& turn);

    std::string display_name_;
    json::Parser* parser_;
    Pieces delta_;
    Pieces message_;
    LogprobsReader logprobs_;
    CallKeys calls_;
    ReasoningKeeper reasoning_;
    Sources sources_;
    bool begun_ = false;
    bool deltas_spoke_ = false;
};

std::unique_ptr<framing::Framing> OpenAiWire::framing_for(char first) const {
    // A field name (data, event, error, id, retry), a comment, or a byte order mark begins a
    // stream; JSON, HTML and proxies' plain text do not.
    constexpr std::string_view stream_beginnings = "deir:\xEF";
    if (stream_beginnings.find(first) == std::string_view::npos) return nullptr;
    return std::make_unique<framing::Decoder>(limits::frame_bytes);
}

void OpenAiWire::on_frame(const framing::Frame& frame, Turn& turn) {
    const std::string_view text = frame.data.text();
    if (!text.starts_with('{') && trimmed(text).starts_with("[DONE]")) return complete(turn);
    if (frame.event == "error") return turn.fail(to_error(display_name_, read_error_facts(text)));
    Document document;
    if (read(frame.data, turn, document) != simdjson::SUCCESS) turn.malformed();
    conclude(document, text, turn);
}

void OpenAiWire::on_body(Padded body, Turn& turn) {
    Document document;
    const auto error = read(body, turn, document);
    conclude(document, body.text(), turn);
    if (turn.ended()) return;
    if (error == simdjson::SUCCESS && document.has_choices) return complete(turn);
    // No answer in it: perhaps an error in one of the shapes that look like nothing else.
    const ErrorFacts facts = read_error_facts(body.text());
    const bool is_json = error == simdjson::SUCCESS || trimmed(body.text()).starts_with('[');
    const bool explains = is_json && !facts.message.empty();
    turn.fail(explains
                  ? to_error(display_name_, facts)
                  : Error{ErrorKind::upstream_malformed,
                          fmt::format("{} sent an answer that cannot be read", display_name_)});
}

void OpenAiWire::begin(Turn& turn) {
    if (begun_) return;
    begun_ = true;
    turn.started();
}

simdjson::error_code OpenAiWire::read(Padded json, Turn& turn, Document& document) {
    ondemand::document parsed;
    if (const auto error = parser_->parse(json, parsed)) return error;
    ondemand::object root;
    if (const auto error = parsed.get_object().get(root)) return error;
    return for_each_field(root, [&](std::string_view name, ondemand::value value) {
        if (name == "choices") {
            ondemand::json_type type;
            document.has_choices = !value.type().get(type) && type == ondemand::json_type::array;
            if (document.has_choices) begin(turn);
            (void)for_each_element(
                value, [&](ondemand::value choice) { read_choice(choice, turn, document); });
        } else if (name == "usage") {
            document.usage = read_openai_usage(value);
        } else if (name == "object") {
            std::string_view type;
            if (!json::escaped_string(value, type)) return;
            document.done = type == "chat.completion.done";
            document.failed = document.failed || type == "error";
        } else if (name == "error") {
            document.failed = document.failed || is_truthy(value);
        } else if (name == "citations" || name == "search_results") {
            sources_.read(value);
        } else if (name == "x_groq") {
            read_groq(value, document);
        } else if (name == "base_resp") {
            // MiniMax says so in a 200.
            (void)for_each_field(value, [&](std::string_view key, ondemand::value code) {
                if (key == "status_code") document.failed = document.failed || is_truthy(code);
            });
        }
    });
}

void OpenAiWire::read_groq(ondemand::value value, Document& document) {
    (void)for_each_field(value, [&](std::string_view name, ondemand::value field) {
        if (name == "usage") {
            document.usage_elsewhere = read_openai_usage(field);
        } else if (name == "error") {
            document.failed = document.failed || is_truthy(field);
        }
    });
}

void OpenAiWire::read_choice(ondemand::value value, Turn& turn, Document& document) {
    std::int64_t index = 0;
    End end;
    bool whole_message = false;
    delta_.clear();
    message_.clear();
    logprobs_.clear();
    const auto error = for_each_field(value, [&](std::string_view name, ondemand::value field) {
        if (name == "delta") {
            (void)delta_.read(field);
        } else if (name == "index") {
            (void)json::integer(field, index);
        } else if (name == "finish_reason") {
            (void)json::escaped_string(field, end.native);
        } else if (name == "stop_reason" || name == "matched_stop") {
            // vLLM's and SGLang's; a token's number where it was no text.
            (void)json::escaped_string(field, end.stop_sequence);
        } else if (name == "logprobs") {
            logprobs_.read(field);
        } else if (name == "message" && !deltas_spoke_) {
            // Beside deltas it only repeats them: Perplexity on every chunk, MiniMax on the last.
            whole_message = true;
            message_.clear();
            (void)message_.read(field);
            message_.put_reasoning_first();
        } else if (name == "text" && !whole_message && !deltas_spoke_) {
            // A legacy completion's; Together puts it beside the delta.
            message_.add_text(field);
        } else if (name == "usage") {
            document.usage_elsewhere = read_openai_usage(field);
        } else if (name == "error") {
            document.failed = document.failed || is_truthy(field);
        }
    });
    if (error != simdjson::SUCCESS || index < 0 ||
        index >= static_cast<std::int64_t>(limits::choices)) {
        turn.malformed();
        return;
    }
    const auto choice = static_cast<Choice>(index);
    turn.begun(choice);
    tell(choice, delta_.empty() ? message_ : delta_, turn);
    deltas_spoke_ = deltas_spoke_ || !delta_.empty();
    if (!end.native.empty()) finish(choice, end, turn, document);
}

void OpenAiWire::tell(Choice choice, const Pieces& pieces, Turn& turn) {
    using Kind = Piece::Kind;
    if (pieces.empty()) return;
    if (pieces.has(Kind::text) || pieces.has(Kind::refusal)) logprobs_.tell(choice, turn);
    const bool has_reasoning = pieces.has(Kind::reasoning);
    reasoning_.add_details(choice, pieces.reasoning_details());
    for (const Piece& piece : pieces.list()) {
        switch (piece.kind) {
            case Kind::text: turn.text(choice, piece.text); break;
            case Kind::reasoning_detail:
                if (has_reasoning) break;
                [[fallthrough]];
            case Kind::reasoning:
                reasoning_.add_text(choice, piece.text);
                turn.reasoning(choice, piece.text);
                break;
            case Kind::refusal: turn.refusal(choice, piece.text); break;
            case Kind::citation: tell_citation(choice, pieces.citation(piece), turn); break;
            case Kind::page:
                sources_.add({std::string(piece.text), std::string(piece.name)});
                break;
            case Kind::media: {
                timeline::Media media = pieces.media(piece);
                media.choice = choice;
                turn.media(media);
                break;
            }
            case Kind::tool:
                if (!piece.name.empty()) reasoning_.tell(turn);
                calls_.tell(choice, piece, turn);
                break;
        }
    }
}

void OpenAiWire::tell_citation(Choice choice, timeline::Citation citation, Turn& turn) {
    if (!sources_.is_new(choice, citation)) return;
    citation.choice = choice;
    turn.citation(citation);
}

void OpenAiWire::finish(Choice choice, const End& end, Turn& turn, Document& document) {
    const FinishReason reason = read_openai_finish(end.native);
    document.finished = true;
    if (const auto* aborted = std::get_if<ErrorKind>(&reason)) {
        document.aborted = *aborted;
        document.aborted_native = end.native;
    }
    if (const auto* finished = std::get_if<timeline::Finish>(&reason)) {
        calls_.finish(choice, *finished, turn);
        reasoning_.tell(turn);
        turn.finish(choice, *finished, end.native, end.stop_sequence);
    }
}

void OpenAiWire::conclude(const Document& document, std::string_view json, Turn& turn) {
    // Before that, an answer that is all sources would count as one.
    if (document.finished || document.done) sources_.tell(turn);
    if (document.usage) {
        turn.usage(*document.usage);
    } else if (document.usage_elsewhere) {
        turn.usage(*document.usage_elsewhere);
    }
    if (document.failed) {
        turn.fail(to_error(display_name_, read_error_facts(json)));
    } else if (document.aborted) {
        Error error{*document.aborted, fmt::format("{} gave up on its answer", display_name_)};
        error.detail = fmt::format("finish_reason={}", document.aborted_native);
        turn.fail(std::move(error));
    } else if (document.done) {
        complete(turn);
    }
}

void OpenAiWire::complete(Turn& turn) {
    sources_.tell(turn);
    reasoning_.tell(turn);
    calls_.finish_all(turn);
    turn.complete();
}

}  // namespace

std::unique_ptr<Wire> make_openai_wire(const Preset& preset, std::string display_name,
                                       json::Parser* parser) {
    return std::make_unique<OpenAiWire>(preset, std::move(display_name), parser);
}

}  // namespace runnel::provider
