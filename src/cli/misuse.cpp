#include "cli/misuse.hpp"

#include "base/nearest.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace runnel::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::string suggestion(std::string_view written, const std::vector<std::string>& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    return did_you_mean(written, views);
}

// A word that the command does not know what to do with.
std::string unexpected(std::string word, const CLI::App& command) {
    if (word.starts_with('-')) {
        word.resize(std::min(word.find('='), word.size()));
        return fmt::format("there is no option {}{}", word, suggestion(word, options_of(command)));
    }
    const std::vector<std::string> commands = commands_of(command);
    if (commands.empty()) return fmt::format("'{}' is one argument too many", word);
    return fmt::format("there is no command '{}'{}", word, suggestion(word, commands));
}

}  // namespace

std::string misuse_message(const CLI::App* program, const CLI::Error& error) {
    const CLI::App* command = program;
    std::string path = program->get_name();
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        path += ' ' + command->get_name();
    }
    std::string what = error.what();
    // CLI11 complains of what is missing before what is unexpected, which may just be misspelt.
    const auto is = [&](CLI::ExitCodes code) {
        return error.get_exit_code() == static_cast<int>(code);
    };
    const bool lacks_something = is(CLI::ExitCodes::RequiredError);
    const std::vector<std::string> extras = program->remaining(true);
    if ((lacks_something || is(CLI::ExitCodes::ExtrasError)) && !extras.empty()) {
        what = unexpected(extras.front(), *command);
    } else if (lacks_something && command->get_require_subcommand_min() > 0) {
        what = fmt::format("a command is missing; there are: {}",
                           fmt::join(commands_of(*command), ", "));
    }
    return fmt::format("runnel: {}\nTry `{} --help`.\n", what, path);
}

}  // namespace runnel::cli
