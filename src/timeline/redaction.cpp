#include "timeline/redaction.hpp"

#include "base/redact.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <set>
#include <vector>

namespace runnel::timeline {
namespace {

// What is said in pieces: the same kind of text of one choice, or the arguments of one call.
struct Channel {
    std::size_t kind;  // Event's index
    Choice choice;
    int call;

    friend auto operator<=>(const Channel&, const Channel&) = default;
};

struct Piece {
    std::size_t event;
    std::string plain;
    std::string masked{};
    bool is_masked = false;
};

// The pieces without what stands at `places` of all of them together; where one began is its mask.
void mask(std::vector<Piece>& pieces, const std::vector<CredentialPlace>& places) {
    std::size_t begin = 0;
    auto place = places.begin();
    for (Piece& piece : pieces) {
        const std::size_t end = begin + piece.plain.size();
        const auto part = [&](std::size_t from, std::size_t to) {
            return std::string_view(piece.plain).substr(from - begin, to - from);
        };
        std::size_t copied = begin;
        while (place != places.end() && place->begin < end) {
            piece.is_masked = true;
            if (place->begin >= begin) {
                piece.masked += part(copied, place->begin);
                piece.masked += credential_mask;
            }
            copied = std::min(place->end, end);
            if (place->end > end) break;  // it goes on in the next piece
            ++place;
        }
        piece.masked += part(copied, end);
        begin = end;
    }
}

// What is handed on as JSON stays JSON: masking may take away a number.
std::string masked_json(std::string_view raw) {
    std::string masked = redacted(raw);
    if (masked == raw || json::is_whole(masked)) return masked;
    std::string text;
    json::Writer(text).string(masked);
    return text;
}

class Redaction {
public:
    explicit Redaction(const TimedRecording& from) : from_(from) {}

    TimedRecording run() {
        for (std::size_t i = 0; i < from_.events().size(); ++i) gather(i);
        for (auto& [channel, pieces] : channels_) mask_channel(channel, pieces);
        TimedRecording made;
        made.truncated = from_.truncated;
        for (std::size_t i = 0; i < from_.events().size(); ++i)
            if (!is_piece_of_json(from_.events()[i])) made.add(from_.times()[i], at(i));
        return made;
    }

private:
    // Nobody here can put those together.
    static bool is_piece_of_json(const Event& event) {
        const auto* native = std::get_if<Native>(&event);
        return native != nullptr && native->what == Native::What::addition;
    }

    void gather(std::size_t number) {
        const Event& event = from_.events()[number];
        const auto add = [&](Choice choice, int index, std::string_view escaped) {
            channels_[{event.index(), choice, index}].push_back({number, json::unescaped(escaped)});
        };
        if (const auto* e = std::get_if<Text>(&event)) add(e->choice, 0, e->text);
        if (const auto* e = std::get_if<Reasoning>(&event)) add(e->choice, 0, e->text);
        if (const auto* e = std::get_if<Refusal>(&event)) add(e->choice, 0, e->text);
        if (const auto* e = std::get_if<ToolArguments>(&event))
            add(e->choice, e->index, e->fragment);
        if (const auto* e = std::get_if<Media>(&event)) add(e->choice, 0, e->transcript);
    }

    void mask_channel(const Channel& channel, std::vector<Piece>& pieces) {
        std::string all;
        for (const Piece& piece : pieces) all += piece.plain;
        const auto places = credentials_in(all);
        if (places.empty()) return;
        masked_choices_.insert(channel.choice);
        mask(pieces, places);
        for (const Piece& piece : pieces)
            if (piece.is_masked) json::append_escaped(masked_[piece.event], piece.masked);
    }

    // An event as it is to be; its text is valid until the next.
    Event at(std::size_t number) {
        Event event = from_.events()[number];
        const auto masked = masked_.find(number);
        const auto replace_piece = [&](std::string_view& text) {
            if (masked != masked_.end()) text = masked->second;
        };
        const auto replace_json = [](std::string_view& raw, std::string& kept) {
            kept = masked_json(raw);
            raw = kept;
        };
        const auto replace_text = [](std::string_view& text, std::string& kept) {
            const std::string plain = json::unescaped(text);
            if (credentials_in(plain).empty()) return;
            kept.clear();
            json::append_escaped(kept, redacted(plain));
            text = kept;
        };
        std::visit(Overload{
                       [&](Text& e) { replace_piece(e.text); },
                       [&](Reasoning& e) { replace_piece(e.text); },
                       [&](Refusal& e) { replace_piece(e.text); },
                       [&](ToolArguments& e) { replace_piece(e.fragment); },
                       [&](ServerTool& e) {
                           replace_json(e.arguments_raw, kept_[0]);
                           replace_json(e.result_raw, kept_[1]);
                           replace_json(e.explanation_raw, kept_[2]);
                       },
                       [&](Native& e) { replace_json(e.json.raw, kept_[0]); },
                       [&](Citation& e) {
                           if (redacted(e.native.raw) != e.native.raw) e.native = {};
                           replace_text(e.url, kept_[0]);
                           replace_text(e.title, kept_[1]);
                           replace_text(e.cited_text, kept_[2]);
                       },
                       [&](ProviderState& e) { replace_json(e.raw, kept_[0]); },
                       // In base64 anything looks like a credential.
                       [&](Media& e) {
                           replace_piece(e.transcript);
                           if (!e.url.starts_with("data:")) replace_text(e.url, kept_[0]);
                       },
                       // They repeat the text, token by token.
                       [&](Logprobs& e) {
                           if (masked_choices_.contains(e.choice)) e.tokens = {};
                       },
                       [&](Failed& e) { e.error.message = redacted(e.error.message); },
                       [](Started&) {},
                       [](ReasoningSigned&) {},
                       [](ReasoningEncrypted&) {},
                       [](ItemEnded&) {},
                       [](ToolStarted&) {},
                       [](ToolEnded&) {},
                       [](HoldOver&) {},
                       [](UsageReported&) {},
                       [](Finished&) {},
                       [](Ended&) {},
                   },
                   event);
        return event;
    }

    const TimedRecording& from_;
    std::map<Channel, std::vector<Piece>> channels_;
    std::map<std::size_t, std::string> masked_;  // events' new text, escaped
    std::set<Choice> masked_choices_;
    std::array<std::string, 3> kept_;  // what was replaced in one event
};

}  // namespace

TimedRecording without_credentials(const TimedRecording& recording) {
    return Redaction(recording).run();
}

}  // namespace runnel::timeline
