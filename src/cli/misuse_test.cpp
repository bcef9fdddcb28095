#include "cli/misuse.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

std::string message_for(const std::string& line) {
    CLI::App app("A program.", "runnel");
    app.require_subcommand(1);
    CLI::App* serve = app.add_subcommand("serve", "Serve.");
    std::string config;
    int threads = 0;
    serve->add_option("--config", config);
    serve->add_option("--threads", threads)->check(CLI::Range(0, 8));
    CLI::App* transcode = app.add_subcommand("transcode", "Translate.");
    std::string from;
    transcode->add_option("--from", from)->required();
    CLI::App* keys = app.add_subcommand("keys", "Keys.");
    keys->require_subcommand(1);
    keys->add_subcommand("create", "Make one.");
    try {
        app.parse(line);
    } catch (const CLI::Error& error) {
        return misuse_message(&app, error);
    }
    return "fine";
}

TEST(Misuse, NamesTheCommandThatWasMeant) {
    EXPECT_EQ(message_for("serv --config x"),
              "runnel: there is no command 'serv'; did you mean 'serve'?\nTry `runnel --help`.\n");
    EXPECT_EQ(message_for("keys creat"), "runnel: there is no command 'creat'; did you mean "
                                         "'create'?\nTry `runnel keys --help`.\n");
}

TEST(Misuse, ListsTheCommandsWhereThereIsNone) {
    EXPECT_EQ(message_for(""), "runnel: a command is missing; there are: serve, transcode, keys\n"
                               "Try `runnel --help`.\n");
    EXPECT_EQ(message_for("keys"),
              "runnel: a command is missing; there are: create\nTry `runnel keys --help`.\n");
}

TEST(Misuse, NamesTheOptionThatWasMeantAlsoWhereItIsMissing) {
    EXPECT_EQ(message_for("serve --confg=x"),
              "runnel: there is no option --confg; did you mean '--config'?\n"
              "Try `runnel serve --help`.\n");
    EXPECT_EQ(message_for("transcode --form openai"),
              "runnel: there is no option --form; did you mean '--from'?\n"
              "Try `runnel transcode --help`.\n");
    EXPECT_EQ(message_for("transcode"),
              "runnel: --from is required\nTry `runnel transcode --help`.\n");
}

TEST(Misuse, SaysWhatValuesFitAndWhatIsTooMuch) {
    EXPECT_EQ(message_for("serve --threads 9"),
              "runnel: --threads: Value 9 not in range 0 to 8\nTry `runnel serve --help`.\n");
    EXPECT_EQ(message_for("serve now"),
              "runnel: 'now' is one argument too many\nTry `runnel serve --help`.\n");
}

}  // namespace
}  // namespace runnel::cli
