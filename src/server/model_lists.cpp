#include "server/model_lists.hpp"

#include "base/utc_time.hpp"
#include "json/place.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

namespace runnel::server {
namespace {

using router::Router;

constexpr std::size_t models_page_max = 1000;

std::string_view value_of(const QueryFields& query, std::string_view name) {
    const auto found = std::ranges::find(query, name, &QueryFields::value_type::first);
    return found == query.end() ? std::string_view() : std::string_view(found->second);
}

// `otherwise` where it is not there.
Result<std::size_t> number_of(const QueryFields& query, std::string_view name,
                              std::size_t otherwise, std::size_t most) {
    const std::string_view text = value_of(query, name);
    if (text.empty()) return otherwise;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number > most)
        return fail_at(ErrorKind::invalid_value, std::string(name),
                       fmt::format("{} is {}; it must be a whole number of at most {}", name,
                                   json::in_quotes(text), most));
    return number;
}

// Where the model of that id stands; nothing where the query does not name one.
Result<std::optional<std::size_t>> place_of(std::span<const Router::Listed> models,
                                            const QueryFields& query, std::string_view name) {
    const std::string_view id = value_of(query, name);
    if (id.empty()) return std::optional<std::size_t>();
    const auto found = std::ranges::find(models, id, &Router::Listed::id);
    if (found == models.end())
        return fail_at(
            ErrorKind::invalid_value, std::string(name),
            fmt::format("{} is {}, which is not in the list", name, json::in_quotes(id)));
    return std::optional(static_cast<std::size_t>(found - models.begin()));
}

void write_messages_model(json::Writer& out, const Router::Listed& model, std::int64_t created) {
    out.begin_object().key("type").string("model").key("id").string(model.id);
    out.key("display_name").string(model.id);
    out.key("created_at")
        .string(write_utc_time(
            std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::seconds(created))));
    if (model.facts.context_length) out.key("max_input_tokens").number(*model.facts.context_length);
    if (model.facts.max_output) out.key("max_tokens").number(*model.facts.max_output);
    out.end_object();
}

void write_gemini_model(json::Writer& out, const Router::Listed& model) {
    out.begin_object().key("name").string("models/" + model.id);
    out.key("displayName").string(model.id).key("version").string("1");
    if (model.facts.context_length) out.key("inputTokenLimit").number(*model.facts.context_length);
    if (model.facts.max_output) out.key("outputTokenLimit").number(*model.facts.max_output);
    if (model.facts.reasoning) out.key("thinking").boolean(*model.facts.reasoning);
    out.key("supportedGenerationMethods").begin_array();
    out.string("generateContent").string("streamGenerateContent").string("countTokens");
    out.end_array().end_object();
}

}  // namespace

Result<std::string> messages_models_json(std::span<const Router::Listed> models,
                                         const QueryFields& query, std::int64_t created) {
    constexpr std::size_t models_page_usual = 20;
    auto limit = number_of(query, "limit", models_page_usual, models_page_max);
    auto after = place_of(models, query, "after_id");
    auto before = place_of(models, query, "before_id");
    if (!limit) return propagate(limit);
    if (!after) return propagate(after);
    if (!before) return propagate(before);
    if (*limit == 0)
        return fail_at(ErrorKind::invalid_value, "limit", "limit is 0; it must be 1 or more");
    // A page before a model ends right before it.
    std::size_t begin = *after ? **after + 1 : 0;
    std::size_t end = *before ? std::max(**before, begin) : models.size();
    const bool has_more = end - begin > *limit;
    if (*before && !*after) {
        begin = std::max(begin, end - std::min(end, *limit));
    } else {
        end = std::min(end, begin + *limit);
    }
    const auto page = models.subspan(begin, end - begin);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("data").begin_array();
    for (const Router::Listed& model : page) write_messages_model(out, model, created);
    out.end_array().key("has_more").boolean(has_more).key("first_id");
    page.empty() ? out.null() : out.string(page.front().id);
    out.key("last_id");
    page.empty() ? out.null() : out.string(page.back().id);
    out.end_object();
    return body;
}

std::string messages_model_json(const Router::Listed& model, std::int64_t created) {
    std::string body;
    json::Writer out(body);
    write_messages_model(out, model, created);
    return body;
}

Result<std::string> gemini_models_json(std::span<const Router::Listed> models,
                                       const QueryFields& query) {
    constexpr std::size_t models_page_usual = 50;
    auto size = number_of(query, "pageSize", models_page_usual, models_page_max);
    auto begin = number_of(query, "pageToken", 0, models.size());
    if (!size) return propagate(size);
    if (!begin) return propagate(begin);
    const std::size_t end =
        std::min(models.size(), *begin + (*size == 0 ? models_page_usual : *size));
    std::string body;
    json::Writer out(body);
    out.begin_object().key("models").begin_array();
    for (const Router::Listed& model : models.subspan(*begin, end - *begin))
        write_gemini_model(out, model);
    out.end_array();
    if (end < models.size()) out.key("nextPageToken").string(std::to_string(end));
    out.end_object();
    return body;
}

std::string gemini_model_json(const Router::Listed& model) {
    std::string body;
    json::Writer out(body);
    write_gemini_model(out, model);
    return body;
}

}  // namespace runnel::server
