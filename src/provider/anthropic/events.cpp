#include "provider/anthropic/events.hpp"

#include "provider/core/json_fields.hpp"

namespace runnel::provider::anthropic {
namespace {

using json::ondemand::value;

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& part) {
    if (part) sum = sum.value_or(0) + *part;
}

// Keeps all of the object as well, where that is wanted.
template <class Read>
void for_each_field_of(value source, Natives natives, std::string_view& raw, Read&& read) {
    json::ondemand::object object;
    if (source.get_object().get(object)) return;
    if (natives == Natives::kept && (object.raw_json().get(raw) || object.reset().error())) return;
    for_each_field(object, read);
}

// A member that nobody here knows.
void keep_other(std::string_view name, value field, Natives natives, std::string& others) {
    std::string_view raw;
    if (natives == Natives::left_out || !json::raw_value(field, raw)) return;
    others.append(others.empty() ? "\"" : ",\"").append(name).append("\":").append(raw);
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

void read_usage(value source, Natives natives, Counts& out, std::string_view& raw) {
    std::optional<Counts> sum;
    for_each_field_of(source, natives, raw, [&](std::string_view name, value field) {
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

std::optional<timeline::Citation::Kind> citation_kind(std::string_view type) {
    using Kind = timeline::Citation::Kind;
    if (type == "web_search_result_location") return Kind::address;
    if (type == "char_location") return Kind::characters;
    if (type == "page_location") return Kind::pages;
    if (type == "content_block_location") return Kind::blocks;
    if (type == "search_result_location") return Kind::search_result;
    return std::nullopt;
}

// Each kind has its own names for the same things. Nothing where it is of a kind that nobody knows.
std::optional<timeline::Citation> read_citation(value source, Natives natives) {
    std::string_view type;
    timeline::Citation citation{.choice = 0};
    for_each_field_of(source, natives, citation.native.raw,
                      [&](std::string_view name, value field) {
                          if (name == "type") {
                              json::escaped_string(field, type);
                          } else if (name == "url" || name == "source") {
                              json::escaped_string(field, citation.url);
                          } else if (name == "title" || name == "document_title") {
                              json::escaped_string(field, citation.title);
                          } else if (name == "cited_text") {
                              json::escaped_string(field, citation.cited_text);
                          } else if (name == "document_index" || name == "search_result_index") {
                              read_count(field, citation.document);
                          } else if (name == "start_char_index" || name == "start_page_number" ||
                                     name == "start_block_index") {
                              read_count(field, citation.start);
                          } else if (name == "end_char_index" || name == "end_page_number" ||
                                     name == "end_block_index") {
                              read_count(field, citation.end);
                          } else if (name == "file_id") {
                              json::escaped_string(field, citation.file_id);
                          } else if (name == "encrypted_index") {
                              json::escaped_string(field, citation.reference);
                          }
                      });
    const auto kind = citation_kind(type);
    if (!kind) return std::nullopt;
    citation.kind = *kind;
    return citation;
}

void read_citations(value list, Natives natives, Block& out) {
    bool any = false;
    for_each_element(list, [&](value citation) {
        any = true;
        if (const auto read = read_citation(citation, natives)) out.citations.push_back(*read);
    });
    if (!any && natives == Natives::kept)
        out.others += out.others.empty() ? R"("citations":[])" : R"(,"citations":[])";
}

void read_block(value source, Natives natives, Block& out) {
    for_each_field_of(source, natives, out.raw, [&](std::string_view name, value field) {
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
        } else if (name == "citations" && !json::is_null(field)) {
            read_citations(field, natives, out);
        } else {
            keep_other(name, field, natives, out.others);
        }
    });
}

void read_stop_field(std::string_view name, value field, Natives natives, Stop& out,
                     std::string& others) {
    if (name == "stop_reason") {
        json::escaped_string(field, out.reason);
        return;
    }
    if (name == "stop_sequence") {
        json::escaped_string(field, out.sequence);
        return;
    }
    if (natives == Natives::kept) return keep_other(name, field, natives, others);
    if (name != "stop_details") return;
    for_each_field(field, [&](std::string_view detail, value text) {
        if (detail == "explanation") json::escaped_string(text, out.refusal);
    });
}

void read_message_field(std::string_view name, value field, Natives natives, Message& out) {
    if (name == "type") {
        json::escaped_string(field, out.type);
    } else if (name == "id") {
        json::escaped_string(field, out.id);
    } else if (name == "usage") {
        read_usage(field, natives, out.counts, out.usage_raw);
    } else if (name == "error") {
        out.is_error = !json::is_null(field);
    } else if (name == "content") {
        out.has_content = true;
        for_each_element(
            field, [&](value block) { read_block(block, natives, out.content.emplace_back()); });
    } else if (name != "role" && name != "model") {
        read_stop_field(name, field, natives, out.stop, out.others);
    }
}

bool is_known_delta(std::string_view type) {
    return type == "text_delta" || type == "input_json_delta" || type == "thinking_delta" ||
           type == "signature_delta" || type == "citations_delta";
}

void read_delta(value source, Natives natives, json::ondemand::document& document, Delta& out) {
    json::ondemand::object object;
    if (source.get_object().get(object)) return;
    const auto error = for_each_field(object, [&](std::string_view name, value field) {
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
        } else if (name == "citation") {
            out.citation = read_citation(field, natives);
        } else {
            read_stop_field(name, field, natives, out.stop, out.others);
        }
    });
    const bool is_known =
        is_known_delta(out.type) && (out.type != "citations_delta" || out.citation);
    if (error || natives == Natives::left_out || out.type.empty() || is_known) return;
    // A document that was given up on the way may not be read again.
    if (document.is_alive() && !object.reset().error())
        static_cast<void>(object.raw_json().get(out.raw));
}

}  // namespace

bool read_event(json::Parser& parser, Padded text, Natives natives, Event& out) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return false;
    return !for_each_field(root, [&](std::string_view name, value field) {
        if (name == "type") {
            json::escaped_string(field, out.type);
        } else if (name == "index") {
            json::integer(field, out.index);
        } else if (name == "delta") {
            read_delta(field, natives, document, out.delta);
        } else if (name == "content_block") {
            read_block(field, natives, out.block);
        } else if (name == "usage") {
            read_usage(field, natives, out.counts, out.usage_raw);
        } else if (name == "message") {
            for_each_field(field, [&](std::string_view inner, value inner_field) {
                read_message_field(inner, inner_field, natives, out.message);
            });
        } else if (name == "error") {
            out.is_error = !json::is_null(field);
        } else {
            keep_other(name, field, natives, out.others);
        }
    });
}

bool read_message(json::Parser& parser, Padded text, Natives natives, Message& out) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return false;
    return !for_each_field(root, [&](std::string_view name, value field) {
        read_message_field(name, field, natives, out);
    });
}

}  // namespace runnel::provider::anthropic
