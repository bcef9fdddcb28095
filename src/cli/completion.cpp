#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::cli {
namespace {

std::string path_of(const Command& command) {
    return fmt::format("{}", fmt::join(command.path, " "));
}

const CommandOption* argument_of(const Command& command) {
    const auto found = std::ranges::find_if(command.options, &CommandOption::is_argument);
    return found == command.options.end() ? nullptr : &*found;
}

// What can be written where no option's value is awaited.
std::vector<std::string> words_of(const Command& command) {
    std::vector<std::string> words;
    for (const Command& child : command.commands) words.push_back(child.path.back());
    for (const CommandOption& option : command.options)
        words.insert(words.end(), option.names.begin(), option.names.end());
    if (const CommandOption* argument = argument_of(command))
        words.insert(words.end(), argument->choices.begin(), argument->choices.end());
    return words;
}

std::string replaced(std::string_view text, std::string_view special, std::string_view before) {
    std::string written;
    for (const char c : text) {
        if (special.contains(c)) written += before;
        written += c;
    }
    return written;
}

// In single quotes, as bash and zsh read them.
std::string in_quotes(std::string_view text) {
    std::string inside;
    for (const char c : text)
        if (c == '\'')
            inside += "'\\''";
        else
            inside += c;
    return fmt::format("'{}'", inside);
}

// --- bash ---------------------------------------------------------------------------------------

// How compgen finds what a value can be; empty where nobody knows.
std::string compgen_for(const CommandOption& option) {
    if (!option.choices.empty()) return fmt::format("-W '{}'", fmt::join(option.choices, " "));
    if (option.value == "FILE") return "-f";
    if (option.value == "DIR") return "-d";
    return {};
}

constexpr std::string_view bash_beginning =
    R"(# bash completion for runnel, made by `runnel completion bash`

_runnel_offer() {
    if [[ $1 != -W ]]; then compopt -o filenames; fi
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$@" -- "$word")
}

_runnel() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path='' i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${path:+$path }${COMP_WORDS[i]}" in
            )";

// --- zsh ----------------------------------------------------------------------------------------

std::string zsh_function(const Command& command) {
    return fmt::format("_runnel{}{}", command.path.empty() ? "" : "_",
                       fmt::join(command.path, "_"));
}

std::string zsh_action(const CommandOption& option) {
    if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
    if (option.value == "FILE") return "_files";
    if (option.value == "DIR") return "_files -/";
    return " ";
}

// As _arguments reads them.
std::string zsh_spec(const CommandOption& option, const std::string& name) {
    const std::string value =
        option.takes_value()
            ? fmt::format(":{}:{}", replaced(option.value, ":", "\\"), zsh_action(option))
            : "";
    return in_quotes(fmt::format("*{}[{}]{}", name, replaced(option.help, "[]:\\", "\\"), value));
}

void write_zsh_function(const Command& command, std::string& script) {
    script += fmt::format("{}() {{\n", zsh_function(command));
    std::string specs;
    for (const CommandOption& option : command.options) {
        for (const std::string& name : option.names)
            specs += " \\\n        " + zsh_spec(option, name);
        if (option.is_argument())
            specs += fmt::format(" \\\n        ':{}:{}'", option.value, zsh_action(option));
    }
    if (command.commands.empty()) {
        script += fmt::format("    _arguments{}\n}}\n\n", specs);
        return;
    }
    script += "    local -a commands line\n    local state\n    commands=(\n";
    for (const Command& child : command.commands)
        script += fmt::format(
            "        {}\n",
            in_quotes(fmt::format("{}:{}", child.path.back(), replaced(child.help, ":\\", "\\"))));
    script += fmt::format("    )\n    _arguments -C{} \\\n        '1:command:->command' \\\n"
                          "        '*::argument:->rest'\n"
                          "    case $state in\n        command) _describe command commands ;;\n"
                          "        rest) case $words[1] in\n",
                          specs);
    for (const Command& child : command.commands)
        script += fmt::format("            {}) {} ;;\n", child.path.back(), zsh_function(child));
    script += "        esac ;;\n    esac\n}\n\n";
}

