#include "provider/openai/finish.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace runnel::provider {
namespace {

using timeline::Finish;

struct Reason {
    std::string_view native;  // in lower case
    FinishReason reason;
};

constexpr std::array reasons{
    Reason{"", NotFinished{}},  // Snowflake, xAI, old Ollama
    Reason{"null", NotFinished{}},
    Reason{"length", Finish::length},
    Reason{"model_length", Finish::length},
    Reason{"model_context_window_exceeded", Finish::length},
    Reason{"max_tokens", Finish::length},
    Reason{"tool_calls", Finish::tool_calls},
    Reason{"tool_call", Finish::tool_calls},
    Reason{"tool_use", Finish::tool_calls},
    Reason{"function_call", Finish::tool_calls},
    Reason{"content_filter", Finish::content_filter},
    Reason{"sensitive", Finish::content_filter},
    Reason{"safety", Finish::content_filter},
    Reason{"refusal", Finish::content_filter},
    Reason{"function_call_filter", ErrorKind::upstream_malformed},
    Reason{"error", ErrorKind::upstream_failed},
    Reason{"abort", ErrorKind::upstream_failed},
    Reason{"aborted", ErrorKind::upstream_failed},
    Reason{"network_error", ErrorKind::upstream_failed},
    Reason{"insufficient_system_resource", ErrorKind::upstream_overloaded},
};

}  // namespace

FinishReason read_openai_finish(std::string_view native) {
    // Google's own server adds its reason: "content_filter: PROHIBITED_CONTENT".
    native = native.substr(0, native.find(':'));
    const auto found = std::ranges::find_if(reasons, [&](const Reason& known) {
        return ascii::equal_ignoring_case(native, known.native);
    });
    return found == reasons.end() ? Finish::stop : found->reason;
}

}  // namespace runnel::provider
