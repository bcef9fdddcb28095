#include "guardrail/input.hpp"

#include "json/parser.hpp"
#include "support/chat_requests.hpp"
#include "support/guardrail_rules.hpp"
#include "support/openai_requests.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

using testing::all_pii;
using ::testing::ElementsAre;
using testing::guardrails;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::openai_request;
using testing::pattern_rule;
using testing::pii_rule;
using Action = GuardrailRule::Action;
using Outcome = InputScan::Outcome;

// A request with one text in it, as the reader of requests makes it.
chat::Request request_with(std::string_view text_escaped) {
    return openai_request(fmt::format(
        R"({{"messages":[{{"role":"user","content":"{}"}}],"user":"u"}})", text_escaped));
}

// The same with one part.
chat::Request request_with_part(std::string_view part) {
    return openai_request(
        fmt::format(R"({{"messages":[{{"role":"user","content":[{}]}}]}})", part));
}

// What became of the request, and the request.
struct Scanned : InputScan {
    chat::Request request;

    std::string body() const { return edited_body(*this, request); }
    template <class T>
    const T& part(std::size_t message = 0, std::size_t part = 0) const {
        return *request.messages.at(message).parts.at(part).as<T>();
    }
    std::string_view text() const { return part<chat::Text>().text_escaped; }
};

Scanned scan(std::vector<GuardrailRule> rules, chat::Request request) {
    const GuardrailBits bits = guardrail_bit(rules.size()) - 1;
    GuardrailWorkspace workspace;
    auto scanned = scan_input(*guardrails(std::move(rules)), bits, &workspace, &request);
    EXPECT_TRUE(scanned.has_value());
    return {std::move(*scanned), std::move(request)};
}

Scanned redact(chat::Request request) {
    return scan({all_pii(Action::redact)}, std::move(request));
}

TEST(GuardrailInput, BlocksWithCategoriesAndWithoutTheText) {
    const InputScan scanned =
        scan({all_pii()}, request_with("Card 4111 1111 1111 1111, mail a@b.com"));
    EXPECT_EQ(scanned.outcome, Outcome::block);
    EXPECT_EQ(scanned.error.kind, ErrorKind::guardrail_blocked);
    EXPECT_EQ(scanned.error.message, "the request was blocked by a guardrail: card, email");
    EXPECT_THAT(scanned.findings.categories, ElementsAre("card", "email"));
}

TEST(GuardrailInput, PassesWhatIsFine) {
    EXPECT_EQ(scan({all_pii()}, request_with("In 2024 we met.")).outcome, Outcome::pass);
    GuardrailRule on_output = all_pii();
    on_output.on_input = false;
    EXPECT_EQ(scan({on_output}, request_with("4111111111111111")).outcome, Outcome::pass);
    EXPECT_EQ(scan({all_pii(Action::log)}, request_with("4111111111111111")).outcome,
              Outcome::pass);
}

TEST(GuardrailInput, RedactsInTheRequestAndInTheClientsOwnBytes) {
    const Scanned scanned =
        redact(request_with(R"(Say \"hi\" to a\u0040b.com\nand 4111-1111-1111-1111)"));
    EXPECT_EQ(scanned.outcome, Outcome::redact);
    EXPECT_EQ(scanned.text(), R"(Say \"hi\" to [email]\nand [card])");
    EXPECT_EQ(
        scanned.body(),
        R"({"messages":[{"role":"user","content":"Say \"hi\" to [email]\nand [card]"}],"user":"u"})");
}

TEST(GuardrailInput, TheStrictestActionCounts) {
    const std::string_view text = "a@b.com 4111111111111111";
    EXPECT_EQ(scan({pii_rule({"email"}, Action::redact), pii_rule({"card"}, Action::decline)},
                   request_with(text))
                  .outcome,
              Outcome::decline);
    EXPECT_EQ(scan({pii_rule({"email"}), pii_rule({"card"}, Action::decline)}, request_with(text))
                  .outcome,
              Outcome::block);
}