// --- fish ---------------------------------------------------------------------------------------

std::string fish_quoted(std::string_view text) {
    return fmt::format("'{}'", replaced(text, "'\\", "\\"));
}

constexpr std::string_view fish_beginning =
    R"(# fish completion for runnel, made by `runnel completion fish`

# Whether the words so far name this command.
function __runnel_at
    set -l path
    for word in (commandline -opc)[2..]
        if contains -- "$path$word" $__runnel_commands
            set path "$path$word "
        end
    end
    test "$path" = "$argv "
    or test -z "$path$argv"
end

complete -c runnel -f
)";

std::string fish_values(const CommandOption& option) {
    if (!option.choices.empty()) return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    if (option.value == "FILE") return " -r -F";
    if (option.value == "DIR") return " -x -a '(__fish_complete_directories)'";
    return option.takes_value() ? " -x" : "";
}

// Empty for an argument of which nobody knows what it can be.
std::string fish_option(const CommandOption& option) {
    if (option.is_argument() && compgen_for(option).empty()) return {};
    std::string line;
    for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    return fmt::format("{}{} -d {}", line, fish_values(option), fish_quoted(option.help));
}

}  // namespace

std::string bash_completion(const Command& program) {
    const auto all = with_descendants(program);
    std::vector<std::string> paths;
    for (const Command* command : all)
        if (command != &program) paths.push_back(in_quotes(path_of(*command)));
    std::string script =
        fmt::format("{}{})\n                path=\"${{path:+$path }}${{COMP_WORDS[i]}}\" ;;\n"
                    "        esac\n    done\n    case \"$path $before\" in\n",
                    bash_beginning, fmt::join(paths, " | "));
    for (const Command* command : all)
        for (const CommandOption& option : command->options)
            for (const std::string& name : option.names)
                if (option.takes_value()) {
                    const std::string how = compgen_for(option);
                    script += fmt::format("        {}) {}return ;;\n",
                                          in_quotes(path_of(*command) + " " + name),
                                          how.empty() ? "" : "_runnel_offer " + how + "; ");
                }
    script += "    esac\n    case $path in\n";
    for (const Command* command : all) {
        const CommandOption* argument = argument_of(*command);
        const std::string more =
            argument && argument->choices.empty() ? compgen_for(*argument) : "";
        script += fmt::format("        {}) _runnel_offer -W '{}'{} ;;\n",
                              in_quotes(path_of(*command)), fmt::join(words_of(*command), " "),
                              more.empty() ? "" : "; _runnel_offer " + more);
    }
    return script + "    esac\n}\n\ncomplete -F _runnel runnel\n";
}

std::string zsh_completion(const Command& program) {
    std::string script = "#compdef runnel\n# zsh completion, made by `runnel completion zsh`\n\n";
    for (const Command* command : with_descendants(program)) write_zsh_function(*command, script);
    // Where it is autoloaded, this file is the function; where it is sourced, it must be named.
    return script + "if [ \"$funcstack[1]\" = _runnel ]; then\n    _runnel \"$@\"\nelse\n"
                    "    compdef _runnel runnel\nfi\n";
}

std::string fish_completion(const Command& program) {
    const auto all = with_descendants(program);
    std::vector<std::string> paths;
    for (const Command* command : all)
        if (command != &program) paths.push_back(in_quotes(path_of(*command)));
    std::string script =
        fmt::format("{}set -g __runnel_commands {}\n", fish_beginning, fmt::join(paths, " "));
    for (const Command* command : all) {
        const std::string here =
            fmt::format("complete -c runnel -n '__runnel_at {}'", path_of(*command));
        for (const Command& child : command->commands)
            script +=
                fmt::format("{} -a {} -d {}\n", here, child.path.back(), fish_quoted(child.help));
        for (const CommandOption& option : command->options)
            if (const std::string line = fish_option(option); !line.empty())
                script += here + line + "\n";
    }
    return script;
}

}  // namespace runnel::cli
