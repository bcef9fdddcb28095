#include "provider/gemini/wire.hpp"

#include "base/limits.hpp"
#include "framing/json_array.hpp"
#include "framing/sse.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/gemini/audio.hpp"
#include "provider/gemini/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::provider::gemini {

using json::ondemand::value;
using timeline::Choice;
using What = timeline::Native::What;

namespace {

// Adds a member to those that clients of this API are told as they are.
void keep_member(std::string& members, std::string_view key, value inside) {
    std::string_view raw;
    if (!json::raw_value(inside, raw)) return;
    members.append(members.empty() ? "{\"" : ",\"").append(key).append("\":").append(raw);
}

void tell_members(std::string& members, Choice choice, What what, Turn& turn) {
    if (members.empty()) return;
    members += '}';
    turn.native(choice, what, members);
}

}  // namespace

std::unique_ptr<framing::Framing> GenerateContentWire::framing_for(char first) const {
    if (first == '{') return nullptr;
    if (first == '[') return std::make_unique<framing::JsonArray>(limits::frame_bytes);
    return std::make_unique<framing::Decoder>(limits::frame_bytes);
}

void GenerateContentWire::on_frame(const framing::Frame& frame, Turn& turn) {
    if (!read_response(frame.data, turn)) turn.malformed();
}

void GenerateContentWire::on_body(Padded body, Turn& turn) {
    is_whole_ = true;
    const bool readable = read_response(body, turn);
    if (turn.ended()) return;
    if (!readable || (!any_candidate_ && !turn.all_finished())) {
        turn.fail(
            {ErrorKind::upstream_malformed,
             fmt::format("{} sent an answer without candidates", turn.options().display_name)});
        return;
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) end_open_call(static_cast<Choice>(i), turn);
    turn.complete();
}

bool GenerateContentWire::read_response(Padded text, Turn& turn) {
    json::ondemand::document document;
    json::ondemand::object response;
    if (parser_->parse(text, document) || document.get_object().get(response)) return false;
    bool is_error = false;
    const Counts counts_before = counts_;
    std::string others;
    std::string_view counts_raw;
    for_each_field(response, [&](std::string_view key, value inside) {
        if (key == "candidates") {
            Choice position = 0;
            for_each_element(inside, [&](value candidate) {
                read_candidate(document, candidate, position++, turn);
            });
        } else if (key == "usageMetadata") {
            read_counts(inside, turn.tells_natives() ? &counts_raw : nullptr);
        } else if (key == "promptFeedback") {
            read_feedback(inside, turn, &others);
        } else if (key == "error") {
            is_error = is_error || !json::is_null(inside);
        } else if (turn.tells_natives() && key != "modelVersion" && key != "responseId") {
            keep_member(others, key, inside);
        }
    });
    tell_members(others, 0, What::answer, turn);
    if (is_error) {
        turn.fail(to_error(turn.options().display_name, read_error_facts(text.text()),
                           chat::name_of(chat::Api::gemini)));
        return true;
    }
    counts_.searched = sources_.searched();
    if (counts_ != counts_before && (counts_.prompt || counts_.candidates))
        turn.usage(counts_.usage());
    turn.native(0, What::usage, counts_raw);
    return document.is_alive();  // it is given up when something in it is not JSON
}

