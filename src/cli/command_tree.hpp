#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace runnel::cli {

// One option, flag or argument of a command.
struct CommandOption {
    std::vector<std::string> names;  // "-h", "--help"; empty for an argument, which has a place
    std::string value;               // "FILE"; empty for a flag
    std::string help;
    std::vector<std::string> choices;  // what the value can be, where that is known

    bool is_argument() const { return names.empty(); }
    bool takes_value() const { return !value.empty(); }
};

// The program or one of its commands, as plain data: what --help shows, for those who write it down
// in other ways.
struct Command {
    std::vector<std::string> path;  // {"keys", "create"}; empty for the program
    std::string help;
    std::vector<CommandOption> options;
    std::vector<Command> commands;
};

// The values that stand for a word such as KIND in the help.
struct ValueChoices {
    std::string_view value;
    std::vector<std::string> choices;
};

// A value of the form "a|b" says itself what it can be.
Command read_commands(const CLI::App& app, const std::vector<ValueChoices>& choices);

// The command and all below it, parents first.
std::vector<const Command*> with_descendants(const Command& command);

}  // namespace runnel::cli
