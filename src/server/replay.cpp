#include "server/replay.hpp"

#include "api/registry.hpp"
#include "json/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace runnel::server {

Result<KeptAnswer> read_content(std::string content) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    std::string_view answer;
    api::Envelope envelope;
    envelope.usage = api::Envelope::Usage::shown;
    if (!parser.parse_strict(Padded::of(content), document) && !document.get_object().get(object))
        (void)json::for_each_field(object, [&](std::string_view name, json::ondemand::value value) {
            std::string_view text;
            if (name == "id" && !value.get_string().get(text)) envelope.id = text;
            if (name == "created") (void)value.get_int64().get(envelope.created);
            if (name == "model" && !value.get_string().get(text)) envelope.model = text;
            if (name == "answer") (void)json::raw_value(value, answer);
        });
    auto recording = timeline::read_archive(std::string(answer));
    if (!recording) return propagate(recording);
    return KeptAnswer{std::move(envelope), std::move(*recording)};
}

Result<Replayed> replay_content(std::string content, std::string_view dialect) {
    const api::Dialect* found = api::dialect_named(dialect);
    if (found == nullptr)
        return fail_at(ErrorKind::invalid_stream_dialect, "dialect",
                       fmt::format("'{}' is not a stream dialect; there are: {}", dialect,
                                   fmt::join(api::dialect_names(), ", ")));
    auto kept = read_content(std::move(content));
    if (!kept) return propagate(kept);
    Replayed replayed{.content_type = found->content_type()};
    const auto encoder = found->make_encoder(kept->envelope, &replayed.frames);
    kept->recording.replay(encoder.get());
    return replayed;
}

}  // namespace runnel::server
