#include "corpus.hpp"
#include "plain_json.hpp"
#include "transcoding.hpp"
#include "wire_forms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

// Where the client speaks the provider's own API, its answer is what the provider said: every event
// and every field, but for what the gateway sets (the message's id and model) and for how text is
// cut into pieces.
namespace runnel::conformance {
namespace {

// A piece of text in a block, or anything else, by itself.
struct Piece {
    std::string kind;
    std::string text;
    Json whole;
};

// A block of Anthropic's stream, put together.
struct BlockSaid {
    Json start;
    std::vector<Piece> pieces;
};

const char* text_member(const std::string& delta) {
    if (delta == "text_delta") return "text";
    if (delta == "thinking_delta") return "thinking";
    if (delta == "input_json_delta") return "partial_json";
    if (delta == "signature_delta") return "signature";
    return nullptr;
}

class MessagesSaid {
public:
    void add(Json event) {
        const std::string type = text_field(event, "type");
        if (type == "ping") return;
        if (type == "message_start") return add_start(std::move(event));
        if (type == "error") event["error"].erase("details");
        if (type == "content_block_start") return begin(event);
        if (type == "content_block_delta") return add_delta(event);
        if (type == "content_block_stop") return end(event);
        said_.push_back(std::move(event));
    }
    // Null where there is more than one message.
    Json said() const { return several_ ? Json() : said_; }

private:
    void add_start(Json event) {
        const std::string id = text_field(event["message"], "id");
        if (started_) {  // some servers say it twice
            several_ = several_ || id != id_;
            return;
        }
        started_ = true;
        id_ = id;
        event["message"].erase("id");
        event["message"].erase("model");
        said_.push_back(std::move(event));
    }

    void begin(const Json& event) {
        open_ = {event["content_block"], {}};
        index_ = event["index"];
        // What it begins with is as good as a first piece.
        for (const char* member : {"text", "thinking", "signature"})
            if (const std::string first = text_field(open_.start, member); !first.empty()) {
                const bool is_text = std::string_view(member) == "text";
                add_piece(is_text ? "text_delta" : std::string(member) + "_delta", first, {});
                open_.start[member] = "";
            }
    }

    void add_delta(const Json& event) {
        const Json& delta = event["delta"];
        const std::string kind = text_field(delta, "type");
        const char* member = text_member(kind);
        add_piece(kind, member == nullptr ? "" : text_field(delta, member),
                  member == nullptr ? delta : Json());
    }

    void add_piece(const std::string& kind, const std::string& text, Json whole) {
        if (text.empty() && whole.is_null()) return;
        if (!open_.pieces.empty() && open_.pieces.back().kind == kind && whole.is_null())
            open_.pieces.back().text += text;
        else
            open_.pieces.push_back({kind, text, std::move(whole)});
    }

    void end(const Json& event) {
        EXPECT_EQ(event["index"], index_) << "blocks follow one another";
        Json block = {{"index", index_}, {"block", open_.start}, {"pieces", Json::array()}};
        for (const Piece& piece : open_.pieces) {
            if (piece.kind == "input_json_delta") {
                const Json input = Json::parse(piece.text, nullptr, false);
                block["block"]["input"] = input.is_discarded() ? Json(piece.text) : input;
            } else {
                block["pieces"].push_back(piece.whole.is_null() ? Json(piece.kind + piece.text)
                                                                : piece.whole);
            }
        }
        said_.push_back(std::move(block));
        open_ = {};
    }

    Json said_ = Json::array();
    BlockSaid open_;
    Json index_;
    std::string id_;
    bool started_ = false;
    bool several_ = false;
};

Json messages_said(std::string_view stream) {
    MessagesSaid said;
    for (const WireEvent& event : events_of(stream))
        if (event.data != "[DONE]") said.add(parse_or_null(event.data));
    return said.said();
}

Json body_said(std::string_view body) {
    Json said = parse_or_null(std::string(body));
    said.erase("id");
    said.erase("model");
    return said;
}

std::string difference(const Json& upstream, const Json& client) {
    if (nlohmann::json(upstream) == nlohmann::json(client)) return {};
    const auto patch = nlohmann::json::diff(nlohmann::json(upstream), nlohmann::json(client));
    return patch.dump(1).substr(0, 2000);
}

std::vector<Recording> native_recordings(Kind kind, Format format) {
    std::vector<Recording> found;
    for (const Recording& recording : recordings_of(kind))
        if (recording.file.empty() || recording.format == format) found.push_back(recording);
    return found;
}

class SameApi : public testing::TestWithParam<Recording> {
protected:
    void SetUp() override { RUNNEL_SKIP_WITHOUT_CORPUS(); }

