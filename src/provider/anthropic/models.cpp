#include "provider/anthropic/models.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <string>

namespace runnel::provider::anthropic {
namespace {

using enum Traits::Thinking;
using enum Traits::ThinkingOff;
using enum Traits::Sampling;

// clang-format off
//                        thinking  off         sampling   xhigh  schema prefill forced default  max
constexpr Traits before35{never,    by_default, free,      false, false, true,   true,    4096,   4096};
constexpr Traits v3_5    {never,    by_default, free,      false, false, true,   true,    8192,   8192};
constexpr Traits v3_7    {budget,   by_default, free,      false, false, true,   true,   64000,  64000};
constexpr Traits opus4   {budget,   by_default, exclusive, false, false, true,   true,   32000,  32000};
constexpr Traits sonnet4 {budget,   by_default, exclusive, false, false, true,   true,   64000,  64000};
constexpr Traits opus41  {budget,   by_default, exclusive, false, true,  true,   true,   32000,  32000};
constexpr Traits v4_5    {budget,   by_default, exclusive, false, true,  true,   true,   64000,  64000};
constexpr Traits sonnet46{either,   said,       exclusive, false, true,  true,   true,   64000,  64000};
constexpr Traits opus46  {either,   said,       exclusive, false, true,  false,  true,  128000, 128000};
constexpr Traits v4_7    {adaptive, said,       refused,   true,  true,  false,  true,  128000, 128000};
constexpr Traits fable   {adaptive, impossible, refused,   true,  true,  false,  false, 128000, 128000};
constexpr Traits mythos5 {adaptive, impossible, refused,   true,  true,  false,  true,  128000, 128000};
// MiniMax, Kimi, DeepSeek… behind the same format.
constexpr Traits foreign {budget,   by_default, free,      false, false, true,   true,    4096,      0};
// clang-format on

struct Row {
    std::string_view part;  // of the model's name; a $ at its end stands for the name's end
    const Traits* traits;
};
// The first row that fits counts. A Claude that nobody knows yet is most likely a newer one: hence
// the last row.
constexpr Row rows[] = {
    {"claude-mythos-5", &mythos5},
    {"claude-mythos", &fable},
    {"claude-fable", &fable},
    {"claude-opus-5", &v4_7},
    {"claude-sonnet-5", &v4_7},
    {"claude-opus-4-8", &v4_7},
    {"claude-opus-4-7", &v4_7},
    {"claude-opus-4-6", &opus46},
    {"claude-sonnet-4-6", &sonnet46},
    {"claude-opus-4-5", &v4_5},
    {"claude-sonnet-4-5", &v4_5},
    {"claude-haiku-4-5", &v4_5},
    {"claude-opus-4-1", &opus41},
    {"claude-opus-4-0", &opus4},
    {"claude-opus-4-20", &opus4},
    {"claude-opus-4@", &opus4},
    {"claude-opus-4$", &opus4},
    {"claude-sonnet-4-0", &sonnet4},
    {"claude-sonnet-4-20", &sonnet4},
    {"claude-sonnet-4@", &sonnet4},
    {"claude-sonnet-4$", &sonnet4},
    {"claude-3-7", &v3_7},
    {"claude-3-5", &v3_5},
    {"claude-3-", &before35},
    {"claude-2", &before35},
    {"claude-instant", &before35},
    {"claude", &mythos5},
};

bool fits(std::string_view name, std::string_view part) {
    if (part.ends_with('$')) return name.ends_with(part.substr(0, part.size() - 1));
    return name.find(part) != std::string_view::npos;
}

}  // namespace

const Traits& traits_of(std::string_view model) {
    std::string name = ascii::lowered(model);
    std::ranges::replace(name, '.', '-');
    const auto* row = std::ranges::find_if(rows, [&](const Row& r) { return fits(name, r.part); });
    return row == std::end(rows) ? foreign : *row->traits;
}

}  // namespace runnel::provider::anthropic
