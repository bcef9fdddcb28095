#include "provider/bedrock/events.hpp"

#include "provider/core/json_fields.hpp"

namespace runnel::provider::bedrock {
namespace {

using json::ondemand::value;

bool is_event_name(std::string_view name) {
    return name == "messageStart" || name == "contentBlockStart" || name == "contentBlockDelta" ||
           name == "contentBlockStop" || name == "messageStop" || name == "metadata";
}

void read_usage(value source, Counts& out) {
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "inputTokens") {
            read_count(field, out.input);
        } else if (name == "outputTokens") {
            read_count(field, out.output);
        } else if (name == "cacheReadInputTokens" || name == "cacheReadInputTokenCount") {
            read_count(field, out.cache_read);
        } else if (name == "cacheWriteInputTokens" || name == "cacheWriteInputTokenCount") {
            read_count(field, out.cache_write);
        }
    });
}

// One of {"web": {…}}, {"documentChar": {…}} and their like.
void read_place(std::string_view name, value source, timeline::Citation& out) {
    using Kind = timeline::Citation::Kind;
    if (name == "web") {
        out.kind = Kind::address;
    } else if (name == "documentChar") {
        out.kind = Kind::characters;
    } else if (name == "documentPage") {
        out.kind = Kind::pages;
    } else if (name == "documentChunk") {
        out.kind = Kind::blocks;
    } else if (name == "searchResultLocation") {
        out.kind = Kind::search_result;
    } else {
        return;
    }
    for_each_field(source, [&](std::string_view inner, value field) {
        if (inner == "url") {
            json::escaped_string(field, out.url);
        } else if (inner == "documentIndex" || inner == "searchResultIndex") {
            read_count(field, out.document);
        } else if (inner == "start") {
            read_count(field, out.start);
        } else if (inner == "end") {
            read_count(field, out.end);
        }
    });
}

timeline::Citation read_citation(value source) {
    timeline::Citation citation{.choice = 0};
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "title") {
            json::escaped_string(field, citation.title);
        } else if (name == "source" && citation.url.empty()) {
            json::escaped_string(field, citation.url);
        } else if (name == "sourceContent") {
            for_each_element(field, [&](value part) {
                for_each_field(part, [&](std::string_view inner, value text) {
                    if (inner == "text" && citation.cited_text.empty())
                        json::escaped_string(text, citation.cited_text);
                });
            });
        } else if (name == "location") {
            for_each_field(field, [&](std::string_view place, value inside) {
                read_place(place, inside, citation);
            });
        }
    });
    return citation;
}

void read_tool(value source, Block& out) {
    out.kind = Block::Kind::tool;
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "toolUseId") {
            json::escaped_string(field, out.id);
        } else if (name == "name") {
            json::escaped_string(field, out.name);
        } else if (name == "type") {
            json::escaped_string(field, out.tool_type);
        } else if (name == "input" && !json::escaped_string(field, out.input)) {
            json::raw_value(field, out.input_raw);
        }
    });
}

// A stream's pieces have text and signature beside each other; a whole block has them in
// reasoningText.
void read_reasoning(value source, Block& out) {
    out.kind = Block::Kind::reasoning;
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "text") {
            json::escaped_string(field, out.thinking);
        } else if (name == "signature") {
            json::escaped_string(field, out.signature);
        } else if (name == "redactedContent") {
            json::escaped_string(field, out.redacted);
        } else if (name == "reasoningText") {
            read_reasoning(field, out);
        }
    });
}

// Text with its sources.
void read_cited_text(value source, Block& out) {
    out.kind = Block::Kind::text;
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "citations") {
            for_each_element(
                field, [&](value citation) { out.citations.push_back(read_citation(citation)); });
        } else if (name == "content") {
            for_each_element(field, [&](value part) {
                for_each_field(part, [&](std::string_view inner, value text) {
                    if (inner == "text") json::escaped_string(text, out.text);
                });
            });
        }
    });
}

void read_block(value source, Block& out) {
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "text") {
            out.kind = Block::Kind::text;
            json::escaped_string(field, out.text);
        } else if (name == "toolUse") {
            read_tool(field, out);
        } else if (name == "reasoningContent") {
            read_reasoning(field, out);
        } else if (name == "citationsContent") {
            read_cited_text(field, out);
        } else if (name == "citation") {
            out.kind = Block::Kind::text;
            out.citations.push_back(read_citation(field));
        } else {
            out.kind = Block::Kind::other;
        }
    });
}

void read_message(value source, Event& out) {
    for_each_field(source, [&](std::string_view name, value field) {
        if (name != "content") return;
        out.has_content = true;
        for_each_element(field,
                         [&](value block) { read_block(block, out.content.emplace_back()); });
    });
}

void read_field(std::string_view name, value field, Event& out) {
    if (name == "contentBlockIndex") {
        json::integer(field, out.index);
    } else if (name == "start" || name == "delta") {
        read_block(field, out.block);
    } else if (name == "stopReason") {
        json::escaped_string(field, out.stop_reason);
    } else if (name == "usage") {
        read_usage(field, out.counts);
    } else if (name == "output") {
        for_each_field(field, [&](std::string_view inner, value message) {
            if (inner == "message") read_message(message, out);
        });
    } else if (is_event_name(name)) {
        // Nova's own events, as InvokeModel gives them, have their name around them.
        out.name = name;
        for_each_field(field, [&](std::string_view inner, value inside) {
            if (!is_event_name(inner)) read_field(inner, inside, out);
        });
    }
}

}  // namespace

bool read_event(json::Parser& parser, Padded text, Event& out) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return false;
    return !for_each_field(
        root, [&](std::string_view name, value field) { read_field(name, field, out); });
}

}  // namespace runnel::provider::bedrock