    static cli::TranscodeOptions options(std::string_view to) {
        cli::TranscodeOptions options;
        options.from = GetParam().from();
        options.to = to;
        // Vertex AI has both, and the name tells whose a model is.
        options.model = to == "messages" ? "claude-m1" : "gemini-m1";
        return options;
    }
};

class MessagesStreams : public SameApi {};

TEST_P(MessagesStreams, AreToldEventByEvent) {
    const std::string upstream = GetParam().bytes();
    const Json said = messages_said(upstream);
    if (said.is_null()) GTEST_SKIP() << "several answers in one recording";
    for (const std::size_t split : {0, 1, 7}) {
        cli::TranscodeOptions asked = options("messages");
        asked.split = split;
        const std::string client = transcoded(asked, upstream);
        EXPECT_EQ(difference(said, messages_said(client)), "") << "in reads of " << split;
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, MessagesStreams,
                         testing::ValuesIn(native_recordings(Kind::stream, Format::anthropic)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

class MessagesBodies : public SameApi {};

TEST_P(MessagesBodies, AreToldFieldByField) {
    const std::string upstream = GetParam().bytes();
    cli::TranscodeOptions asked = options("messages");
    asked.json = true;
    EXPECT_EQ(difference(body_said(upstream), body_said(transcoded(asked, upstream))), "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, MessagesBodies,
                         testing::ValuesIn(native_recordings(Kind::body, Format::anthropic)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

// All that a stream of Gemini's says, or a whole answer: texts put together, other parts as they
// are, fields of candidates as they were told last.
class GeminiSaid {
public:
    void add(const Json& object) {
        for (const auto& [name, value] : object.items()) {
            if (name == "candidates") {
                for (const Json& candidate : value) add_candidate(candidate);
            } else if (name == "error") {
                said_["error"] = value;
                said_["error"].erase("details");
            } else if (name != "modelVersion" && name != "responseId") {
                said_[name] = value;
            }
        }
    }
    Json said() {
        // What failed did not end.
        if (said_.contains("error"))
            for (auto& [index, candidate] : said_["candidates"].items())
                candidate.erase("finishReason");
        for (auto& [index, parts] : parts_) said_["candidates"][index]["parts"] = parts;
        return said_;
    }

private:
    void add_candidate(const Json& candidate) {
        const std::string index = std::to_string(count_field(candidate, "index").value_or(0));
        for (const auto& [name, value] : candidate.items()) {
            if (name == "content") {
                for (const Json& part : field(value, "parts")) add_part(index, part);
            } else if (name == "finishReason" && value.is_number()) {
                said_["candidates"][index][name] = value == 2 ? "MAX_TOKENS" : "STOP";
            } else if (name != "index") {
                said_["candidates"][index][name] = value;
            }
        }
    }

    void add_part(const std::string& index, Json part) {
        Json& parts = parts_[index];
        if (parts.is_null()) parts = Json::array();
        if (part.contains("functionCall")) {
            part["functionCall"].erase("id");
            part["functionCall"].emplace("args", Json::object());
        }
        const bool is_plain = part.contains("text") && !part.contains("thoughtSignature");
        if (part.empty() || (is_plain && part["text"] == "")) return;
        if (is_plain && !parts.empty()) {
            Json& last = parts.back();
            if (last.contains("text") && !last.contains("thoughtSignature") &&
                last.value("thought", false) == part.value("thought", false)) {
                last["text"] = text_of(last["text"]) + text_of(part["text"]);
                return;
            }
        }
        parts.push_back(std::move(part));
    }

    Json said_ = Json::object();
    std::map<std::string, Json> parts_;
};

Json gemini_said(std::string_view stream) {
    GeminiSaid said;
    for (const WireEvent& event : events_of(stream)) said.add(parse_or_null(event.data));
    return said.said();
}

class GeminiStreams : public SameApi {};

TEST_P(GeminiStreams, SayAllThatGeminiSaid) {
    const std::string upstream = GetParam().bytes();
    if (upstream.contains("partialArgs")) GTEST_SKIP() << "calls in pieces are told whole";
    const Json said = gemini_said(upstream);
    for (const std::size_t split : {0, 1, 7}) {
        cli::TranscodeOptions asked = options("gemini");
        asked.split = split;
        const std::string client = transcoded(asked, upstream);
        EXPECT_EQ(difference(said, gemini_said(client)), "") << "in reads of " << split;
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, GeminiStreams,
                         testing::ValuesIn(native_recordings(Kind::stream, Format::gemini)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

}  // namespace
}  // namespace runnel::conformance