void GenerateContentWire::read_candidate(json::ondemand::document& document, value candidate,
                                         Choice position, Turn& turn) {
    json::ondemand::object fields;
    if (candidate.get_object().get(fields)) return;
    if (!any_candidate_) turn.started();
    any_candidate_ = true;
    // What the content means stands behind it: whose it is, and whether it is an answer at all.
    std::int64_t index = position;
    std::string_view reason;
    std::string_view message;
    std::string others;
    const auto error = for_each_field(fields, [&](std::string_view key, value inside) {
        if (key == "index") json::integer(inside, index);
        if (key == "finishReason" && !json::is_null(inside)) json::raw_value(inside, reason);
        if (key == "finishMessage") json::escaped_string(inside, message);
        if (key == "logprobsResult") logprobs_.read(inside);
        const bool has_place = key == "index" || key == "finishReason" || key == "content";
        if (turn.tells_natives() && !has_place) keep_member(others, key, inside);
    });
    const auto choice =
        static_cast<Choice>(std::clamp<std::int64_t>(index, 0, limits::choices - 1));
    const bool failed = !reason.empty() && finish_reason(reason).kind == FinishReason::Kind::failed;
    if (!failed) logprobs_.tell(choice, turn);
    // A document that was given up on the way may not be read again.
    if (error || !document.is_alive() || fields.reset().error()) return;
    // What is said beside the end belongs to it; else it is of this piece.
    if (reason.empty()) tell_members(others, choice, What::finish, turn);
    for_each_field(fields, [&](std::string_view key, value inside) {
        if (key == "content" && !failed) {
            read_content(inside, choice, turn);
        } else if (key == "groundingMetadata") {
            sources_.read_grounding(inside, choice, turn);
        } else if (key == "citationMetadata") {
            sources_.read_citations(inside, choice, turn);
        }
    });
    if (!reason.empty() && !failed) tell_members(others, choice, What::finish, turn);
    if (!reason.empty()) tell_finish(choice, reason, message, turn);
}

void GenerateContentWire::read_content(value content, Choice choice, Turn& turn) {
    for_each_field(content, [&](std::string_view key, value inside) {
        if (key != "parts") return;
        for_each_element(inside, [&](value part) {
            read_part(part, turn);
            tell_part(choice, turn);
        });
    });
}

void GenerateContentWire::tell_part(Choice choice, Turn& turn) {
    // A signature is of what was thought up to here.
    if (part_.thought && !part_.call) turn.reasoning(choice, part_.text);
    const bool is_own_media = part_.is_media() && turn.tells_natives();
    if (part_.call || part_.has_text || is_own_media)
        turn.reasoning_signed(choice, part_.signature);
    if (part_.call) {
        tell_call(choice, turn);
    } else if (part_.thought) {
        return;
    } else if (!part_.text.empty()) {
        any_output_ = true;
        turn.text(choice, part_.text);
    } else if (part_.is_media()) {
        tell_media(choice, turn);
    } else if (!part_.has_text && part_.raw.size() > 2) {
        turn.native(choice, What::item, part_.raw);
        turn.item_ended(choice);
    }
}

void GenerateContentWire::tell_media(Choice choice, Turn& turn) {
    using Kind = timeline::Media::Kind;
    const bool is_audio = part_.is_audio();
    any_output_ = true;
    if (is_audio && !std::exchange(audio_begun_, true)) begin_wav(choice, turn);
    turn.media({.choice = choice,
                .kind = is_audio ? Kind::audio : Kind::image,
                .media_type = part_.media_type,
                .data = part_.media_base64});
}

// A WAV file where the client wants one and gets bare samples.
void GenerateContentWire::begin_wav(Choice choice, Turn& turn) {
    if (turn.options().samples == TurnOptions::Samples::bare || !is_samples(part_.media_type))
        return;
    std::optional<std::uint32_t> bytes;
    if (is_whole_) bytes = decoded_bytes(part_.media_base64);
    turn.media({.choice = choice,
                .kind = timeline::Media::Kind::audio,
                .media_type = "audio/wav",
                .data = wav_header(samples_per_second(part_.media_type), bytes)});
}

// Parts of other kinds are for clients of this API alone: code that Google ran, its own tools'
// calls and results.
void GenerateContentWire::read_part(value part, const Turn& turn) {
    part_.text = {};
    part_.signature = {};
    part_.media_base64 = {};
    part_.media_type = {};
    part_.has_text = false;
    part_.thought = false;
    part_.call = false;
    part_.raw = {};
    json::ondemand::object fields;
    if (part.get_object().get(fields)) return;
    if (turn.tells_natives() && (fields.raw_json().get(part_.raw) || fields.reset().error()))
        return;
    for_each_field(fields, [&](std::string_view key, value inside) {
        if (key == "text") {
            part_.has_text = json::escaped_string(inside, part_.text);
        } else if (key == "thought") {
            part_.thought = is_true(inside);
        } else if (key == "functionCall") {
            read_call(inside);
        } else if (key == "inlineData") {
            read_media(inside);
        } else if (key == "thoughtSignature") {
            json::escaped_string(inside, part_.signature);
        }
    });
}

