#include "api/registry.hpp"
#include "provider_check.hpp"

#include <array>
#include <vector>

// Any answer, with tools that the gateway runs and without, in any dialect of any API: the frames
// are well formed, and the text in them is what was said, all of it and in order.
namespace runnel::fuzz {
namespace {

using namespace timeline;
using api::Envelope;

constexpr std::array<std::string_view, 10> pieces = {
    "a",     " word",
    R"(\n)", R"(\"q\")",
    "é",     "{",
    "```",   "<t>",
    R"(\\)", "a longer piece of text, so that what is held back grows to its limit in a few steps"};

// An answer told from bytes.
class Teller {
public:
    Teller(std::string_view bytes, Sink* to) : bytes_(bytes), to_(to) {}

    // What was said.
    std::string tell() {
        to_->on(Started{});
        while (!bytes_.empty()) step();
        if (call_is_open_) to_->on(ToolEnded{0, calls_ - 1});
        return std::move(said_);
    }

private:
    std::uint8_t next() {
        if (bytes_.empty()) return 0;
        const auto byte = static_cast<std::uint8_t>(bytes_.front());
        bytes_.remove_prefix(1);
        return byte;
    }

    void step() {
        switch (next() % 15) {
            case 0:
            case 1:
            case 2: {
                const std::string_view piece = pieces[next() % pieces.size()];
                said_ += piece;
                to_->on(Text{0, piece});
                return;
            }
            case 3: return to_->on(Reasoning{0, pieces[next() % pieces.size()]});
            case 4: return to_->on(HoldOver{});
            case 5: return to_->on(HoldOver{HoldOver::Why::tool_called});
            case 6: return server_tool();
            case 7: return logprobs();
            case 8: return to_->on(Citation{.choice = 0, .url = "https://a", .title = R"(\"A\")"});
            case 10: return to_->on(ReasoningSigned{0, "c2ln", "anthropic/claude"});
            case 11: return to_->on(ReasoningEncrypted{0, "ZW5j", "anthropic/claude"});
            case 12: return to_->on(ItemEnded{0});
            case 14: return to_->on(Native{0, Native::What::item, {"messages", R"({"type":"x"})"}});
            case 13: return to_->on(Media{0, Media::Kind::image, "image/png", "eA=="});
            default: return call();
        }
    }

    void logprobs() {
        const std::array tokens = {TokenLogprob{R"(\n)", "-0.5", "[10]"}, TokenLogprob{"b", "-1"}};
        to_->on(Logprobs{0, Logprobs::Of::text, tokens});
    }

    void server_tool() {
        using State = ServerTool::State;
        constexpr std::array states = {State::created, State::running, State::completed,
                                       State::failed};
        const State state = states[next() % states.size()];
        const bool ended = state == State::completed || state == State::failed;
        to_->on(ServerTool{state, "srv_1", "to\nol", R"({"a": 1})", ended ? "\"no\"" : ""});
    }

    void call() {
        if (call_is_open_) {
            to_->on(ToolArguments{0, calls_ - 1, R"({\"a\":1})"});
            to_->on(ToolEnded{0, calls_ - 1});
        } else {
            to_->on(ToolStarted{0, calls_++, "call_1", "f"});
        }
        call_is_open_ = !call_is_open_;
    }

    std::string_view bytes_;
    Sink* to_;
    std::string said_;
    int calls_ = 0;
    bool call_is_open_ = false;
};

// What comes before a piece of text in a stream of this dialect.
std::string_view text_key(std::string_view dialect) {
    if (dialect == "messages") return R"("type":"text_delta","text":")";
    if (dialect == "responses") return R"("content_index":0,"delta":")";
    return dialect.starts_with("gemini") ? R"({"text":")" : R"("content":")";
}

// Every piece of text in a stream, one after the other.
std::string text_in(std::string_view stream, std::string_view dialect) {
    const std::string_view key = text_key(dialect);
    std::string text;
    for (std::size_t at = 0; (at = stream.find(key, at)) != std::string_view::npos;) {
        const std::size_t begin = at + key.size();
        for (at = begin; stream[at] != '"'; ++at)
            if (stream[at] == '\\') ++at;
        if (!stream.substr(at).starts_with(R"(","thought":true)"))
            text += stream.substr(begin, at - begin);
    }
    return text;
}

std::vector<std::string_view> dialects() {
    const auto chats = api::chat_dialect_names();
    std::vector<std::string_view> names(chats.begin(), chats.end());
    names.insert(names.end(), other_dialects.begin(), other_dialects.end());
    return names;
}

void check_dialects(std::string_view bytes) {
    const std::uint8_t options = bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.front());
    if (!bytes.empty()) bytes.remove_prefix(1);
    Envelope envelope{"chatcmpl-T", 1, "m"};
    if ((options & 1) != 0) envelope.usage = Envelope::Usage::shown;
    if ((options & 2) != 0) envelope.tool_results = Envelope::ToolResults::shown;
    if ((options & 4) != 0) envelope.hold = Envelope::Hold::round;
    for (const std::string_view name : dialects()) {
        std::string out;
        const auto encoder = api::dialect_named(name)->make_encoder(envelope, &out);
        const std::string said = Teller(bytes, encoder.get()).tell();
        if ((options & 8) != 0) {
            encoder->on(Failed{{ErrorKind::upstream_failed, "it \"failed\""}});
        } else {
            encoder->on(Finished{0, Finish::stop, ""});
            encoder->on(UsageReported{{.fresh_input = 1, .cache_read = 2, .output = 3}});
        }
        encoder->on(Ended{});
        require(!encoder->is_holding(), "nothing is held for ever", out);
        require_well_formed(out, name);
        require(text_in(out, name) == said, "all that was said is told, in order", out);
    }
}

}  // namespace
}  // namespace runnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    runnel::fuzz::check_dialects(runnel::fuzz::text_of(data, size));
    return 0;
}
