#include "provider/openai_finish.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace runnel::provider {
namespace {

using timeline::Finish;

struct Row {
    std::string_view native;  // in lower case
    FinishReason reason;
};

constexpr std::array rows{
    Row{"", NotFinished{}},  // Snowflake, xAI, old Ollama
    Row{"null", NotFinished{}},
    Row{"length", Finish::length},
    Row{"model_length", Finish::length},
    Row{"model_context_window_exceeded", Finish::length},
    Row{"max_tokens", Finish::length},
    Row{"tool_calls", Finish::tool_calls},
    Row{"tool_call", Finish::tool_calls},
    Row{"tool_use", Finish::tool_calls},
    Row{"function_call", Finish::tool_calls},
    Row{"content_filter", Finish::content_filter},
    Row{"sensitive", Finish::content_filter},
    Row{"safety", Finish::content_filter},
    Row{"refusal", Finish::content_filter},
    Row{"function_call_filter", ErrorKind::upstream_malformed},
    Row{"error", ErrorKind::upstream_failed},
    Row{"abort", ErrorKind::upstream_failed},
    Row{"aborted", ErrorKind::upstream_failed},
    Row{"network_error", ErrorKind::upstream_failed},
    Row{"insufficient_system_resource", ErrorKind::upstream_overloaded},
};

}  // namespace

FinishReason read_openai_finish(std::string_view native) {
    // Google's own server adds its reason: "content_filter: PROHIBITED_CONTENT".
    native = native.substr(0, native.find(':'));
    const auto found = std::ranges::find_if(
        rows, [&](const Row& row) { return ascii::equal_ignoring_case(native, row.native); });
    return found == rows.end() ? Finish::stop : found->reason;
}

}  // namespace runnel::provider