TEST(GuardrailInput, LooksAtPartsThatNobodyUnderstands) {
    const std::string_view part = R"({"type":"riddle","riddle":["4111111111111111"]})";
    EXPECT_EQ(scan({all_pii()}, request_with_part(part)).outcome, Outcome::block);
    const Scanned scanned = redact(request_with_part(part));
    EXPECT_EQ(scanned.part<chat::Other>().raw, R"({"type":"riddle","riddle":["[card]"]})");
    EXPECT_THAT(scanned.body(), HasSubstr(R"([{"type":"riddle","riddle":["[card]"]}])"));
}

TEST(GuardrailInput, LooksAtArgumentsThatComeBack) {
    const auto called = [] {
        return openai_request(
            R"({"messages":[{"role":"assistant","tool_calls":[{"id":"call_1","type":"function",)"
            R"("function":{"name":"f","arguments":"{\"to\":\"a@b.com\"}"}}]}]})");
    };
    EXPECT_EQ(scan({all_pii()}, called()).outcome, Outcome::block);
    const Scanned scanned = redact(called());
    EXPECT_EQ(scanned.part<chat::ToolCall>().arguments_escaped, R"({\"to\":\"[email]\"})");
    EXPECT_THAT(scanned.body(), HasSubstr(R"("arguments":"{\"to\":\"[email]\"}")"));

    chat::Request written_as_json = testing::asking(
        {testing::said(chat::Role::assistant,
                       {{chat::ToolCall{.name = "f", .arguments_raw = R"({"to":"a@b.com"})"}}})});
    EXPECT_EQ(redact(std::move(written_as_json)).part<chat::ToolCall>().arguments_raw,
              R"({"to":"[email]"})");
}

TEST(GuardrailInput, WhatIsNotInTheBodyIsRedactedAndTheBodyIsNotLogged) {
    chat::Request request = request_with("fine");
    request.messages[0].parts.push_back(testing::text("to a@b.com"));
    const Scanned scanned = redact(std::move(request));
    EXPECT_EQ(scanned.outcome, Outcome::redact);
    EXPECT_EQ(scanned.part<chat::Text>(0, 1).text_escaped, "to [email]");
    EXPECT_EQ(scanned.body(), "null");
}

TEST(GuardrailInput, EscapesHideNothingInWhatTheClientsToolsAnswered) {
    constexpr std::string_view json = R"({\"to\":\"a\\u0040b.com\",\"n\":1})";
    EXPECT_EQ(scan({all_pii()}, request_with(json)).outcome, Outcome::pass)
        << "of anybody else it is text";
    const auto answered = [](std::string_view text) {
        chat::Request request = request_with(text);
        request.messages[0].role = chat::Role::tool;
        return request;
    };
    EXPECT_EQ(scan({all_pii()}, answered(json)).outcome, Outcome::block);
    EXPECT_EQ(redact(answered(json)).text(), R"({\"to\":\"[email]\",\"n\":1})");
    EXPECT_THAT(text_of(answered(json)), HasSubstr("a@b.com"));
    EXPECT_EQ(redact(answered(R"([\"a\\u0040b.com\",\"c@d)")).outcome, Outcome::block)
        << "it can't be replaced";
    EXPECT_EQ(redact(answered(R"([INFO] C:\\mail to a@b.com)")).text(),
              R"([INFO] C:\\mail to [email])");
    EXPECT_EQ(scan({all_pii()}, answered(R"(the letter \\u0040: a\\u0040b.com)")).outcome,
              Outcome::pass)
        << "no JSON";
}

TEST(GuardrailInput, LooksAtThoughtsInEveryProvidersShape) {
    for (
        const std::string_view thoughts :
        {R"("reasoning_content":"to a@b.com")",
         R"("reasoning_details":[{"type":"reasoning.text","text":"to a@b.com"}])",
         R"("thinking_blocks":[{"type":"thinking","thinking":"to a@b.com","signature":"c2ln"}])"}) {
        const auto request = [&] {
            return openai_request(fmt::format(
                R"({{"messages":[{{"role":"assistant","content":"fine",{}}}]}})", thoughts));
        };
        EXPECT_EQ(scan({all_pii()}, request()).outcome, Outcome::block) << thoughts;
        const Scanned scanned = redact(request());
        EXPECT_EQ(scanned.outcome, Outcome::redact) << thoughts;
        EXPECT_THAT(scanned.body(), Not(HasSubstr("a@b.com"))) << thoughts;
        EXPECT_TRUE(json::is_whole(scanned.body())) << scanned.body();
    }
}

TEST(GuardrailInput, ThoughtsThatWereChangedAreSignedByNobody) {
    const auto thought = [](std::string_view text) {
        return testing::asking({testing::said(
            chat::Role::assistant,
            {{chat::Reasoning{.text_escaped = text, .signature_escaped = "c2ln"}}})});
    };
    EXPECT_TRUE(redact(thought("fine")).part<chat::Reasoning>().is_signed());
    const Scanned scanned = redact(thought("to a@b.com"));
    EXPECT_EQ(scanned.part<chat::Reasoning>().text_escaped, "to [email]");
    EXPECT_FALSE(scanned.part<chat::Reasoning>().is_signed());
}

TEST(GuardrailInput, PartsAreOneTextAndNamesAreLookedAt) {
    const auto split = [](std::vector<chat::Part> parts) {
        return testing::asking({testing::said(chat::Role::user, std::move(parts))});
    };
    using testing::text;
    EXPECT_EQ(scan({all_pii()}, split({text("fine"), text("4111 1111")})).outcome, Outcome::pass);
    const auto card = [&] { return split({text("4111 1111"), text(" 1111 1111")}); };
    EXPECT_EQ(scan({all_pii()}, card()).outcome, Outcome::block);
    EXPECT_EQ(redact(card()).outcome, Outcome::block) << "what spans two parts can't be replaced";

    chat::Request named = request_with("fine");
    named.messages[0].name = "a@b.com";
    EXPECT_EQ(scan({all_pii()}, std::move(named)).outcome, Outcome::block);
    chat::Request tool = testing::asking({testing::called({{"call_1", "{}"}})});
    tool.messages[0].parts[0].as<chat::ToolCall>()->name = "a@b.com";
    EXPECT_EQ(redact(std::move(tool)).outcome, Outcome::block);
}

TEST(GuardrailInput, LooksAtWhateverElseGoesOn) {
    const std::string body =
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{)"
        R"("url":"data:image/png;base64,a@b.co"},"alt":["k",{"type":"x"},"c@d.com"]},)"
        R"({"type":"image_url","image_url":{"url":"https://x/?to=k@l.com"}},)"
        R"({"type":"file","file":{"file_data":"e@f.co","filename":"m@n.com"}}],"id":"e@f.com"}],)"
        R"("prediction":{"content":"g@h.com"},"tools":[],"seed":1,"metadata":{"a":"i@j.com"},)"
        R"("stop":["o@p.com"],"user":"q@r.com"})";
    EXPECT_EQ(scan({all_pii()}, openai_request(body)).outcome, Outcome::block);
    const Scanned scanned = redact(openai_request(body));
    EXPECT_EQ(scanned.outcome, Outcome::redact);
    EXPECT_EQ(
        scanned.body(),
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{)"
        R"("url":"data:image/png;base64,a@b.co"},"alt":["k",{"type":"x"},"[email]"]},)"
        R"({"type":"image_url","image_url":{"url":"https://x/?to=[email]"}},)"
        R"({"type":"file","file":{"file_data":"e@f.co","filename":"[email]"}}],"id":"e@f.com"}],)"
        R"("prediction":{"content":"[email]"},"tools":[],"seed":1,"metadata":{"a":"i@j.com"},)"
        R"("stop":["[email]"],"user":"[email]"})");
    EXPECT_EQ(chat::find(scanned.request.extras, "prediction"), R"({"content":"[email]"})");
    EXPECT_EQ(scanned.part<chat::File>(0, 2).filename_escaped, "[email]");
    EXPECT_THAT(scanned.request.sampling.stop, ElementsAre("[email]"));
    EXPECT_EQ(scanned.request.user, "[email]");
}

TEST(GuardrailInput, IdentifiersSayNothingButWhatStandsBelowTheirNamesMay) {
    const auto with_extra = [](std::string_view name, std::string_view raw) {
        chat::Request request = testing::hello();
        request.messages[0].extras.push_back({name, raw});
        return request;
    };
    EXPECT_EQ(scan({all_pii()}, with_extra("id", R"("a@b.com")")).outcome, Outcome::pass);
    EXPECT_EQ(scan({all_pii()}, with_extra("id", R"({"x":["a@b.com"]})")).outcome, Outcome::block);
    EXPECT_EQ(scan({all_pii()}, with_extra("x", R"({"id":"a@b.com"})")).outcome, Outcome::pass);
    const Scanned scanned = redact(with_extra("x", R"({"id":"1", "y":["a@b.com", 2]})"));
    EXPECT_EQ(scanned.request.messages[0].extras[0].raw, R"({"id":"1", "y":["[email]", 2]})");
}

TEST(GuardrailInput, LooksAtWhatToolsHaveAnswered) {
    const auto told = [](Action action, std::string_view text) {
        GuardrailWorkspace workspace;
        GuardrailFindings findings;
        auto scanned = scan_result(*guardrails({all_pii(action)}), 1, &workspace, text, &findings);
        EXPECT_TRUE(scanned.has_value());
        return scanned->value_or(std::string(text));
    };
    EXPECT_EQ(told(Action::block, R"({"n":12})"), R"({"n":12})");
    EXPECT_EQ(told(Action::redact, R"({"to":"a@b.com"})"), R"({"to":"[email]"})");
    EXPECT_EQ(told(Action::redact, "to a@b.com"), "to [email]");
    EXPECT_THAT(told(Action::block, "to a@b.com"), HasSubstr("withheld"));
    EXPECT_EQ(told(Action::log, "to a@b.com"), "to a@b.com");
}

TEST(GuardrailInput, AnUnboundedPatternIsRedactedWhole) {
    const std::string long_text(20'000, 'x');
    const Scanned scanned = scan({pattern_rule("x", {"BEGIN.*END"}, Action::redact)},
                                 request_with("a BEGIN" + long_text + "END b"));
    EXPECT_EQ(scanned.outcome, Outcome::redact);
    EXPECT_EQ(scanned.text(), "a [x] b");
}

TEST(GuardrailInput, DecliningLeavesNothingOfTheConversation) {
    chat::Request request = openai_request(
        R"({"model":"m","messages":[{"role":"user","content":"my secret plan"}],"user":"plan",)"
        R"("tools":[{"type":"function","function":{"name":"plan"}}],"stop":"plan",)"
        R"("prediction":{"content":"plan"},"metadata":{"a":"plan"},"json_only":true,)"
        R"("response_schema":{"const":"plan"},"temperature":1,"max_tokens":7,"stream":true})");
    request.gateway.heal_attempts = 3;
    decline(&request);
    EXPECT_NE(request.gateway.json_only, chat::Wish::yes);
    EXPECT_EQ(request.gateway.response_schema_raw, "");
    EXPECT_FALSE(request.gateway.heal_attempts);
    ASSERT_EQ(request.messages.size(), 2u);
    EXPECT_EQ(request.messages[0].role, chat::Role::system);
    for (const chat::Message& message : request.messages)
        EXPECT_THAT(std::string(message.parts.at(0).as<chat::Text>()->text_escaped),
                    Not(HasSubstr("plan")));
    EXPECT_TRUE(request.tools.empty());
    EXPECT_TRUE(request.extras.empty());
    EXPECT_EQ(request.metadata_raw, "");
    EXPECT_EQ(request.user, "");
    EXPECT_TRUE(request.sampling.stop.empty());
    ASSERT_TRUE(request.sampling.temperature);
    EXPECT_EQ(request.sampling.temperature->raw, "1");
    EXPECT_EQ(request.max_tokens, 7);
    EXPECT_TRUE(request.streams());
    EXPECT_EQ(request.model, "m");
}

TEST(GuardrailInput, IsOneTextForSomebodyElse) {
    EXPECT_EQ(text_of(request_with(R"(one\ntwo)")), "one\ntwo");
}

TEST(GuardrailInput, HidesNothingInACallFromSomebodyElse) {
    EXPECT_EQ(
        text_of(testing::asking({testing::said(chat::Role::user, "And?"),
                                 testing::called({{"call_1", R"({\"a\":\"f\\u0061lcon\"})"}})})),
        "And?\n{\"a\":\"falcon\"}");
}

}  // namespace
}  // namespace runnel::guardrail