void GenerateContentWire::read_media(value media) {
    for_each_field(media, [&](std::string_view key, value inside) {
        if (key == "mimeType") json::escaped_string(inside, part_.media_type);
        if (key == "data") json::escaped_string(inside, part_.media_base64);
    });
}

void GenerateContentWire::read_call(value call) {
    part_.call = true;
    part_.name.clear();
    part_.id.clear();
    part_.args_raw = {};
    part_.pieces.clear();
    part_.will_continue = false;
    for_each_field(call, [&](std::string_view key, value inside) {
        if (key == "name") {
            json::plain_string(inside, part_.name);
        } else if (key == "id") {
            json::plain_string(inside, part_.id);
        } else if (key == "args" && !json::is_null(inside)) {
            json::raw_value(inside, part_.args_raw);
        } else if (key == "partialArgs") {
            read_pieces(inside);
        } else if (key == "willContinue") {
            part_.will_continue = is_true(inside);
        }
    });
}

void GenerateContentWire::read_pieces(value pieces) {
    using Kind = Arguments::Piece::Kind;
    for_each_element(pieces, [&](value element) {
        Arguments::Piece piece;
        for_each_field(element, [&](std::string_view key, value inside) {
            if (key == "jsonPath") {
                json::plain_string(inside, piece.path);
            } else if (key == "willContinue") {
                piece.will_continue = is_true(inside);
            } else if (key == "stringValue") {
                if (json::escaped_string(inside, piece.value)) piece.kind = Kind::string;
            } else if (key == "numberValue" || key == "boolValue") {
                if (json::raw_value(inside, piece.value)) piece.kind = Kind::literal;
            } else if (key == "nullValue") {
                piece.value = "null";
                piece.kind = Kind::literal;
            }
        });
        part_.pieces.push_back(std::move(piece));
    });
}

// The name may be repeated with the pieces of a call, and its id if it has one; with an id, also
// where there is nothing but that.
bool GenerateContentWire::goes_on(const Calls& calls) const {
    if (part_.name.empty()) return true;
    const bool same = calls.open && part_.id == calls.id && part_.name == calls.name;
    return same && (!part_.pieces.empty() || (!part_.id.empty() && has_no_arguments()));
}

bool GenerateContentWire::has_no_arguments() const {
    return part_.args_raw.empty() ||
           part_.args_raw.find_first_not_of("{} \t\r\n") == std::string::npos;
}

// A call comes whole; or its name comes first, then its arguments in pieces, then an empty call, or
// nothing that would close it.
void GenerateContentWire::tell_call(Choice choice, Turn& turn) {
    Calls& calls = calls_of(choice);
    const bool is_more = goes_on(calls);
    if (!is_more) {
        end_open_call(choice, turn);
        const Turn::CallKey key = calls.count++;
        calls.open = true;
        calls.id = part_.id;
        calls.name = part_.name;
        turn.tool(choice, key, part_.id, part_.name);
        if (part_.id.empty()) turn.tool_without_id(choice, key);
        if (!part_.signature.empty()) {
            std::string state;
            json::Writer(state)
                .begin_object()
                .key("thoughtSignature")
                .string(json::unescaped(part_.signature))
                .end_object();
            turn.tool_state(choice, key, state);
        }
    } else if (!calls.open) {
        return;
    }
    json_.clear();
    // Beside pieces, and at their end, there may be arguments that are none: {}.
    if (part_.pieces.empty() && !part_.args_raw.empty() && !(is_more && has_no_arguments()))
        json::append_compact(json_, part_.args_raw);
    for (const Arguments::Piece& piece : part_.pieces) calls.arguments.add(piece, json_);
    tell_arguments(choice, turn);
    if (!part_.will_continue) end_open_call(choice, turn);
}

void GenerateContentWire::end_open_call(Choice choice, Turn& turn) {
    Calls& calls = calls_of(choice);
    if (!calls.open) return;
    calls.open = false;
    json_.clear();
    calls.arguments.close(json_);
    tell_arguments(choice, turn);
    turn.tool_ended(choice, calls.count - 1);
}

