#include "timeline/archive.hpp"

#include "api/registry.hpp"
#include "provider_check.hpp"
#include "timeline/answer.hpp"

// Any text as a recorded timeline: it is refused with a reason, or it can be written and read again
// without a change, and told to every dialect.
namespace runnel::fuzz {
namespace {

constexpr std::size_t no_bound = 100'000'000;

void check_dialects(const timeline::TimedRecording& recording, std::string_view text) {
    const bool ended = !recording.events().empty() &&
                       std::holds_alternative<timeline::Ended>(recording.events().back());
    for (const std::string_view name : api::dialect_names()) {
        api::Envelope envelope{"chatcmpl-T", 1, "m"};
        envelope.usage = api::Envelope::Usage::shown;
        envelope.tool_results = api::Envelope::ToolResults::shown;
        const api::Dialect& dialect = *api::dialect_named(name);
        std::string out;
        const auto encoder = dialect.make_encoder(envelope, &out);
        timeline::Fold fold;
        recording.replay(encoder.get());
        recording.replay(&fold);
        if (!ended) {
            encoder->on(timeline::Ended{});
            fold.on(timeline::Ended{});
        }
        if (&dialect.api() == &api::chat_api()) require_well_formed(out);
        require(is_json_object(dialect.write_answer(envelope, fold.answer())),
                "the whole answer is a JSON object", text);
    }
}

}  // namespace
}  // namespace runnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace runnel;
    const std::string_view text = fuzz::text_of(data, size);
    const auto recording = timeline::read_archive(std::string(text));
    if (!recording) {
        fuzz::require(!recording.error().message.empty(), "a refused text has a reason");
        return 0;
    }
    const std::string written = timeline::write_archive(*recording, fuzz::no_bound);
    const auto again = timeline::read_archive(written);
    fuzz::require(again.has_value(), "what is written can be read", written);
    fuzz::require(timeline::write_archive(*again, fuzz::no_bound) == written,
                  "nothing changes on the way", written);
    fuzz::check_dialects(*recording, text);
    return 0;
}
