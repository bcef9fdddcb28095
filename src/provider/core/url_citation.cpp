#include "provider/core/url_citation.hpp"

#include "provider/core/json_fields.hpp"

namespace runnel::provider {
namespace {

using json::ondemand::value;

void read_field(std::string_view name, value field, timeline::Citation& out) {
    if (name == "url") json::escaped_string(field, out.url);
    if (name == "title") json::escaped_string(field, out.title);
    if (name == "content") json::escaped_string(field, out.cited_text);  // OpenRouter's
    if (name == "start_index") read_count(field, out.text_start);
    if (name == "end_index") read_count(field, out.text_end);
}

}  // namespace

std::optional<timeline::Citation> read_url_citation(value annotation) {
    timeline::Citation nested{.choice = 0};
    timeline::Citation flat{.choice = 0};  // as in OpenAI's other API
    for_each_field(annotation, [&](std::string_view name, value field) {
        if (name == "url_citation") {
            for_each_field(
                field, [&](std::string_view key, value inner) { read_field(key, inner, nested); });
        } else {
            read_field(name, field, flat);
        }
    });
    const timeline::Citation& citation = nested.url.empty() ? flat : nested;
    return citation.url.empty() ? std::nullopt : std::optional(citation);
}

}  // namespace runnel::provider
