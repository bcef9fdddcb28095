#include "cli/command_tree.hpp"

#include "cli/completion.hpp"
#include "cli/manual.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A small program with one of everything.
class CommandTree : public testing::Test {
protected:
    CommandTree() {
        CLI::App* serve = app_.add_subcommand("serve", "Serve");
        serve->add_option("--threads", number_, "How many")
            ->check(CLI::Range(0, 9))
            ->type_name("N");
        serve->add_option("--listen", word_, "Where")->type_name("ADDR:PORT");
        serve->add_flag("-q,--quiet", flag_, "It's [nothing]: say \\it");
        CLI::App* keys = app_.add_subcommand("keys", "Keys");
        CLI::App* create = keys->add_subcommand("create", "Make one");
        create->add_option("file", word_, "From here")->type_name("FILE");
        create->add_option("--kind", word_, "Which")->type_name("secret|browser");
        create->add_option("--dialect", word_, ".starts with a dot")->type_name("DIALECT");
    }

    Command read() const { return read_commands(app_, {{"DIALECT", {"openai", "agent"}}}); }

    CLI::App app_{"A program", "runnel"};
    int number_ = 0;
    bool flag_ = false;
    std::string word_;
};

TEST_F(CommandTree, HasEveryCommandParentsFirst) {
    const Command program = read();
    std::vector<std::vector<std::string>> paths;
    for (const Command* command : with_descendants(program)) paths.push_back(command->path);
    EXPECT_THAT(paths, ElementsAre(ElementsAre(), ElementsAre("serve"), ElementsAre("keys"),
                                   ElementsAre("keys", "create")));
}

TEST_F(CommandTree, NamesValuesWithoutWhatIsCheckedOfThem) {
    const Command program = read();
    const Command& serve = program.commands.front();
    std::vector<std::string> values;
    for (const CommandOption& option : serve.options) values.push_back(option.value);
    EXPECT_THAT(values, ElementsAre("" /* --help */, "N", "ADDR:PORT", ""));
    EXPECT_THAT(serve.options.back().names, ElementsAre("-q", "--quiet"));
}

TEST_F(CommandTree, KnowsWhatValuesCanBe) {
    const Command program = read();
    const Command& create = program.commands.back().commands.front();
    EXPECT_TRUE(create.options[1].is_argument());
    EXPECT_THAT(create.options[1].choices, ElementsAre());
    EXPECT_THAT(create.options[2].choices, ElementsAre("secret", "browser"));
    EXPECT_THAT(create.options[3].choices, ElementsAre("openai", "agent"));
}

TEST_F(CommandTree, BecomesAManualWhoseTextIsNoRoff) {
    const std::string page = manual(read(), "1.2.3");
    EXPECT_THAT(page, HasSubstr("\"Runnel 1.2.3\""));
    EXPECT_THAT(page, HasSubstr("It's [nothing]: say \\eit"));
    EXPECT_THAT(page, HasSubstr("\n\\&.starts with a dot\n"));
    EXPECT_THAT(page, HasSubstr("\\fB\\-\\-threads\\fR \\fIN\\fR\n"));
    EXPECT_EQ(page.find("\\-\\-help\\fR"), page.rfind("\\-\\-help\\fR")) << "said once";
}

TEST_F(CommandTree, BecomesScriptsInEachShellsQuotes) {
    const Command program = read();
    EXPECT_THAT(zsh_completion(program),
                HasSubstr("'*--quiet[It'\\''s \\[nothing\\]\\: say \\\\it]'"));
    EXPECT_THAT(fish_completion(program),
                HasSubstr("-s q -l quiet -d 'It\\'s [nothing]: say \\\\it'"));
    EXPECT_THAT(bash_completion(program),
                HasSubstr("'keys create --kind') _runnel_offer -W 'secret browser'"));
    EXPECT_THAT(bash_completion(program), Not(HasSubstr("nothing")));
}

}  // namespace
}  // namespace runnel::cli
