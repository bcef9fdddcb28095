#pragma once

#include "config/config.hpp"
#include "config/yaml/yaml_tree.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// What reading a file needs and leaves behind.
struct Reading {
    Environment environment;
    std::string folder{};                     // where relative paths of secrets begin
    std::vector<std::string> secret_files{};  // that were read
    std::vector<Problem> problems{};
};

struct Entry;
class Section;

// A value of the file together with the path that leads to it, e.g. providers.local.base_url.
// Whatever a function finds wrong it reports at the value's own line and column, and then returns
// nothing. Messages quote the file, never what a
// ${NAME} in it stands for: that may be a key. A view: tree and Reading outlive it.
class Value {
public:
    Value(const Node* node, std::string path, Reading* reading)
        : node_(node),
          path_(std::move(path)),
          reading_(reading) {}

    const Node& node() const { return *node_; }
    const std::string& path() const { return path_; }

    // A scalar with its ${NAME}s filled in; $${ stands for ${.
    std::optional<std::string> text() const;
    // A scalar, or a file's content: {file: PATH}, {credential: NAME} for one of systemd's.
    std::optional<std::string> secret() const;
    // Text, where something must be written.
    std::optional<std::string> some_text() const;
    // One that `fits`; `wanted` says in words what that is.
    std::optional<std::string> text_that(bool (*fits)(std::string_view),
                                         std::string_view wanted) const;
    std::optional<std::string> one_of(std::span<const std::string_view> names) const;
    std::optional<bool> boolean() const;
    std::optional<std::int64_t> whole_number(std::int64_t least, std::int64_t most) const;
    std::optional<double> number(double least, double most) const;
    std::optional<std::chrono::milliseconds> duration(std::chrono::milliseconds least,
                                                      std::chrono::milliseconds most) const;
    std::optional<std::size_t> size(std::size_t least, std::size_t most) const;

    // No value at all, as when everything below a key is commented out, is an empty list or map.
    std::vector<Value> list() const;
    std::vector<Entry> entries() const;  // of a map with keys of the user's choice
    std::optional<Section>
    section(std::span<const std::string_view> keys) const;  // with these keys

    // Problems of the whole file so far: whether what was read since had any.
    std::size_t problem_count() const { return reading_->problems.size(); }

    // "PATH must be WANTED, not 'what is written'HINT".
    void refuse(std::string_view wanted, std::string_view hint = "") const;
    // "PATH: MESSAGE".
    void complain(std::string_view message) const;

private:
    std::optional<std::string> path_of_file() const;
    std::optional<std::string> path_of_credential() const;
    Value child(const Node& node, std::string_view name) const;
    std::string in_this_place() const;
    void report(const Node& at, std::string message) const;

    const Node* node_;
    std::string path_;
    Reading* reading_;
};

struct Entry {
    std::string key;
    Value name;  // the key where it stands, for complaints about it
    Value value;
};

// A map whose keys are known; the unknown ones have been reported.
class Section {
public:
    explicit Section(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    const Value* find(std::string_view key) const;

    // Reads `key` into `out` where it is there and right: section.read("idle", &Value::text, out).
    template <class T, class Read>
    void read(std::string_view key, Read read, T& out) const {
        const Value* value = find(key);
        if (!value) return;
        if (auto found = std::invoke(read, *value)) out = std::move(*found);
    }

private:
    std::vector<Entry> entries_;
};

}  // namespace runnel::config
