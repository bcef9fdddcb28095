#include "exchange/cached_text.hpp"

#include "base/limits.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

namespace runnel::exchange {

std::string redis_name(std::string_view cache_key) {
    return fmt::format("runnel:answer:{}", cache_key);
}

std::string write_cached(const cache::CachedAnswer& answer,
                         const timeline::TimedRecording& recording) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("model").string(answer.model);
    out.key("provider").string(answer.provider);
    out.key("timeline").raw(timeline::write_archive(recording, limits::answer_copy_bytes));
    out.end_object();
    return text;
}

Result<cache::AnswerCache::Answer> read_cached(std::string text) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    auto answer = std::make_shared<cache::CachedAnswer>();
    std::string_view archive;
    const auto read = [&](std::string_view name, json::ondemand::value value) {
        if (name == "model") json::plain_string(value, answer->model);
        if (name == "provider") json::plain_string(value, answer->provider);
        if (name == "timeline") json::raw_value(value, archive);
    };
    if (parser.parse_strict(Padded::of(text), document) || document.get_object().get(object) ||
        json::for_each_field(object, read))
        return fail(ErrorKind::internal_error, "an answer in the cache can't be read");
    auto recording = timeline::read_archive(std::string(archive));
    if (!recording) return propagate(recording);
    recording->replay(&answer->timeline);
    return answer;
}

}  // namespace runnel::exchange
