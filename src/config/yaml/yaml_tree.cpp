#include "config/yaml/yaml_tree.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace runnel::config {
namespace {

constexpr std::size_t file_bytes_max = limits::mib;
constexpr std::size_t depth_max = 64;
// A few aliases of aliases can stand for more than any memory holds.
constexpr std::size_t copied_bytes_max = 4 * limits::mib;

// Thrown by the builder through yaml-cpp, which lets it pass.
struct Refused {
    Problem problem;
};

[[noreturn]] void refuse(const YAML::Mark& mark, std::string message) {
    throw Refused{{mark.line + 1, mark.column + 1, std::move(message)}};
}

std::size_t bytes_of(const Node& node) {
    std::size_t bytes = sizeof node + node.text.size();
    for (const Node& child : node.children) bytes += bytes_of(child);
    return bytes;
}

std::size_t height_of(const Node& node) {
    std::size_t height = 0;
    for (const Node& child : node.children) height = std::max(height, height_of(child));
    return height + 1;
}

class Builder final : public YAML::EventHandler {
public:
    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (document_seen_)
            refuse(mark, "a second YAML document begins here; a config file is one document");
        document_seen_ = true;
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(node_at(mark, Node::Kind::null), anchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        const bool plain = tag.empty() || tag == "?";
        if (!plain && tag != "!" && tag != "tag:yaml.org,2002:str")
            refuse(mark, "a YAML tag other than !!str is not understood");
        // yaml-cpp makes single bytes of the escapes \N and \_.
        if (!is_utf8(value)) refuse(mark, "the escapes \\N and \\_ are not understood");
        Node node = node_at(mark, Node::Kind::scalar);
        node.style = plain ? Node::Style::plain : Node::Style::quoted;
        node.text = value;
        add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto named = anchored_.find(anchor);
        if (named == anchored_.end()) refuse(mark, "an alias stands inside what it names");
        if (open_.size() + height_of(named->second) > depth_max) refuse_depth(mark);
        count(named->second);
        add(named->second, no_anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, Node::Kind::list, anchor);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, Node::Kind::map, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        YAML::anchor_t anchor;
    };
    static constexpr YAML::anchor_t no_anchor = 0;

    static Node node_at(const YAML::Mark& mark, Node::Kind kind) {
        Node node;
        node.kind = kind;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
        return node;
    }

    [[noreturn]] static void refuse_depth(const YAML::Mark& mark) {
        refuse(mark, fmt::format("values are nested deeper than {} levels", depth_max));
    }

    // Each copy of a node counts; the nodes themselves are bounded by the file's size.
    void count(const Node& copied) {
        copied_bytes_ += bytes_of(copied);
        if (copied_bytes_ > copied_bytes_max)
            throw Refused{
                {copied.line, copied.column, "anchors and aliases make the file too large"}};
    }

    void open(const YAML::Mark& mark, Node::Kind kind, YAML::anchor_t anchor) {
        if (open_.size() == depth_max) refuse_depth(mark);
        open_.push_back({node_at(mark, kind), anchor});
    }

    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        add(std::move(done.node), done.anchor);
    }

    void add(Node node, YAML::anchor_t anchor) {
        if (anchor != no_anchor) {
            count(node);
            anchored_[anchor] = node;
        }
        if (open_.empty()) {
            root_ = std::move(node);
        } else {
            open_.back().node.children.push_back(std::move(node));
        }
    }

    Node root_;
    bool document_seen_ = false;
    std::vector<Open> open_;
    std::unordered_map<YAML::anchor_t, Node> anchored_;
    std::size_t copied_bytes_ = 0;
};

bool is_indented_with_tab(std::string_view text, int line) {
    for (int at = 0; at < line; ++at)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    const std::string_view indent = text.substr(0, text.find_first_not_of(" \t"));
    return indent.contains('\t');
}

