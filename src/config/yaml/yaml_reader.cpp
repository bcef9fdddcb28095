#include "config/yaml/yaml_reader.hpp"

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "config/secret_file.hpp"
#include "config/units.hpp"
#include "config/yaml/masked_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

namespace runnel::config {
namespace {

constexpr std::size_t quoted_bytes = 60;  // of a wrong value, in a message

// What is written, as a message shows it.
std::string shown(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null: return "empty";
        case Node::Kind::list: return "a list";
        case Node::Kind::map: return "a map";
        case Node::Kind::scalar: break;
    }
    const std::string text = masked_value(node.text);
    const std::string_view part = utf8_prefix(text, quoted_bytes);
    return fmt::format("'{}{}'", part, part.size() < text.size() ? "…" : "");
}

bool is_variable_name(std::string_view name) {
    const auto fits = [](char c) { return ascii::is_alphanumeric(c) || c == '_'; };
    return !name.empty() && !ascii::is_digit(name.front()) && std::ranges::all_of(name, fits);
}

// What systemd takes: a name, and no way out of its folder.
bool is_credential_name(std::string_view name) {
    const auto fits = [](char c) {
        return ascii::is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && name.front() != '.' && std::ranges::all_of(name, fits);
}

// Fills in each ${NAME}; the complaint when one cannot be.
std::expected<std::string, std::string> expand(std::string_view text, Environment environment) {
    std::string out;
    while (true) {
        const std::size_t at = text.find("${");
        if (at == std::string_view::npos) return out.append(text);
        out.append(text, 0, at);
        if (!out.empty() && out.back() == '$' && at > 0) {
            out += '{';  // $${: the first $ is out already
            text.remove_prefix(at + 2);
            continue;
        }
        const std::size_t end = text.find('}', at);
        if (end == std::string_view::npos)
            return std::unexpected("'${' without a '}' behind it; write $${ for the text itself");
        const std::string name(text.substr(at + 2, end - at - 2));
        if (!is_variable_name(name))
            return std::unexpected(fmt::format(
                "'${{{}}}' does not name an environment variable; write $${{ for the text itself",
                utf8_prefix(name, quoted_bytes)));
        const char* value = environment(name.c_str());
        if (!value)
            return std::unexpected(fmt::format("the environment variable {} is not set", name));
        out += value;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::optional<std::string> Value::text() const {
    if (node_->kind != Node::Kind::scalar) {
        refuse("text");
        return std::nullopt;
    }
    auto expanded = expand(node_->text, reading_->environment);
    if (!expanded) {
        complain(expanded.error());
        return std::nullopt;
    }
    return std::move(*expanded);
}

std::optional<std::string> Value::secret() const {
    if (node_->kind != Node::Kind::map) return text();
    const std::size_t problems = problem_count();
    const auto written = section(ways_to_secrets);
    if (problem_count() > problems) return std::nullopt;
    const Value* file = written->find("file");
    const Value* credential = written->find("credential");
    if ((file == nullptr) == (credential == nullptr)) {
        complain("a secret is text, {file: PATH} or {credential: NAME}");
        return std::nullopt;
    }
    const auto path = file ? file->path_of_file() : credential->path_of_credential();
    if (!path) return std::nullopt;
    auto content = read_secret_file(*path);
    if (!content) {
        complain(content.error());
        return std::nullopt;
    }
    reading_->secret_files.push_back(*path);
    return std::move(*content);
}

std::optional<std::string> Value::path_of_file() const {
    const auto path = some_text();
    if (!path) return std::nullopt;
    return (std::filesystem::path(reading_->folder) / *path).string();
}

std::optional<std::string> Value::path_of_credential() const {
    const auto name =
        text_that(is_credential_name, "a credential's name: letters, digits, '.', '_' and '-'");
    if (!name) return std::nullopt;
    const char* folder = reading_->environment("CREDENTIALS_DIRECTORY");
    if (folder == nullptr || *folder == '\0') {
        complain(fmt::format("systemd has given this process no credentials; write "
                             "LoadCredential={}:PATH into its unit, or use {{file: PATH}}",
                             *name));
        return std::nullopt;
    }
    return fmt::format("{}/{}", folder, *name);
}

std::optional<std::string> Value::some_text() const {
    return text_that([](std::string_view text) { return !text.empty(); },
                     "a text that is not empty");
}

std::optional<std::string> Value::text_that(bool (*fits)(std::string_view),
                                            std::string_view wanted) const {
    auto written = text();
    if (!written || fits(*written)) return written;
    refuse(wanted);
    return std::nullopt;
}

std::optional<std::string> Value::one_of(std::span<const std::string_view> names) const {
    auto written = text();
    if (!written || std::ranges::find(names, *written) != names.end()) return written;
    // What a variable stands for is not shown, so no name can be near it.
    const std::string near = did_you_mean(node_->text, names);
    complain(fmt::format("{} is not one of {}{}", shown(*node_), fmt::join(names, ", "), near));
    return std::nullopt;
}

std::optional<bool> Value::boolean() const {
    const auto written = text();
    if (!written) return std::nullopt;
    const auto read = read_boolean(*written);
    if (!read) refuse("true or false");
    return read;
}

std::optional<std::int64_t> Value::whole_number(std::int64_t least, std::int64_t most) const {
    const auto written = text();
    if (!written) return std::nullopt;
    std::int64_t number = 0;
    const char* const end = written->data() + written->size();
    const auto [rest, error] = std::from_chars(written->data(), end, number);
    if (error == std::errc() && rest == end && number >= least && number <= most) return number;
    refuse(fmt::format("a whole number from {} to {}", least, most));
    return std::nullopt;
}

std::optional<double> Value::number(double least, double most) const {
    const auto written = text();
    if (!written) return std::nullopt;
    double number = 0;
    const char* const end = written->data() + written->size();
    const auto [rest, error] = std::from_chars(written->data(), end, number);
    if (error == std::errc() && rest == end && number >= least && number <= most) return number;
    refuse(fmt::format("a number from {} to {}", least, most));
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> Value::duration(std::chrono::milliseconds least,
                                                         std::chrono::milliseconds most) const {
    const auto written = text();
    if (!written) return std::nullopt;
    const auto read = read_duration(*written);
    if (read && *read >= least && *read <= most) return read;
    refuse(fmt::format("a time such as 800ms, 15s, 5m or 1h, from {} to {}", write_duration(least),
                       write_duration(most)));
    return std::nullopt;
}

std::optional<std::size_t> Value::size(std::size_t least, std::size_t most) const {
    const auto written = text();
    if (!written) return std::nullopt;
    const auto read = read_size(*written);
    if (read && *read >= least && *read <= most) return read;
    refuse(fmt::format("a size such as 256KiB, 32MiB or 10MB, from {}KiB to {}KiB",
                       least / limits::kib, most / limits::kib));
    return std::nullopt;
}

std::vector<Value> Value::list() const {
    std::vector<Value> items;
    if (node_->kind == Node::Kind::null) return items;
    if (node_->kind != Node::Kind::list) {
        refuse("a list");
        return items;
    }
    for (const Node& item : node_->children)
        items.emplace_back(&item, fmt::format("{}[{}]", path_, items.size()), reading_);
    return items;
}

std::vector<Entry> Value::entries() const {
    std::vector<Entry> entries;
    if (node_->kind == Node::Kind::null) return entries;
    if (node_->kind != Node::Kind::map) {
        refuse("a map of keys and values");
        return entries;
    }
    std::unordered_map<std::string_view, int> line_of;
    for (std::size_t i = 0; i + 1 < node_->children.size(); i += 2) {
        const Node& key = node_->children[i];
        if (key.kind != Node::Kind::scalar) {
            report(key, fmt::format("a key must be text, not {}", shown(key)));
            continue;
        }
        const auto [seen, is_new] = line_of.emplace(key.text, key.line);
        if (!is_new) {
            report(key, fmt::format("duplicate key {}{}; it is already in line {}", shown(key),
                                    in_this_place(), seen->second));
            continue;
        }
        entries.push_back(
            {key.text, child(key, key.text), child(node_->children[i + 1], key.text)});
    }
    return entries;
}

std::optional<Section> Value::section(std::span<const std::string_view> keys) const {
    std::vector<Entry> known;
    const bool is_map = node_->kind == Node::Kind::map || node_->kind == Node::Kind::null;
    for (Entry& entry : entries()) {
        if (std::ranges::find(keys, entry.key) != keys.end()) {
            known.push_back(std::move(entry));
            continue;
        }
        std::string help = did_you_mean(entry.key, keys);
        if (help.empty()) help = fmt::format("; the keys here are {}", fmt::join(keys, ", "));
        const Node& key = entry.name.node();
        report(key, fmt::format("unknown key {}{}{}", shown(key), in_this_place(), help));
    }
    if (!is_map) return std::nullopt;
    return Section(std::move(known));
}

void Value::refuse(std::string_view wanted, std::string_view hint) const {
    const std::string_view name = path_.empty() ? "the file" : std::string_view(path_);
    report(*node_, fmt::format("{} must be {}, not {}{}", name, wanted, shown(*node_), hint));
}

void Value::complain(std::string_view message) const {
    report(*node_, fmt::format("{}{}{}", path_, path_.empty() ? "" : ": ", message));
}

void Value::report(const Node& at, std::string message) const {
    // A problem is one line, whatever a quoted text has in it.
    std::ranges::replace_if(message, [](char c) { return c >= 0 && c < ' '; }, ' ');
    reading_->problems.push_back({at.line, at.column, std::move(message)});
}

std::string Value::in_this_place() const { return path_.empty() ? "" : " in " + path_; }

Value Value::child(const Node& node, std::string_view name) const {
    const std::string_view dot = path_.empty() ? "" : ".";
    return Value(&node, fmt::format("{}{}{}", path_, dot, utf8_prefix(name, quoted_bytes)),
                 reading_);
}

const Value* Section::find(std::string_view key) const {
    for (const Entry& entry : entries_)
        if (entry.key == key) return &entry.value;
    return nullptr;
}

}  // namespace runnel::config
