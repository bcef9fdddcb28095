#include "provider/anthropic_events.hpp"

#include "json/text.hpp"
#include "provider/json_fields.hpp"
#include "provider/url_citation.hpp"

namespace runnel::provider::anthropic {
namespace {

using json::ondemand::value;

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& part) {
    if (part) sum = sum.value_or(0) + *part;
}

struct Iteration {
    std::string_view type{};
    Counts counts{};
};

void read_plain_count(std::string_view name, value source, Counts& out) {
    if (name == "input_tokens") {
        read_count(source, out.input);
    } else if (name == "output_tokens") {
        read_count(source, out.output);
    } else if (name == "cache_read_input_tokens") {
        read_count(source, out.cache_read);
    } else if (name == "cache_creation_input_tokens") {
        read_count(source, out.cache_write);
    }
}

// What the parts of a turn sum up to. A turn that compacted its history first leaves the compaction
// out of its top level; an advisor's part is another model's; with a fallback the top level is
// right as it stands.
std::optional<Counts> sum_of_iterations(value source) {
    Counts sum;
    bool any = false;
    bool fallback = false;
    for_each_element(source, [&](value element) {
        Iteration iteration;
        for_each_field(element, [&](std::string_view name, value field) {
            if (name == "type") json::escaped_string(field, iteration.type);
            read_plain_count(name, field, iteration.counts);
        });
        fallback = fallback || iteration.type == "fallback_message";
        if (iteration.type != "message" && iteration.type != "compaction") return;
        any = true;
        add(sum.input, iteration.counts.input);
        add(sum.output, iteration.counts.output);
        add(sum.cache_read, iteration.counts.cache_read);
        add(sum.cache_write, iteration.counts.cache_write);
    });
    if (!any || fallback) return std::nullopt;
    return sum;
}

void read_usage(value source, Counts& out) {
    std::optional<Counts> sum;
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "output_tokens_details") {
            for_each_field(field, [&](std::string_view detail, value count) {
                if (detail == "thinking_tokens") read_count(count, out.reasoning);
            });
        } else if (name == "iterations") {
            sum = sum_of_iterations(field);
        } else {
            read_plain_count(name, field, out);
        }
    });
    if (!sum) return;
    sum->reasoning = out.reasoning;
    out = *sum;
}

// Empty for citations of documents, which have no address. A search result of the client's own has
// one where its source is a page.
std::string read_citation(value source) {
    std::string_view type;
    std::string_view url;
    std::string_view title;
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "type") json::escaped_string(field, type);
        if (name == "url" || name == "source") json::escaped_string(field, url);
        if (name == "title") json::escaped_string(field, title);
    });
    const bool of_page = type == "web_search_result_location" ||
                         (type == "search_result_location" && url.starts_with("http"));
    return of_page ? url_citation(json::unescaped(url), json::unescaped(title)) : std::string();
}

void read_block(value source, Block& out) {
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "type") {
            json::escaped_string(field, out.type);
        } else if (name == "id") {
            json::escaped_string(field, out.id);
        } else if (name == "name") {
            json::escaped_string(field, out.name);
        } else if (name == "text") {
            json::escaped_string(field, out.text);
        } else if (name == "thinking") {
            json::escaped_string(field, out.thinking);
        } else if (name == "signature") {
            json::escaped_string(field, out.signature);
        } else if (name == "data") {
            json::escaped_string(field, out.data);
        } else if (name == "input") {
            json::raw_value(field, out.input_raw);
        } else if (name == "citations") {
            for_each_element(field, [&](value citation) {
                std::string annotation = read_citation(citation);
                if (!annotation.empty()) out.annotations.push_back(std::move(annotation));
            });
        }
    });
}

void read_stop_details(value source, std::string_view& refusal) {
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "explanation") json::escaped_string(field, refusal);
    });
}

void read_message_field(std::string_view name, value field, Message& out) {
    if (name == "type") {
        json::escaped_string(field, out.type);
    } else if (name == "id") {
        json::escaped_string(field, out.id);
    } else if (name == "stop_reason") {
        json::escaped_string(field, out.stop_reason);
    } else if (name == "stop_details") {
        read_stop_details(field, out.refusal);
    } else if (name == "usage") {
        read_usage(field, out.counts);
    } else if (name == "error") {
        out.is_error = !json::is_null(field);
    } else if (name == "content") {
        out.has_content = true;
        for_each_element(field,
                         [&](value block) { read_block(block, out.content.emplace_back()); });
    }
}

void read_delta(value source, Delta& out) {
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "type") {
            json::escaped_string(field, out.type);
        } else if (name == "text") {
            json::escaped_string(field, out.text);
        } else if (name == "thinking") {
            json::escaped_string(field, out.thinking);
        } else if (name == "partial_json") {
            json::escaped_string(field, out.partial_json);
        } else if (name == "signature") {
            json::escaped_string(field, out.signature);
        } else if (name == "stop_reason") {
            json::escaped_string(field, out.stop_reason);
        } else if (name == "stop_details") {
            read_stop_details(field, out.refusal);
        } else if (name == "citation") {
            out.annotation = read_citation(field);
        }
    });
}

}  // namespace

bool read_event(json::Parser& parser, Padded text, Event& out) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return false;
    return !for_each_field(root, [&](std::string_view name, value field) {
        if (name == "type") {
            json::escaped_string(field, out.type);
        } else if (name == "index") {
            json::integer(field, out.index);
        } else if (name == "delta") {
            read_delta(field, out.delta);
        } else if (name == "content_block") {
            read_block(field, out.block);
        } else if (name == "usage") {
            read_usage(field, out.counts);
        } else if (name == "message") {
            for_each_field(field, [&](std::string_view inner, value inner_field) {
                read_message_field(inner, inner_field, out.message);
            });
        } else if (name == "error") {
            out.is_error = !json::is_null(field);
        }
    });
}

bool read_message(json::Parser& parser, Padded text, Message& out) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return false;
    return !for_each_field(
        root, [&](std::string_view name, value field) { read_message_field(name, field, out); });
}

}  // namespace runnel::provider::anthropic
