#pragma once

#include "timeline/event.hpp"
#include "timeline/recording.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace runnel::timeline {

// A whole answer: what is left when a timeline is folded. Text is JSON-escaped, as in the events.
struct Answer {
    // Its citations and log probabilities are the events, in their order.
    struct Text {
        std::string text_escaped{};
        Recording citations{};
        Recording logprobs{};
    };
    struct Reasoning {
        std::string text_escaped{};
        std::string signature_escaped{};
        std::string issuer{};
    };
    struct EncryptedReasoning {
        std::string data_escaped{};
        std::string issuer{};
        std::string id{};
    };
    struct Refusal {
        std::string text_escaped{};
        Recording logprobs{};
    };
    struct ToolCall {
        std::string id{};
        std::string name{};
        std::string arguments_escaped{};
    };
    // As it was told last.
    struct ServerTool {
        timeline::ServerTool::State state{};
        std::string id{};
        std::string name{};
        std::string arguments_raw{};
        std::string result_raw{};
        std::string explanation_raw{};
    };
    // An image, or the audio of all its pieces.
    struct Media {
        timeline::Media::Kind kind{};
        std::string media_type{};
        std::string data{};
        std::string url_escaped{};
        std::string id_escaped{};
        std::string transcript_escaped{};
        std::optional<std::int64_t> expires_at{};

        timeline::Media view() const;
    };
    // Of the provider's own API.
    struct NativeJson {
        std::string api{};
        std::string raw{};
    };
    struct Native {
        NativeJson json{};
        std::vector<std::string> additions_raw{};
    };
    using Item = std::variant<Text, Reasoning, EncryptedReasoning, Refusal, ToolCall, ServerTool,
                              Media, Native>;

    struct Choice {
        std::vector<Item> items{};  // in the order in which they began
        std::optional<Finish> finish{};
        std::string stop_sequence_escaped{};
        std::string native_finish{};  // the provider's own word
        // What else is said of an item, and of the end, in the provider's own API: objects.
        struct ItemFields {
            std::size_t item;
            NativeJson json;
        };
        std::vector<ItemFields> item_fields{};
        std::vector<NativeJson> finish_fields{};

        // Those of an item; empty: there are none in that API.
        std::string_view fields_of(std::size_t item, std::string_view api) const;

        template <class Kind>
        bool has() const {
            for (const Item& item : items)
                if (std::holds_alternative<Kind>(item)) return true;
            return false;
        }
        // Calls `use` with each item of that kind.
        template <class Kind, class Use>
        void for_each(Use use) const {
            for (const Item& item : items)
                if (const Kind* found = std::get_if<Kind>(&item)) use(*found);
        }
        // What was said in all of them.
        std::string text_escaped() const { return joined<Text>(); }
        std::string reasoning_escaped() const { return joined<Reasoning>(); }
        std::string refusal_escaped() const { return joined<Refusal>(); }
        std::vector<ToolCall> tool_calls() const;

    private:
        template <class Kind>
        std::string joined() const {
            std::string all;
            for_each<Kind>([&](const Kind& item) { all += item.text_escaped; });
            return all;
        }
    };

    std::vector<Choice> choices{};  // by index; never empty after Ended
    std::optional<Usage> usage{};
    // Its counts, and what else is said of it, in the provider's own API.
    NativeJson native_usage{};
    std::vector<NativeJson> native_fields{};
    std::optional<Error> error{};
};

// Folds a timeline into an Answer: the non-streamed form of every answer, and what logs and caches
// keep.
class Fold final : public Sink {
public:
    void on(const Event& event) override;
    const Answer& answer() const { return answer_; }
    std::size_t held_bytes() const override { return bytes_; }

private:
    // What is known of a choice besides what it says.
    struct Progress {
        bool item_is_open = false;         // the last one: more of its kind goes on with it
        std::vector<std::size_t> calls{};  // which items they are, by their index
        std::optional<std::size_t> text{}, audio{};  // the last item of that kind
        Recording waiting_logprobs{};
        Answer::NativeJson fields_of_next{};
    };

    Answer::Choice& at(Choice choice);
    Progress& progress_of(Choice choice);
    template <class Kind>
    Kind& add_item(Choice choice, Kind item);
    template <class Kind>
    Kind& open_item(Choice choice);
    Answer::Text& last_text(Choice choice);
    void add(std::string& text, std::string_view piece);
    void keep(Recording& recording, const Event& event);
    Answer::Text& open_text(Choice choice);
    void add_text(const Text& event);
    void add_refusal(const Refusal& event);
    void sign(const ReasoningSigned& event);
    void add_call(const ToolStarted& event);
    void add_server_tool(const ServerTool& event);
    void add_native(const Native& event);
    void set_native_usage(Answer::NativeJson json);
    void add_media(const Media& event);
    void add_audio(const Media& event);
    void place_logprobs(Choice choice, Recording& beside);
    void finish(const Finished& event);

    Answer answer_;
    std::vector<Progress> progress_;  // by choice
    std::size_t bytes_ = 0;
};

}  // namespace runnel::timeline
