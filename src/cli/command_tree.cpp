#include "cli/command_tree.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <ranges>

namespace runnel::cli {
namespace {

std::vector<std::string> choices_of(const std::string& value,
                                    const std::vector<ValueChoices>& known) {
    if (value.contains('|')) {
        std::vector<std::string> choices;
        for (const auto word : std::views::split(value, '|'))
            choices.emplace_back(std::string_view(word));
        return choices;
    }
    const auto found = std::ranges::find(known, value, &ValueChoices::value);
    return found == known.end() ? std::vector<std::string>{} : found->choices;
}

// CLI11 puts what it checks behind the name, as in "N:INT in [0 - 1024]" and "SHELL:{bash,zsh}".
std::string without_checks(const std::string& type_name) {
    const std::size_t check = type_name.find_first_of(" {[");
    return check == std::string::npos ? type_name
                                      : type_name.substr(0, type_name.rfind(':', check));
}

CommandOption read_option(const CLI::Option& option, const std::vector<ValueChoices>& known) {
    CommandOption read{.names = {}, .value = {}, .help = option.get_description(), .choices = {}};
    for (const std::string& name : option.get_snames()) read.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) read.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0) read.value = without_checks(option.get_type_name());
    read.choices = choices_of(read.value, known);
    return read;
}

Command read_command(const CLI::App& app, std::vector<std::string> path,
                     const std::vector<ValueChoices>& known) {
    Command command{
        .path = std::move(path), .help = app.get_description(), .options = {}, .commands = {}};
    for (const CLI::Option* option : app.get_options())
        command.options.push_back(read_option(*option, known));
    for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
        std::vector<std::string> child_path = command.path;
        child_path.push_back(child->get_name());
        command.commands.push_back(read_command(*child, std::move(child_path), known));
    }
    return command;
}

}  // namespace

Command read_commands(const CLI::App& app, const std::vector<ValueChoices>& choices) {
    return read_command(app, {}, choices);
}

std::vector<const Command*> with_descendants(const Command& command) {
    std::vector<const Command*> all = {&command};
    for (const Command& child : command.commands) {
        const auto below = with_descendants(child);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

}  // namespace runnel::cli