// yaml-cpp names what it expected; these say what to look for.
std::string in_plain_words(std::string_view message) {
    static const std::pair<std::string_view, std::string_view> words[] = {
        {YAML::ErrorMsg::MAP_VALUE,
         "a ':' where no key can be: check the indentation, and quote text that has ': ' in it"},
        {YAML::ErrorMsg::END_OF_MAP, "the indentation of this line fits none of the lines above"},
        {YAML::ErrorMsg::END_OF_SEQ, "the indentation of this line fits none of the lines above"},
        {YAML::ErrorMsg::END_OF_MAP_FLOW, "a '{' is not closed, or a ',' is missing before this"},
        {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a '[' is not closed, or a ',' is missing before this"},
        {YAML::ErrorMsg::FLOW_END, "this bracket closes none that is open"},
        {YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends inside a quoted text"},
        {YAML::ErrorMsg::UNKNOWN_TOKEN, "no value can begin with this character: quote the text"},
        {YAML::ErrorMsg::UNKNOWN_ANCHOR, "no anchor of this name comes before the alias"},
    };
    // This one ends with a byte of the text, perhaps half a character.
    if (message.starts_with(YAML::ErrorMsg::INVALID_ESCAPE))
        return "an unknown escape: write \\\\ for a backslash, or use single quotes";
    for (const auto& [theirs, ours] : words)
        if (message == theirs) return std::string(ours);
    return std::string(message);
}

// YAML is Unicode text without control characters. yaml-cpp does not mind either, and takes U+0004
// for the end.
std::expected<void, Problem> check_characters(std::string_view text) {
    int line = 1;
    std::size_t line_begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_sequence(text.substr(at));
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool control =
            (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
        if (length == 0 || control) {
            const int column = static_cast<int>(at - line_begin) + 1;
            const char* what = control ? "control characters are not allowed" : "not UTF-8";
            return std::unexpected(
                Problem{line, column, fmt::format("byte 0x{:02x}: {}", byte, what)});
        }
        at += length;
        if (byte == '\n') {
            ++line;
            line_begin = at;
        }
    }
    return {};
}

void write_node(const Node& node, YAML::Emitter& to) {
    switch (node.kind) {
        case Node::Kind::null: to << YAML::Null; return;
        case Node::Kind::scalar:
            if (node.style == Node::Style::quoted) to << YAML::DoubleQuoted;
            to << node.text;
            return;
        case Node::Kind::list:
            to << YAML::BeginSeq;
            for (const Node& child : node.children) write_node(child, to);
            to << YAML::EndSeq;
            return;
        case Node::Kind::map:
            to << YAML::BeginMap;
            for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
                to << YAML::Key;
                write_node(node.children[i], to);
                to << YAML::Value;
                write_node(node.children[i + 1], to);
            }
            to << YAML::EndMap;
            return;
    }
}

}  // namespace

std::expected<Node, Problem> parse_yaml(std::string_view text) {
    if (text.size() > file_bytes_max)
        return std::unexpected(Problem{1, 1, "the file is larger than 1 MiB"});
    if (auto checked = check_characters(text); !checked) return std::unexpected(checked.error());
    try {
        std::string input(text);
        // yaml-cpp overlooks an open quote when the file ends with a line break; a comment is
        // harmless elsewhere.
        if (input.ends_with('\n')) input += '#';
        std::istringstream stream(input);
        YAML::Parser parser(stream);
        Builder builder;
        while (parser.HandleNextDocument(builder)) {
        }
        return builder.take();
    } catch (const Refused& refused) {
        return std::unexpected(refused.problem);
    } catch (const YAML::Exception& error) {
        const int line = std::max(error.mark.line, 0);
        const std::string message = is_indented_with_tab(text, line)
                                        ? "a tab in the indentation: use spaces"
                                        : in_plain_words(error.msg);
        return std::unexpected(
            Problem{line + 1, std::max(error.mark.column, 0) + 1, "not YAML: " + message});
    } catch (const std::exception& error) {
        return std::unexpected(Problem{1, 1, fmt::format("not YAML: {}", error.what())});
    }
}

std::string write_yaml(const Node& node) {
    YAML::Emitter emitter;
    write_node(node, emitter);
    return std::string(emitter.c_str(), emitter.size()) + '\n';
}

}  // namespace runnel::config
