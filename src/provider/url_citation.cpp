#include "provider/url_citation.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/json_fields.hpp"

#include <cstdint>
#include <optional>

namespace runnel::provider {
namespace {

using json::ondemand::value;

struct Citation {
    std::string_view url{};
    std::optional<std::string_view> title{};
    std::optional<std::int64_t> start{};
    std::optional<std::int64_t> end{};

    void read(std::string_view name, value field) {
        std::string_view text;
        if (name == "url") json::escaped_string(field, url);
        if (name == "title" && json::escaped_string(field, text)) title = text;
        if (name == "start_index") read_count(field, start);
        if (name == "end_index") read_count(field, end);
    }

    bool is_whole() const { return !url.empty() && title && start && end; }

    std::string written() const {
        std::string raw;
        json::Writer w(raw);
        w.begin_object().key("type").string("url_citation");
        w.key("url_citation").begin_object();
        w.key("start_index").number(start.value_or(0)).key("end_index").number(end.value_or(0));
        w.key("url").escaped(url).key("title").escaped(title.value_or(""));
        w.end_object().end_object();
        return raw;
    }
};

}  // namespace

std::string url_citation(std::string_view url, std::string_view title) {
    std::string url_escaped;
    std::string title_escaped;
    json::append_escaped(url_escaped, url);
    json::append_escaped(title_escaped, title);
    return Citation{url_escaped, title_escaped}.written();
}

std::string readable_annotation(value annotation) {
    json::ondemand::object object;
    std::string_view raw;
    if (annotation.get_object().get(object) || object.raw_json().get(raw) || object.reset().error())
        return {};
    std::string_view type;
    Citation nested;
    Citation flat;  // as in OpenAI's other API
    for_each_field(object, [&](std::string_view name, value field) {
        if (name == "type") json::escaped_string(field, type);
        if (name == "url_citation") {
            for_each_field(field,
                           [&](std::string_view key, value inner) { nested.read(key, inner); });
        } else {
            flat.read(name, field);
        }
    });
    const Citation& citation = nested.url.empty() ? flat : nested;
    if (citation.url.empty()) return {};
    if (type != "url_citation" || !nested.is_whole()) return citation.written();
    std::string compact;
    json::append_compact(compact, raw);
    return compact;
}

}  // namespace runnel::provider
