#include "config/sections/guardrail.hpp"

#include "support/config_files.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using guardrail::GuardrailRule;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::problem;
using testing::read;

std::vector<GuardrailRule> rules(const std::string& yaml) {
    return read("guardrails:\n" + yaml).access.guardrails;
}

// Of a rule that has only this wrong.
std::string rule_problem(const std::string& fields) {
    return problem("guardrails:\n  - {name: r, " + fields + "}\n");
}

TEST(ConfigGuardrails, ReadsARule) {
    const auto read = rules(R"(
  - name: codenames
    patterns: ['\bproject (?:falcon|heron)\b']
    words: [top secret, Größe]
    action: redact
    when: asked
    on: [output, tool_arguments]
    hold_characters: 100
)");
    ASSERT_EQ(read.size(), 1u);
    const GuardrailRule& rule = read[0];
    EXPECT_EQ(rule.name, "codenames");
    EXPECT_EQ(rule.kind, GuardrailRule::Kind::custom);
    EXPECT_THAT(rule.detect.at("patterns"), ElementsAre(R"(\bproject (?:falcon|heron)\b)"));
    EXPECT_THAT(rule.detect.at("words"), ElementsAre("top secret", "Größe"));
    EXPECT_EQ(rule.action, GuardrailRule::Action::redact);
    EXPECT_EQ(rule.when, GuardrailRule::When::asked);
    EXPECT_FALSE(rule.on_input);
    EXPECT_TRUE(rule.on_output);
    EXPECT_FALSE(rule.on_reasoning);
    EXPECT_TRUE(rule.on_tool_arguments);
    EXPECT_EQ(rule.hold_characters, 100u);
}

TEST(ConfigGuardrails, ReadsWhatPersonalDataIsLookedFor) {
    const auto read = rules("  - {name: cards, pii: [card, iban]}\n  - {name: pii, kind: pii}\n");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].kind, GuardrailRule::Kind::pii);
    EXPECT_THAT(read[0].detect.at("pii"), ElementsAre("card", "iban"));
    EXPECT_THAT(read[1].detect.at("pii"), ElementsAre("email", "card", "iban", "phone", "secret"));
    EXPECT_EQ(read[1].action, GuardrailRule::Action::block);
    EXPECT_EQ(read[1].when, GuardrailRule::When::always);
}

TEST(ConfigGuardrails, ReadsACheck) {
    const auto read = rules(R"(
  - name: moderation
    kind: content_moderation
    check: {url: "https://api.openai.com/v1/moderations", timeout: 500ms, headers: {Authorization: "Bearer ${OPENAI_API_KEY}"}}
)");
    ASSERT_EQ(read.size(), 1u);
    ASSERT_TRUE(read[0].check.has_value());
    EXPECT_EQ(read[0].check->address, "https://api.openai.com/v1/moderations");
    EXPECT_EQ(read[0].check->timeout, 500ms);
    EXPECT_EQ(read[0].check->headers.at(0).second.reveal(), "Bearer sk-from-the-environment");
}

TEST(ConfigGuardrails, ReadsWordsFromAFile) {
    const testing::TemporaryFolder folder;
    const std::string path = (folder.path() / "words.txt").string();
    std::ofstream(path) << "# codenames\nfalcon\r\n\n  top secret  \n";
    EXPECT_THAT(
        rules("  - {name: w, words: [heron], words_file: " + path + "}\n").at(0).detect.at("words"),
        ElementsAre("heron", "falcon", "top secret"));
    std::ofstream(path) << "# nothing\n";
    EXPECT_THAT(rule_problem("words_file: " + path), HasSubstr("not a word in that file"));
    std::ofstream(path) << "one\ntwo\x01\n";
    EXPECT_THAT(rule_problem("words_file: " + path), HasSubstr("line 2 of that file"));
    EXPECT_EQ(rule_problem("words_file: /no/such/file"),
              "2:27: guardrails[0].words_file: there is no file '/no/such/file'");
    EXPECT_THAT(rule_problem("words_file: " + folder.path().string()),
                HasSubstr("there is no file"));
}

TEST(ConfigGuardrails, RefusesPatternsThatCanNotRunWhereTheyStand) {
    EXPECT_EQ(rule_problem("patterns: ['(a']"),
              "2:26: guardrails[0].patterns[0]: there is a ( without a ) behind it");
    EXPECT_THAT(rule_problem("patterns: ['a*']"), HasSubstr("nothing at all"));
    EXPECT_THAT(rule_problem("patterns: ['(?<=a)b']"), HasSubstr("look-behind"));
    EXPECT_THAT(rule_problem("patterns: ['a.*b']"), HasSubstr("for ever"));
    EXPECT_THAT(rules("  - {name: r, patterns: ['a.*b'], on: [input]}\n"), ::testing::SizeIs(1));
    EXPECT_THAT(rules("  - {name: r, patterns: ['a.*b'], action: log}\n"), ::testing::SizeIs(1));
    EXPECT_THAT(rule_problem("patterns: ['a[a-z]{90}b']"), HasSubstr("hold_characters: 92"));
    EXPECT_THAT(rules("  - {name: r, patterns: ['a[a-z]{90}b'], hold_characters: 92}\n"),
                ::testing::SizeIs(1));
}

TEST(ConfigGuardrails, RefusesRulesThatMakeNoSense) {
    EXPECT_THAT(problem("guardrails:\n  - {words: [a]}\n"), HasSubstr("name is missing"));
    EXPECT_THAT(problem("guardrails:\n  - {name: pii, words: [a]}\n"),
                HasSubstr("call it otherwise"));
    EXPECT_THAT(problem("guardrails:\n  - {name: 'a b', words: [a]}\n"),
                HasSubstr("letters, digits"));
    EXPECT_THAT(problem("guardrails:\n  - {name: a, words: [a]}\n  - {name: a, words: [b]}\n"),
                HasSubstr("'a' already"));
    EXPECT_THAT(rule_problem("action: log"), HasSubstr("looks for nothing"));
    EXPECT_THAT(rule_problem("words: ['']"), HasSubstr("a word"));
    EXPECT_THAT(rule_problem("words: [a], on: []"), HasSubstr("look at something"));
    EXPECT_THAT(rule_problem("words: [a], on: [outputs]"), HasSubstr("did you mean 'output'"));
    EXPECT_THAT(rule_problem("kind: custom, pii: [card]"), HasSubstr("kind: pii"));
    EXPECT_THAT(rule_problem("pii: [cards]"), HasSubstr("did you mean 'card'"));
    EXPECT_THAT(rule_problem("action: redact, check: {url: 'http://x/'}"),
                HasSubstr("can't redact"));
    EXPECT_THAT(rule_problem("check: {timeout: 1s}"), HasSubstr("url is missing"));
    EXPECT_THAT(rule_problem("words: [a], hold_characters: 0"), HasSubstr("from 1 to 4096"));
}

TEST(ConfigGuardrails, ModelsNameRulesAndKinds) {
    const std::string rule = "guardrails:\n  - {name: codenames, words: [falcon]}\n";
    const auto model = [&](const std::string& names) {
        return rule + "models:\n  m: {targets: [demo/echo], guardrails: " + names + "}\n";
    };
    EXPECT_THAT(read(model("[codenames, pii]")).models.at(0).guardrails,
                ElementsAre("codenames", "pii"));
    EXPECT_THAT(problem(model("[codename]")), HasSubstr("did you mean 'codenames'"));
    EXPECT_THAT(problem(model("[content_moderation]")), HasSubstr("nor a kind of one"));
}

}  // namespace
}  // namespace runnel::config
