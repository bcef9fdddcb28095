#pragma once

#include "timeline/event.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace runnel::api::gemini {

// Whether it is an object in this API's words.
bool is_ours(const timeline::NativeJson& json);

// One candidate of an answer, as streams and whole answers write it: its parts, and what stands
// beside them.
class Candidate {
public:
    void text(std::string_view escaped);
    void thought(std::string_view escaped);
    // Gemini signs the part that follows a thought; signatures of others are the thought's own.
    void sign(std::string_view signature, std::string_view issuer);
    void encrypted(std::string_view data, std::string_view issuer);
    // A call is written whole, when it ends.
    void begin_call(int index, std::string_view id, std::string_view name);
    void add_arguments(int index, std::string_view fragment);
    void end_call(int index);
    void media(const timeline::Media& media);
    void cite(const timeline::Citation& citation);
    void logprobs(const timeline::Logprobs& logprobs);
    // `native` is the provider's own word for it.
    void finish(timeline::Finish finish, std::string_view native);
    // What only this API has words for: a part, and what stands beside the parts.
    void part(const timeline::NativeJson& json);
    void fields(const timeline::NativeJson& json);

    // Writes what was added since the last time, if that is anything to show: the candidate up to
    // and with its index, still open.
    bool write_more(std::string& out, int index);
    // The same with all that is left and why it ends, closed.
    void write_last(std::string& out, int index);

    std::size_t held_bytes() const;

private:
    struct Call {
        std::string id{};
        std::string name{};
        std::string arguments_escaped{};
        std::string signature{};
    };

    // A part with a text, up to what else it says.
    void begin_text(std::string_view escaped);
    // Ends a part, with the signature that waits for it.
    void end_part(std::string& signature);
    // A signature that no part has followed.
    void write_waiting();
    void write_call(Call& call);
    void write_content(std::string& out, int index);

    std::string parts_;  // elements of a list, not yet written
    std::string signature_;
    std::map<int, Call> calls_;  // that are open
    std::size_t call_bytes_ = 0;
    std::string sources_;       // elements of groundingChunks
    std::string chosen_, top_;  // elements of logprobsResult's lists
    std::string fields_;        // members in this API's own words, not yet written
    bool has_own_sources_ = false;
    bool has_own_logprobs_ = false;
    std::string_view finish_reason_ = "STOP";
};

}  // namespace runnel::api::gemini