void GenerateContentWire::tell_arguments(Choice choice, Turn& turn) {
    if (json_.empty()) return;
    escaped_.clear();
    json::append_escaped(escaped_, json_);
    turn.tool_arguments(choice, calls_of(choice).count - 1, escaped_);
}

void GenerateContentWire::tell_finish(Choice choice, std::string_view raw, std::string_view message,
                                      Turn& turn) {
    const FinishReason reason = finish_reason(raw);
    // Arguments that the token limit cut off stay cut off: closing them would make them look whole.
    if (reason.kind != FinishReason::Kind::length) end_open_call(choice, turn);
    switch (reason.kind) {
        case FinishReason::Kind::stop:
            turn.finish(choice, timeline::Finish::stop, reason.name);
            break;
        case FinishReason::Kind::length:
            turn.finish(choice, timeline::Finish::length, reason.name);
            break;
        case FinishReason::Kind::filtered:
            turn.finish(choice, timeline::Finish::content_filter, reason.name);
            break;
        case FinishReason::Kind::other: {
            const bool empty = !any_output_ && calls_of(choice).count == 0;
            turn.finish(choice, empty ? timeline::Finish::content_filter : timeline::Finish::stop,
                        reason.name);
            break;
        }
        case FinishReason::Kind::failed: {
            Error error{ErrorKind::upstream_malformed,
                        fmt::format("{} ended its answer with {}", turn.options().display_name,
                                    reason.name)};
            error.detail = json::unescaped(message);
            turn.fail(std::move(error));
            break;
        }
    }
}

void GenerateContentWire::read_feedback(value feedback, Turn& turn, std::string* others) {
    json::ondemand::object fields;
    if (feedback.get_object().get(fields)) return;
    std::string_view raw;
    if (turn.tells_natives() && (fields.raw_json().get(raw) || fields.reset().error())) return;
    if (!raw.empty())
        others->append(others->empty() ? "{" : ",").append("\"promptFeedback\":").append(raw);
    for_each_field(fields, [&](std::string_view key, value inside) {
        std::string_view reason;
        if (key != "blockReason" || !json::raw_value(inside, reason)) return;
        const bool blocked = reason != "null" && reason != "0" && reason != R"("")" &&
                             reason != R"("BLOCK_REASON_UNSPECIFIED")";
        if (blocked) turn.finish(0, timeline::Finish::content_filter, finish_reason(reason).name);
    });
}

void GenerateContentWire::read_counts(value counts, std::string_view* raw) {
    json::ondemand::object fields;
    if (counts.get_object().get(fields)) return;
    if (raw != nullptr && (fields.raw_json().get(*raw) || fields.reset().error())) return;
    for_each_field(fields, [&](std::string_view key, value inside) {
        std::optional<std::int64_t>* count = key == "promptTokenCount"          ? &counts_.prompt
                                             : key == "cachedContentTokenCount" ? &counts_.cached
                                             : key == "toolUsePromptTokenCount" ? &counts_.tool_use
                                             : key == "candidatesTokenCount" ? &counts_.candidates
                                             : key == "thoughtsTokenCount"   ? &counts_.thoughts
                                             : key == "totalTokenCount"      ? &counts_.total
                                                                             : nullptr;
        if (count != nullptr) read_count(inside, *count);
    });
}

timeline::Usage GenerateContentWire::Counts::usage() const {
    const std::int64_t tools = tool_use.value_or(0);
    const std::int64_t input = prompt.value_or(0) + (searched ? 0 : tools);
    const std::int64_t cache_read = cached.value_or(0);
    // Some models count their thoughts among the candidates' tokens; the total tells.
    const bool thoughts_included = prompt.value_or(0) + candidates.value_or(0) + tools == total;
    timeline::Usage usage;
    usage.fresh_input = std::max<std::int64_t>(0, input - cache_read);
    usage.cache_read = cached;
    usage.output = candidates.value_or(0) + (thoughts_included ? 0 : thoughts.value_or(0));
    usage.reasoning = thoughts;
    return usage;
}

GenerateContentWire::Calls& GenerateContentWire::calls_of(Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    if (index >= calls_.size()) calls_.resize(index + 1);
    return calls_[index];
}

}  // namespace runnel::provider::gemini
