#include "cli/transcode.hpp"

#include "api/registry.hpp"
#include "cli/kinds.hpp"
#include "provider/core/answer_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace runnel::cli {
namespace {

constexpr std::uint64_t id_seed = 1;

std::string answer_id(const api::Api& api) {
    const std::string_view prefix = api.id_prefix();
    return std::string(prefix.empty() ? "chatcmpl-" : prefix) + "T";
}

// Feeds the input in reads of the wanted sizes.
void feed(const TranscodeOptions& options, std::string_view input, provider::AnswerReader& reader) {
    std::size_t next_cut = 0;
    while (!input.empty()) {
        std::size_t size = options.split == 0 ? input.size() : options.split;
        if (!options.cuts.empty())
            size = next_cut < options.cuts.size() ? options.cuts[next_cut++] : input.size();
        // Memory of its own for each, gone with the next: whoever keeps a view too long is found by
        // ASan.
        std::string piece(input.substr(0, size));
        input.remove_prefix(piece.size());
        reader.feed(Padded::of(piece));
    }
    reader.finish();
}

}  // namespace

Result<std::string> transcode(const TranscodeOptions& options, std::string_view input) {
    const api::Dialect* to = api::dialect_named(options.to);
    if (to == nullptr)
        return fail(ErrorKind::invalid_value,
                    fmt::format("there is no dialect {}; there are: {}", options.to,
                                fmt::join(api::dialect_names(), ", ")));
    auto from = provider_of_kind(options.from);
    if (!from) return propagate(from);
    const provider::Provider& provider = **from;
    if (options.status != 200)
        return to->api().error_body(
            provider.read_error({.status = options.status, .headers = {}, .body = input}));

    api::Envelope envelope{options.id.empty() ? answer_id(to->api()) : options.id, options.created,
                           options.model};
    if (options.include_usage) envelope.usage = api::Envelope::Usage::shown;
    std::string out;
    timeline::Fold fold;
    std::unique_ptr<timeline::Sink> encoder;
    if (!options.json) encoder = to->make_encoder(envelope, &out);
    timeline::Sink* const sink = options.json ? &fold : encoder.get();

    json::Parser parser;
    IdSource ids(id_seed);
    provider::TurnOptions turn = provider.turn_options(options.model);
    provider::answer_in(to->api().name(), turn);
    provider::AnswerReader reader(provider.make_wire(&parser), std::move(turn), sink, &ids);
    feed(options, input, reader);
    if (!options.json) return out;
    if (fold.answer().error) return to->api().error_body(*fold.answer().error);
    return to->write_answer(envelope, fold.answer());
}

}  // namespace runnel::cli
