#include "guardrail/filter.hpp"

#include "base/limits.hpp"
#include "json/text.hpp"
#include "support/guardrail_rules.hpp"
#include "support/logprobs.hpp"
#include "support/timeline_recorder.hpp"
#include "timeline/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace runnel::guardrail {
namespace {

using namespace timeline;
using testing::all_pii;
using ::testing::ElementsAre;
using testing::guardrails;
using ::testing::HasSubstr;
using testing::logprob;
using ::testing::Not;
using testing::pattern_rule;
using testing::pii_rule;
using testing::TimelineRecorder;
using testing::word_rule;
using Action = GuardrailRule::Action;

// An answer on its way through some rules.
template <class Recorder = TimelineRecorder>
class Filtered {
public:
    explicit Filtered(std::vector<GuardrailRule> rules)
        : Filtered(guardrails(rules), guardrail_bit(rules.size()) - 1) {}
    Filtered(std::shared_ptr<const GuardrailSet> set, GuardrailBits rules)
        : filter_(*GuardrailFilter::make(std::move(set), rules, &workspace_, &shown_)) {}

    // One after the other.
    void tell(const std::vector<Event>& events) {
        for (const Event& event : events) tell_at_once({event});
    }
    void tell_at_once(const std::vector<Event>& events) {
        for (const Event& event : events) filter_->on(event);
        filter_->settle();
    }
    std::string text() const { return shown_.text(); }
    Recorder& shown() { return shown_; }
    GuardrailFilter& filter() { return *filter_; }

private:
    GuardrailWorkspace workspace_;
    Recorder shown_;
    std::unique_ptr<GuardrailFilter> filter_;
};

const GuardrailRule v9 = pattern_rule("card", {"4111 1111 1111 1111"});

TEST(GuardrailFilter, CutsAnAnswerOffBeforeAMatchThatIsSplit) {
    Filtered answer({v9});
    answer.tell({Started{}, Text{0, "Card 4111"}, Text{0, " 1111 1111"}, Text{0, " 1111 ok"}});
    EXPECT_TRUE(answer.filter().cut());
    answer.tell({Text{0, "more"}, Finished{0, Finish::stop, "stop"},
                 UsageReported{{.fresh_input = 3, .output = 4}}, Ended{}});
    EXPECT_EQ(answer.text(), "started\n"
                             "text 0 \"Card \"\n"
                             "finish 0 content_filter\n"
                             "usage fresh=3 out=4\n"
                             "ended\n");
    EXPECT_THAT(answer.filter().findings().categories, ElementsAre("card"));
}

TEST(GuardrailFilter, EndsACutAnswerWhoseProviderSaysNoMore) {
    Filtered answer({v9});
    answer.tell({Started{}, Text{0, "4111 1111 1111 1111"}});
    answer.filter().end();
    answer.filter().end();
    EXPECT_EQ(answer.text(), "started\nfinish 0 content_filter\nended\n");
}

TEST(GuardrailFilter, PassesOnWhatNoRuleLooksAt) {
    GuardrailRule rule = pii_rule({"card"});
    rule.on_output = rule.on_tool_arguments = false;
    Filtered answer({rule});
    answer.tell({Started{}, Text{0, R"(4111111111111111\n)"}, Refusal{0, "4111111111111111"},
                 ToolStarted{0, 0, "c", "f"}, ToolArguments{0, 0, "4111111111111111"},
                 ToolEnded{0, 0}, Reasoning{0, "fine"}, Finished{0, Finish::tool_calls, ""},
                 Ended{}});
    EXPECT_EQ(answer.text(), "started\n"
                             "text 0 \"4111111111111111\\n\"\n"
                             "refusal 0 \"4111111111111111\"\n"
                             "tool 0 #0 id=c name=f\n"
                             "args 0 #0 \"4111111111111111\"\n"
                             "tool_end 0 #0\n"
                             "reasoning 0 \"fine\"\n"
                             "finish 0 tool_calls\n"
                             "ended\n");
}

TEST(GuardrailFilter, TextWithoutACandidateIsNotDelayed) {
    Filtered answer({v9, pii_rule({"card"}), word_rule("w", {"falcon"})});
    answer.tell({Started{}, Text{0, "Hello"}, Text{0, R"(, \"world\"\n)"}, Text{0, "日本"}});
    EXPECT_EQ(answer.text(), "started\n"
                             "text 0 \"Hello\"\n"
                             "text 0 \", \\\"world\\\"\\n\"\n"
                             "text 0 \"日本\"\n");
}

TEST(GuardrailFilter, WhatCameAtOnceIsShownInItsPieces) {
    Filtered answer({all_pii(Action::redact)});
    answer.tell({Started{}, Text{0, "4"}});
    answer.tell_at_once(
        {Text{0, "2 is"}, Text{0, R"( \"it)"}, Text{0, ""}, Text{0, R"(\")"}, Text{0, " in 2024"}});
    EXPECT_EQ(answer.text(), "started\n"
                             "text 0 \"42 is\"\n"
                             "text 0 \" \\\"it\"\n"
                             "text 0 \"\\\"\"\n"
                             "text 0 \" in \"\n");
    answer.tell_at_once({Text{0, " and"}, Text{0, " a@b.com, "}, Text{0, "too! "}});
    EXPECT_THAT(answer.text(), HasSubstr("\" in \"\n"
                                         "text 0 \"2024 and [email], too! \"\n"));
}

TEST(GuardrailFilter, EscapesHideNothing) {
    Filtered answer({v9});
    answer.tell({Started{}, Text{0, R"(A\n\u0034111)"}, Text{0, R"( 1111\u00201111 11)"},
                 Text{0, R"(\u003111)"}});
    EXPECT_EQ(answer.text(), "started\ntext 0 \"A\\n\"\nfinish 0 content_filter\n");
}

TEST(GuardrailFilter, ShowsWhatItHeldWhenTheTextIsOver) {
    for (const Event& last :
         {Event(Finished{0, Finish::stop, ""}), Event(ToolStarted{0, 0, "c", "f"}),
          Event(Reasoning{0, "r"}), Event(Failed{{ErrorKind::upstream_failed, "x"}}),
          Event(HoldOver{HoldOver::Why::tool_called}), Event(Ended{}),
          Event(ServerTool{ServerTool::State::created, "s", "t", "{}"})}) {
        GuardrailRule rule = pii_rule({"card"});
        rule.on_tool_arguments = false;
        Filtered answer({rule});
        answer.tell({Started{}, Text{0, "In 2024 "}, last});
        EXPECT_THAT(answer.text(), HasSubstr("text 0 \"2024 \"\n")) << last.index();
        EXPECT_LT(answer.text().find("2024"), answer.text().rfind('\n', answer.text().size() - 2));
    }
}

TEST(GuardrailFilter, AMatchAtTheVeryEndIsNotShownEither) {
    for (const Event& last :
         {Event(Finished{0, Finish::stop, ""}), Event(Ended{}),
          Event(Failed{{ErrorKind::upstream_failed, "x"}}), Event(Reasoning{0, "r"})}) {
        Filtered answer({pii_rule({"card"})});
        answer.tell({Started{}, Text{0, "No 4111111111111111"}, last});
        answer.filter().end();
        EXPECT_EQ(answer.text(), "started\ntext 0 \"No \"\nfinish 0 content_filter\nended\n");
    }
}

TEST(GuardrailFilter, RedactsInTheStream) {
    Filtered answer({all_pii(Action::redact)});
    answer.tell({Started{}, Text{0, "Mail a@b"}, Text{0, ".com or 4111 1111"},
                 Text{0, " 1111 1111."}, Finished{0, Finish::stop, ""}, Ended{}});
    EXPECT_EQ(answer.text(), "started\n"
                             "text 0 \"Mail \"\n"
                             "text 0 \"[email] or \"\n"
                             "text 0 \"[card].\"\n"
                             "finish 0 stop\n"
                             "ended\n");
    EXPECT_FALSE(answer.filter().cut());
}

TEST(GuardrailFilter, ReasoningAndTextAreSeparateTexts) {
    Filtered answer({v9});
    answer.tell({Started{}, Reasoning{0, "4111 1111"}, Text{0, "4111"}, Reasoning{0, " 1111 11"},
                 Reasoning{0, "11"}});
    EXPECT_EQ(answer.text(), "started\n"
                             "reasoning 0 \"4111 1111\"\n"
                             "text 0 \"4111\"\n"
                             "finish 0 content_filter\n")
        << "a text that is interrupted goes on all the same";
}

TEST(GuardrailFilter, ACutEndsAllChoicesThatAreStillTold) {
    Filtered answer({v9});
    answer.tell({Started{}, Text{0, "a"}, Text{1, "b"}, Finished{0, Finish::stop, ""},
                 Text{2, "4111 1111 1111 1111"}});
    EXPECT_THAT(answer.text(),
                HasSubstr("finish 0 stop\nfinish 1 content_filter\nfinish 2 content_filter\n"));
}

TEST(GuardrailFilter, HoldsToolCallsUntilTheyAreWhole) {
    Filtered answer({pii_rule({"card"})});
    answer.tell({Started{}, ToolStarted{0, 0, "c", "f"}, ToolArguments{0, 0, R"({\"n\":)"}});
    EXPECT_EQ(answer.text(), "started\n");
    answer.tell({ToolArguments{0, 0, "1}"}, ToolEnded{0, 0}});
    EXPECT_EQ(answer.text(), "started\n"
                             "tool 0 #0 id=c name=f\n"
                             "args 0 #0 \"{\\\"n\\\":1}\"\n"
                             "tool_end 0 #0\n");
}

TEST(GuardrailFilter, ACallWithAMatchIsNotShown) {
    for (const std::string_view arguments :
         {R"({\"card\":\"4111 1111 1111 1111\"})", R"({\"card\":4111111111111111})",
          R"({\"card\":\"4111\\u00201111 1111 1111\"})"}) {
        Filtered answer({pii_rule({"card"})});
        answer.tell({Started{}, Text{0, "Paying."}, ToolStarted{0, 0, "c", "pay"},
                     ToolArguments{0, 0, arguments.substr(0, 20)},
                     ToolArguments{0, 0, arguments.substr(20)}, ToolEnded{0, 0},
                     Finished{0, Finish::tool_calls, ""}, Ended{}});
        EXPECT_EQ(answer.text(), "started\ntext 0 \"Paying.\"\nfinish 0 content_filter\nended\n");
    }
}

TEST(GuardrailFilter, RedactsArgumentsSoThatTheyStayJson) {
    Filtered answer({all_pii(Action::redact)});
    answer.tell(
        {Started{}, ToolStarted{0, 0, "c", "f"},
         ToolArguments{0, 0, R"({\"to\":\"a@b.com\",\"n\":4111111111111111,\"s\":\"\\\"x\\\"\"})"},
         ToolEnded{0, 0}});
    EXPECT_THAT(answer.text(),
                HasSubstr(R"({\"to\":\"[email]\",\"n\":\"[card]\",\"s\":\"\\\"x\\\"\"})"));
}

TEST(GuardrailFilter, WhatCanNotBeRedactedInArgumentsIsBlocked) {
    Filtered answer({pattern_rule("x", {R"("password":"[a-z]{1,20}")"}, Action::redact)});
    answer.tell({Started{}, ToolStarted{0, 0, "c", "f"},
                 ToolArguments{0, 0, R"({\"password\":\"hunter\"})"}, ToolEnded{0, 0}});
    EXPECT_EQ(answer.text(), "started\nfinish 0 content_filter\n");
}

TEST(GuardrailFilter, LooksAtWhatIsShownOfTheGatewaysOwnTools) {
    Filtered answer({pii_rule({"card"}), pii_rule({"email"}, Action::redact)});
    const auto event = [](std::string_view result) {
        return ServerTool{ServerTool::State::completed, "s", "t", R"({"to":"a@b.com"})", result};
    };
    answer.tell({Started{}, event(R"({"ok":true})")});
    EXPECT_THAT(answer.text(), HasSubstr(R"(completed {"to":"[email]"} -> {"ok":true})"));
    answer.tell({event(R"("4111111111111111")")});
    EXPECT_TRUE(answer.filter().cut());
    EXPECT_THAT(answer.text(), Not(HasSubstr("4111")));
}

TEST(GuardrailFilter, LooksAtWhatIsSaidAboutToolsAndSources) {
    const ServerTool run{.state = ServerTool::State::created,
                         .id = "s",
                         .name = "t",
                         .arguments_raw = "{}",
                         .explanation_raw = R"({"goal":"a@b.com"})"};
    const Citation source{.choice = 0, .url = "https://x", .title = "a@b.com"};
    for (const Event& event : {Event(run), Event(source)}) {
        Filtered blocked({all_pii()});
        blocked.tell({Started{}, event});
        EXPECT_TRUE(blocked.filter().cut());
        EXPECT_THAT(blocked.text(), Not(HasSubstr("a@b")));
        Filtered redacted({all_pii(Action::redact)});
        redacted.tell({Started{}, event});
        EXPECT_THAT(redacted.text(), HasSubstr("[email]"));
        EXPECT_THAT(redacted.text(), Not(HasSubstr("a@b")));
    }
}

TEST(GuardrailFilter, LeavesOutOrReplacesASourcesOwnWords) {
    const Citation source{.choice = 0, .url = "https://x", .cited_text = "ask a@b.com"};
    Filtered blocked({all_pii()});
    blocked.tell({Started{}, source});
    EXPECT_EQ(blocked.text(), "started\ncitation 0 address url=\"https://x\"\n");
    Filtered redacted({all_pii(Action::redact)});
    redacted.tell({Started{}, source});
    EXPECT_THAT(redacted.text(), HasSubstr("cited_text=\"ask [email]\""));
}

TEST(GuardrailFilter, LetsNoSignatureThroughForReasoningThatItChanged) {
    Filtered answer({word_rule("names", {"falcon"}, Action::redact)});
    answer.tell({Started{}, Reasoning{0, "a falcon"}, ReasoningSigned{0, "s1", "a/b"}, ItemEnded{0},
                 Reasoning{0, "a bird, perhaps a fal"}, ReasoningSigned{0, "s2", "a/b"},
                 ItemEnded{0}, ReasoningEncrypted{0, "falcon", "a/b"}});
    EXPECT_EQ(answer.text(), "started\n"
                             "reasoning 0 \"a \"\n"
                             "reasoning 0 \"[names]\"\n"
                             "item_end 0\n"
                             "reasoning 0 \"a bird, perhaps a \"\n"
                             "reasoning 0 \"fal\"\n"
                             "reasoning_signed 0 \"s2\" by a/b\n"
                             "item_end 0\n"
                             "reasoning_encrypted 0 \"falcon\" by a/b\n");
    Filtered cut({word_rule("names", {"falcon"})});
    cut.tell({Started{}, Reasoning{0, "a falcon "}, ReasoningSigned{0, "s1", "a/b"}});
    EXPECT_THAT(cut.text(), Not(HasSubstr("signed")));
}

TEST(GuardrailFilter, FindsAMatchThatLiesAcrossTwoItems) {
    Filtered answer({word_rule("names", {"falcon"}, Action::redact)});
    answer.tell({Started{}, Text{0, "a "}, ItemEnded{0}, Text{0, "fal"}, ItemEnded{0},
                 Text{0, "con."}, Finished{0, Finish::stop, ""}});
    EXPECT_THAT(answer.text(), Not(HasSubstr("fal\"")));
    EXPECT_THAT(answer.text(), HasSubstr("[names]"));
    EXPECT_THAT(answer.text(), HasSubstr("text 0 \"a \"\nitem_end 0\n"));
}

TEST(GuardrailFilter, ShowsPicturesButNoSpeechThatNobodyCouldLookAt) {
    Filtered answer({all_pii()});
    answer.tell({Started{}, Media{0, Media::Kind::image, "image/png", "eA=="},
                 Media{.choice = 0, .kind = Media::Kind::audio, .transcript = "a@b.com"}});
    EXPECT_THAT(answer.text(), HasSubstr("image 0"));
    EXPECT_THAT(answer.text(), Not(HasSubstr("a@b")));
}

TEST(GuardrailFilter, ShowsNoPictureWhoseAddressMayNotBeSaid) {
    for (const Action action : {Action::block, Action::redact}) {
        Filtered answer({word_rule("names", {"falcon"}, action)});
        const auto at = [](std::string_view url) {
            return Media{.choice = 0, .kind = Media::Kind::image, .url = url};
        };
        answer.tell({Started{}, at("data:falcon"), Media{0, Media::Kind::image, "", "falcon"}});
        EXPECT_THAT(answer.text(), HasSubstr("image 0"));
        answer.tell({at(R"(https://x.org/f\u0061lcon.png)")});
        EXPECT_THAT(answer.text(), Not(HasSubstr("x.org")));
        EXPECT_EQ(answer.filter().cut(), action == Action::block);
    }
}

TEST(GuardrailFilter, EscapesHideNothingInAnswersThatAreJson) {
    for (const Action action : {Action::block, Action::redact}) {
        Filtered answer({word_rule("names", {"falcon"}, action)});
        answer.filter().expect_json();
        answer.tell({Started{}, Reasoning{0, "hm"}, Text{0, R"({\"a\":\"f\\u00)"},
                     Text{0, R"(61lcon\"})"}, Finished{0, Finish::stop, ""}, Ended{}});
        EXPECT_EQ(answer.text(),
                  action == Action::block
                      ? "started\nreasoning 0 \"hm\"\nfinish 0 content_filter\nended\n"
                      : "started\nreasoning 0 \"hm\"\n"
                        "text 0 \"{\\\"a\\\":\\\"[names]\\\"}\"\n"
                        "finish 0 stop\nended\n");
    }
    Filtered two({word_rule("names", {"falcon"})});
    two.filter().expect_json();
    two.tell({Started{}, Text{0, "1"}, Text{1, R"([\"fal)"}, Finished{0, Finish::stop, ""},
              Text{1, R"(con\"])"}, Finished{1, Finish::stop, ""}});
    EXPECT_EQ(two.text(), "started\ntext 0 \"1\"\nfinish 0 stop\nfinish 1 content_filter\n");
    Filtered broken({word_rule("names", {"falcon"})});
    broken.filter().expect_json();
    broken.tell({Started{}, Text{0, "a fal"}});
    broken.filter().flush();
    EXPECT_EQ(broken.text(), "started\ntext 0 \"a fal\"\n");
}

TEST(GuardrailFilter, LogprobsAreNotThoseOfThoughts) {
    Filtered answer({pii_rule({"card"}, Action::redact)});
    answer.tell({Started{}, logprob("[1]"), Reasoning{0, "hm"}, Text{0, "4111111111111111"},
                 Finished{0, Finish::stop, ""}});
    EXPECT_THAT(answer.text(), Not(HasSubstr("[1]")));
}

TEST(GuardrailFilter, LogprobsOfThoughtsThatAreLookedAtAreNotTold) {
    Filtered answer({word_rule("names", {"falcon"}, Action::redact)});
    answer.tell({Started{}, logprob("falcon", Logprobs::Of::reasoning), Text{0, "so,"},
                 Finished{0, Finish::stop, ""}});
    EXPECT_THAT(answer.text(), Not(HasSubstr("falcon")));
}

TEST(GuardrailFilter, LogprobsWaitForTheirText) {
    Filtered answer({pii_rule({"card"}), pii_rule({"email"}, Action::redact)});
    answer.tell({Started{}, logprob("[1]"), Text{0, "In 20"}, logprob("[2]"), Text{0, "24 we,"}});
    EXPECT_EQ(answer.text(), "started\n"
                             "text 0 \"In \"\n"
                             "logprobs 0 text \"[1]\":-1\n"
                             "logprobs 0 text \"[2]\":-1\n"
                             "text 0 \"2024 we,\"\n");
    answer.tell({logprob("[3]"), Text{0, " a@b.com,"}});
    EXPECT_THAT(answer.text(), Not(HasSubstr("[3]"))) << "they name what was replaced";
    answer.tell({logprob("[4]"), Text{0, "a@b.com, 41"}, logprob("[5]"), Text{0, "x,"}});
    EXPECT_THAT(answer.text(), Not(HasSubstr("[4]"))) << "also when some of their text came later";
    EXPECT_THAT(answer.text(), HasSubstr("[5]"));
}

TEST(GuardrailFilter, LogprobsOfARefusalAreNotTheTexts) {
    Filtered answer({pii_rule({"email"}, Action::redact)});
    answer.tell({Started{}, logprob("[1]"), Refusal{0, "a@b.com,"}, Text{0, "so,"}});
    EXPECT_THAT(answer.text(), Not(HasSubstr("[1]")));
    answer.tell({logprob("[2]"), Refusal{0, "no,"}});
    EXPECT_THAT(answer.text(), HasSubstr("[2]"));
}

TEST(GuardrailFilter, ACallOfAToolThatIsNotToBeNamedIsNotShown) {
    for (const Action action : {Action::block, Action::redact}) {
        Filtered answer({word_rule("names", {"falcon"}, action)});
        answer.tell({Started{}, ToolStarted{0, 0, "call_1", "falcon"}, ToolEnded{0, 0}});
        EXPECT_TRUE(answer.filter().cut());
        EXPECT_THAT(answer.text(), Not(HasSubstr("falcon")));
    }
}

TEST(GuardrailFilter, AnotherAnswerBeginsAnew) {
    Filtered answer({v9});
    answer.tell({Started{}, Text{0, "4111 1111"}, Started{}, Text{0, " 1111 1111"},
                 Finished{0, Finish::stop, ""}});
    EXPECT_EQ(answer.text(), "started\nstarted\ntext 0 \" 1111 1111\"\nfinish 0 stop\n");
}

GuardrailRule checked_rule() {
    GuardrailRule rule{.name = "moderated", .kind = GuardrailRule::Kind::content_moderation};
    rule.check = GuardrailRule::Check{"http://127.0.0.1/check"};
    return rule;
}

TEST(GuardrailFilter, HoldsAnAnswerThatSomebodyElseMustSee) {
    Filtered answer({checked_rule()});
    answer.tell({Started{}, Reasoning{0, "hm"}, Text{0, "one\\n"}, Text{0, "two"},
                 Finished{0, Finish::stop, ""}, UsageReported{{.fresh_input = 1}}, Ended{}});
    EXPECT_EQ(answer.text(), "started\n");
    EXPECT_EQ(answer.filter().checks(), 1u);
    EXPECT_EQ(answer.filter().text_for(0), "hm\none\ntwo");
    answer.filter().settle_checks(GuardrailFilter::Checked::passed);
    EXPECT_EQ(answer.text(), "started\n"
                             "reasoning 0 \"hm\"\n"
                             "text 0 \"one\\n\"\n"
                             "text 0 \"two\"\n"
                             "finish 0 stop\n"
                             "usage fresh=1 out=0\n"
                             "ended\n");
}

TEST(GuardrailFilter, ShowsNothingThatSomebodyElseObjectsTo) {
    Filtered answer({checked_rule()});
    answer.tell({Started{}, Text{0, "one"}, Finished{0, Finish::stop, ""},
                 UsageReported{{.fresh_input = 1}}, Ended{}});
    answer.filter().settle_checks(GuardrailFilter::Checked::blocked);
    EXPECT_EQ(answer.text(), "started\nfinish 0 content_filter\nusage fresh=1 out=0\nended\n");
}

TEST(GuardrailFilter, ShowsNoEndOfAnAnswerThatNobodyWaitsFor) {
    Filtered answer({checked_rule()});
    answer.tell({Started{}, Text{0, "one"}, Finished{0, Finish::stop, ""},
                 UsageReported{{.fresh_input = 1}}, Ended{}});
    answer.filter().settle_checks(GuardrailFilter::Checked::given_up);
    EXPECT_EQ(answer.text(), "started\nusage fresh=1 out=0\n");
    EXPECT_FALSE(answer.filter().cut());
}

TEST(GuardrailFilter, EndsEveryChoiceThatWasHeldAndTellsWhatIsUsed) {
    Filtered answer({checked_rule(), v9});
    answer.tell({Started{}, UsageReported{{.fresh_input = 1}}, Text{0, "one"},
                 Finished{0, Finish::stop, ""}, Text{1, "4111 1111 1111 1111"}});
    EXPECT_EQ(answer.text(), "started\nfinish 0 content_filter\nfinish 1 content_filter\n"
                             "usage fresh=1 out=0\n");
}

// Remembers why the answer ended, in the words of whoever ended it.
class ReasonRecorder final : public TimelineRecorder {
public:
    void on(const Event& event) override {
        TimelineRecorder::on(event);
        if (const auto* finished = std::get_if<Finished>(&event)) reason = finished->native;
    }
    std::string reason;
};

TEST(GuardrailFilter, SaysWhetherARuleObjectsOrNobodyCouldLook) {
    Filtered<ReasonRecorder> found({pii_rule({"secret"})});
    found.tell({Started{}, Text{0, "sk-abcdefghijklmnopqrstuvwxyz"}});
    EXPECT_EQ(found.shown().reason, "guardrail");
    Filtered<ReasonRecorder> endless({pii_rule({"secret"}, Action::redact)});
    endless.tell({Started{}, Text{0, "sk-" + std::string(20'000, 'x')}});
    EXPECT_EQ(endless.shown().reason, guardrail_gave_up);
}

TEST(GuardrailFilter, DoesNotHoldMoreThanAnAnswerMayHave) {
    const std::string mebibyte(limits::mib, 'x');
    const std::size_t most = limits::upstream_body_bytes / limits::mib;
    Filtered<ReasonRecorder> held({checked_rule()});
    Filtered<ReasonRecorder> json({v9});
    json.filter().expect_json();
    Filtered<ReasonRecorder> calls({v9});
    for (Filtered<ReasonRecorder>* answer : {&held, &json, &calls}) {
        answer->tell({Started{}});
        for (std::size_t i = 0; i <= most; ++i) {
            EXPECT_FALSE(answer->filter().cut() && i < most - 1);
            if (answer != &calls) {
                answer->tell({Text{0, mebibyte}});
                continue;
            }
            const int index = static_cast<int>(i);
            answer->tell({ToolStarted{0, index, "call", "f"}, ToolArguments{0, index, mebibyte}});
        }
        EXPECT_EQ(answer->text(), "started\nfinish 0 content_filter\n");
        EXPECT_EQ(answer->shown().reason, guardrail_gave_up);
    }
}

TEST(GuardrailFilter, ForgetsARoundThatIsAskedAgain) {
    Filtered answer({checked_rule()});
    answer.tell({Started{}, Text{0, "kept "}});
    answer.filter().keep_answer();
    answer.tell({Text{0, "dropped"}});
    answer.filter().drop_answer();
    answer.tell({Text{0, "new"}});
    EXPECT_EQ(answer.filter().text_for(0), "kept new");
}

// What a client has in the end.
class Folded final : public Sink {
public:
    void on(const Event& event) override { fold_.on(event); }
    std::string text() const {
        const auto& choices = fold_.answer().choices;
        return choices.empty() ? "" : json::unescaped(choices[0].text_escaped());
    }

private:
    Fold fold_;
};

// A text in pieces, each escaped in one of the ways there are.
std::vector<std::string> escaped_pieces(std::string_view text, std::mt19937& random) {
    std::vector<std::string> pieces(1);
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = character_at(text, at);
        if (random() % 3 == 0) pieces.emplace_back();
        if (random() % 4 == 0 && decoded.character < 0x80)
            pieces.back() += fmt::format("\\u{:04x}", static_cast<unsigned>(decoded.character));
        else
            json::append_escaped(pieces.back(), text.substr(at, decoded.end - at));
        at = decoded.end;
    }
    return pieces;
}

TEST(GuardrailFilter, ShowsTheSameHoweverTheTextIsSplitAndEscaped) {
    constexpr std::string_view texts[] = {
        "Card 4111 1111 1111 1111 ok", "Say \"hi\"\n\tto a@b.com, é 日本 🙂!",
        "In 2024-05-12 we \\ met",
        "4111 1111 1111 1112 is none; DE89 3704 0044 0532 0130 00 is one"};
    std::mt19937 random(5);
    for (const Action action : {Action::block, Action::redact, Action::log}) {
        const auto set = guardrails({all_pii(action)});
        for (const std::string_view text : texts) {
            std::optional<std::string> expected;
            for (int i = 0; i < 40; ++i) {
                Filtered<Folded> answer(set, 1);
                answer.tell({Started{}});
                for (const std::string& piece : escaped_pieces(text, random)) {
                    answer.filter().on(Text{0, piece});
                    if (random() % 3 == 0) answer.filter().settle();
                }
                answer.tell({Finished{0, Finish::stop, ""}, Ended{}});
                if (!expected) expected = answer.text();
                ASSERT_EQ(answer.text(), *expected);
            }
            if (action == Action::log) EXPECT_EQ(*expected, text);
        }
    }
}

}  // namespace
}  // namespace runnel::guardrail
