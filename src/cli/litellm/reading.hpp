#pragma once

#include "config/yaml/yaml_reader.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the parts of `runnel import litellm` share: values of the other program's file, and what is
// said about them.
namespace runnel::cli {

// The environment variables that the new file names.
class Variables {
public:
    // Names that the old file uses are not given to anything else.
    explicit Variables(std::set<std::string, std::less<>> taken) : taken_(std::move(taken)) {}

    // ${NAME}. The sample is what such a value could be, for checking the new file.
    std::string reference(std::string_view name, std::string_view sample);
    // A variable for a secret that stands in the old file: its usual name, or one with a number
    // behind it. The same secret has the same variable.
    std::string name_for(std::string_view secret, std::string_view usual_name);

    // Each with its sample, by name.
    const std::vector<std::pair<std::string, std::string>>& used() const { return used_; }

private:
    std::set<std::string, std::less<>> taken_;
    std::vector<std::pair<std::string, std::string>> secrets_;  // and their variables
    std::vector<std::pair<std::string, std::string>> used_;
};

// What could stand where a variable is.
namespace sample {
inline constexpr std::string_view key = "sk-such-a-key-as-there-are";
inline constexpr std::string_view url = "https://provider.invalid";
inline constexpr std::string_view api_version = "2024-10-21";
}  // namespace sample

// One conversion under way. Problems of the file are in the Reading that its Values have; notes are
// what is right there and is not, or not quite, carried over.
struct LitellmReading {
    Variables variables;
    std::vector<config::Problem> notes{};

    void note(const config::Value& at, std::string_view message);
};

inline constexpr std::string_view nothing_like_it = "there is nothing like it in Runnel; left out";

// The tree as LiteLLM sees it: with `<<` merged in, and what Runnel would take for a variable
// written so that it is none.
void prepare_litellm_tree(config::Node& tree);

// Every NAME of os.environ/NAME in it.
std::set<std::string, std::less<>> environment_names_in(const config::Node& tree);

// The entries of a map that say something: `key:` with nothing behind it is a key that is not
// there.
std::vector<config::Entry> entries_with_values(const config::Value& map);
// The value of that key, or nullptr.
const config::Value* find_entry(const std::vector<config::Entry>& entries, std::string_view key);

// A scalar as Runnel's file would have it: os.environ/NAME is ${NAME}.
std::optional<std::string> read_litellm_text(LitellmReading& reading, const config::Value& value,
                                             std::string_view sample);

// The same, of a secret, which is never copied: where it stands in the file, there is a variable
// in its place.
std::optional<std::string> read_litellm_secret(LitellmReading& reading, const config::Value& value,
                                               std::string_view usual_name,
                                               std::string_view sample = sample::key);

// A number that is not negative. One that is in a variable is noted: Runnel's numbers are in its
// file.
std::optional<double> read_litellm_number(LitellmReading& reading, const config::Value& value);

// A value of the file as YAML in one line.
std::string litellm_value_as_yaml(const config::Value& value);

}  // namespace runnel::cli
