#pragma once

#include "provider/gemini/arguments.hpp"
#include "provider/gemini/logprobs.hpp"
#include "provider/gemini/sources.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {

// Reads GenerateContentResponses into a Turn: server-sent events, the elements of a JSON array
// (streams without alt=sse), or one whole body. Each event holds what was added since the last one;
// there is no end mark but a finishReason, after which more may follow.
class GenerateContentWire final : public Wire {
public:
    explicit GenerateContentWire(json::Parser* parser) : parser_(parser) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;
    std::size_t held_bytes() const override { return sources_.held_bytes(); }

private:
    // The calls of one candidate. At most one has more arguments to come (Vertex only).
    struct Calls {
        Turn::CallKey count = 0;  // so the last one's key is count - 1
        bool open = false;
        std::string id{};  // of the latest, and its name
        std::string name{};
        Arguments arguments{};
    };
    // A part's fields; views lie in the event.
    struct Part {
        std::string_view text{};
        std::string_view signature{};
        bool has_text = false;  // perhaps an empty one, for its signature
        bool thought = false;
        bool call = false;
        std::string name{};
        std::string id{};
        std::string_view args_raw{};
        std::string_view media_type{};
        std::string_view media_base64{};
        std::vector<Arguments::Piece> pieces{};
        bool will_continue = false;
        std::string_view raw{};  // all of it, for clients of this API

        bool is_audio() const { return media_type.starts_with("audio/"); }
        bool is_media() const { return is_audio() || media_type.starts_with("image/"); }
    };
    // Google's counts; each is told again with later events, and left out while it is not known.
    struct Counts {
        std::optional<std::int64_t> prompt{}, cached{}, tool_use{}, candidates{}, thoughts{},
            total{};

        bool searched = false;  // then the prompt of tools was Google's own

        timeline::Usage usage() const;
        friend bool operator==(const Counts&, const Counts&) = default;
    };

    // False when it is not JSON; what was read before that is told all the same.
    bool read_response(Padded text, Turn& turn);
    void read_candidate(json::ondemand::document& document, json::ondemand::value value,
                        timeline::Choice position, Turn& turn);
    void read_content(json::ondemand::value value, timeline::Choice choice, Turn& turn);
    void read_part(json::ondemand::value value, const Turn& turn);
    void tell_part(timeline::Choice choice, Turn& turn);
    void read_media(json::ondemand::value value);
    void read_call(json::ondemand::value value);
    void read_pieces(json::ondemand::value value);
    void read_feedback(json::ondemand::value value, Turn& turn, std::string* others);
    // And keeps all of them where that is wanted.
    void read_counts(json::ondemand::value value, std::string_view* raw);

    bool goes_on(const Calls& calls) const;
    bool has_no_arguments() const;
    void tell_call(timeline::Choice choice, Turn& turn);
    void tell_media(timeline::Choice choice, Turn& turn);
    void begin_wav(timeline::Choice choice, Turn& turn);
    void end_open_call(timeline::Choice choice, Turn& turn);
    void tell_finish(timeline::Choice choice, std::string_view raw, std::string_view message,
                     Turn& turn);
    void tell_arguments(timeline::Choice choice, Turn& turn);
    Calls& calls_of(timeline::Choice choice);

    json::Parser* parser_;
    bool any_candidate_ = false;
    bool any_output_ = false;  // text, an image or audio
    bool is_whole_ = false;    // there is nothing but this one body
    bool audio_begun_ = false;
    Part part_;
    std::vector<Calls> calls_;  // by candidate
    std::string json_;          // arguments as JSON text,
    std::string escaped_;       // and as a string's body
    Sources sources_;
    Logprobs logprobs_;
    Counts counts_;
};

}  // namespace runnel::provider::gemini
