#include "provider/gemini/finish.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace runnel::provider::gemini {
namespace {

using Kind = FinishReason::Kind;

// The first thirteen in the order of their numbers.
constexpr std::array reasons{
    FinishReason{"FINISH_REASON_UNSPECIFIED", Kind::stop},
    FinishReason{"STOP", Kind::stop},
    FinishReason{"MAX_TOKENS", Kind::length},
    FinishReason{"SAFETY", Kind::filtered},
    FinishReason{"RECITATION", Kind::filtered},
    FinishReason{"OTHER", Kind::other},
    FinishReason{"LANGUAGE", Kind::filtered},
    FinishReason{"BLOCKLIST", Kind::filtered},
    FinishReason{"PROHIBITED_CONTENT", Kind::filtered},
    FinishReason{"SPII", Kind::filtered},
    FinishReason{"MALFORMED_FUNCTION_CALL", Kind::failed},
    FinishReason{"IMAGE_SAFETY", Kind::filtered},
    FinishReason{"UNEXPECTED_TOOL_CALL", Kind::failed},
    FinishReason{"TOO_MANY_TOOL_CALLS", Kind::failed},
    FinishReason{"MALFORMED_RESPONSE", Kind::failed},
    FinishReason{"MISSING_THOUGHT_SIGNATURE", Kind::failed},
    FinishReason{"IMAGE_PROHIBITED_CONTENT", Kind::filtered},
    FinishReason{"IMAGE_RECITATION", Kind::filtered},
    FinishReason{"MODEL_ARMOR", Kind::filtered},
    FinishReason{"JAILBREAK", Kind::filtered},
};
constexpr std::size_t numbered = 13;

}  // namespace

FinishReason finish_reason(std::string_view raw) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
    if (error == std::errc{} && end == raw.data() + raw.size())
        return number < numbered ? reasons[number] : FinishReason{raw, Kind::stop};
    if (raw.size() >= 2 && raw.front() == '"') raw = raw.substr(1, raw.size() - 2);
    for (const FinishReason& reason : reasons)
        if (reason.name == raw) return reason;
    return {raw, Kind::stop};
}

}  // namespace runnel::provider::gemini
