#include "tools/mcp/result.hpp"

#include "json/fields.hpp"
#include "tools/outcome.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::tools::mcp {
namespace {

// The fields that any kind of content block has.
struct Block {
    std::string type, text, mime_type, uri, name;
    std::size_t data_bytes = 0;  // of base64 text
    bool has_text = false;
};

void read_block_field(std::string_view name, json::ondemand::value value, Block& out) {
    std::string_view data;
    if (name == "type") {
        json::plain_string(value, out.type);
    } else if (name == "text") {
        out.has_text = json::plain_string(value, out.text);
    } else if (name == "mimeType") {
        json::plain_string(value, out.mime_type);
    } else if (name == "uri") {
        json::plain_string(value, out.uri);
    } else if (name == "name") {
        json::plain_string(value, out.name);
    } else if (name == "data" || name == "blob") {
        if (json::escaped_string(value, data)) out.data_bytes = data.size();
    }
}

Block read_block(json::ondemand::value value) {
    Block out;
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value field) {
        if (name != "resource") {
            read_block_field(name, field, out);
            return;
        }
        // The resource's own fields; the type stays the block's.
        (void)json::for_each_field(field,
                                   [&](std::string_view inner, json::ondemand::value inner_field) {
                                       if (inner != "type")
                                           read_block_field(inner, inner_field, out);
                                   });
    });
    return out;
}

// "[image: image/png, 3 KiB]"
std::string in_brackets(const Block& block) {
    std::string out = fmt::format("[{}:", block.type.empty() ? "content" : block.type);
    const auto add = [&](std::string_view text) {
        if (!out.ends_with(':')) out += ',';
        out += ' ';
        out += text;
    };
    if (!block.name.empty()) add(block.name);
    if (!block.uri.empty()) add(block.uri);
    if (!block.mime_type.empty()) add(block.mime_type);
    if (block.data_bytes > 0) add(fmt::format("{} KiB", (block.data_bytes * 3 / 4 + 1023) / 1024));
    if (out.ends_with(':')) out.pop_back();
    return out + ']';
}

bool is_json_tree(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') &&
           json::is_whole(text);
}

}  // namespace

ToolOutcome fold_result(json::Parser* parser, std::string result_json, const ToolLimits& limits) {
    std::string text;
    bool any_content = false;
    std::string structured;
    std::string result_type = "complete";
    bool is_error = false;

    json::ondemand::document document;
    json::ondemand::value root;
    if (parser->parse(Padded::of(result_json), document) || document.get_value().get(root))
        return failed_with("the tool's answer can't be read");
    (void)json::for_each_field(root, [&](std::string_view name, json::ondemand::value value) {
        std::string_view raw;
        if (name == "content") {
            (void)json::for_each_element(value, [&](json::ondemand::value element) {
                const Block block = read_block(element);
                if (std::exchange(any_content, true)) text += '\n';
                text += block.has_text ? block.text : in_brackets(block);
            });
        } else if (name == "structuredContent" && !json::is_null(value)) {
            if (json::raw_value(value, raw)) json::append_compact(structured, raw);
        } else if (name == "isError") {
            is_error = json::is_true(value);
        } else if (name == "resultType") {
            json::plain_string(value, result_type);
        }
    });

    if (result_type == "input_required")
        return failed_with("the tool asks for more input, from a person who is not here");
    if (result_type != "complete") return failed_with("the tool's answer is of an unknown type");

    if (!any_content) text = structured.empty() ? "(the tool returned nothing)" : structured;
    if (structured.empty() && is_json_tree(text)) json::append_compact(structured, text);
    ToolOutcome out = completed_with_text(std::move(text), limits);
    if (is_error) out.kind = ToolOutcome::Kind::failed;
    if (!structured.empty() && structured.size() <= limits.result_bytes)
        out.result_json = std::move(structured);
    return out;
}

}  // namespace runnel::tools::mcp
