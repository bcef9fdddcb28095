#pragma once

#include <string>
#include <string_view>
#include <vector>

// The forms in which providers send an answer, taken apart in the plainest way: all bytes at
// hand, no state.
namespace runnel::conformance {

enum class WireForm { sse, json_lines, json_array, json_object };

WireForm form_of(std::string_view bytes);

struct WireEvent {
    std::string name;  // the SSE event field; empty elsewhere
    std::string data;
};

// The events of a response, whatever its form. An event that the end of input cut short is kept
// only if its data is whole: valid JSON or [DONE].
std::vector<WireEvent> events_of(std::string_view bytes);

}  // namespace runnel::conformance
