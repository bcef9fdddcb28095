#include "check.hpp"
#include "telemetry/otlp_reply.hpp"
#include "telemetry/trace_context.hpp"

// What strangers say of their traces, and collectors of ours.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace runnel;
    const std::string_view text = fuzz::text_of(data, size);

    const telemetry::OtlpReply reply = telemetry::read_otlp_reply(200, text, text);
    fuzz::require(reply.rejected_spans >= 0, "nobody rejects less than nothing");
    (void)telemetry::read_otlp_reply(503, text, text);

    const auto parent = telemetry::read_traceparent(text);
    if (!parent) return 0;
    fuzz::require(parent->span != 0 && parent->trace != telemetry::TraceId{}, "ids are not zero");
    const std::string written = telemetry::write_traceparent(*parent);
    fuzz::require(telemetry::read_traceparent(written) == parent, "it is read back", written);
    fuzz::require(text.substr(3, 49) == std::string_view(written).substr(3, 49),
                  "the ids stay what they were", written);
    return 0;
}
