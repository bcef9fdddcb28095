#include "policy/guardrail_input.hpp"

#include "support/guardrail_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

using testing::all_pii;
using ::testing::ElementsAre;
using testing::guardrails;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::pattern_rule;
using testing::pii_rule;
using Action = GuardrailRule::Action;
using Outcome = InputScan::Outcome;
using enum GuardrailRule::Pii;

// A request with one text in it, as the reader of requests makes it.
chat::Request request_with(std::string_view text_escaped,
                           chat::Part::Kind kind = chat::Part::Kind::text) {
    chat::Request request;
    request.body = std::make_unique<std::string>(R"({"messages":[{"role":"user","content":")" +
                                                 std::string(text_escaped) + R"("}],"user":"u"})");
    const std::string_view body = *request.body;
    const std::string_view text = body.substr(body.find(text_escaped), text_escaped.size());
    chat::Message message{.role = chat::Role::user};
    message.parts.push_back({.kind = kind, .text_escaped = text});
    if (kind == chat::Part::Kind::other) {
        message.parts.back().text_escaped = {};
        message.parts.back().raw = body.substr(body.find(text_escaped) - 1, text.size() + 2);
    }
    request.messages.push_back(std::move(message));
    request.fields.push_back(
        {"messages", body.substr(body.find('['), body.find(']') - body.find('[') + 1)});
    request.fields.push_back({"user", R"("u")"});
    request.fields.push_back({"temperature", "1"});
    return request;
}

InputScan scan(std::vector<GuardrailRule> rules, const chat::Request& request) {
    const GuardrailBits bits = guardrail_bit(rules.size()) - 1;
    GuardrailWorkspace workspace;
    auto scanned = scan_input(*guardrails(std::move(rules)), bits, &workspace, request);
    EXPECT_TRUE(scanned.has_value());
    return std::move(*scanned);
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

TEST(GuardrailInput, RedactsInTheClientsOwnBytes) {
    const InputScan scanned =
        scan({all_pii(Action::redact)},
             request_with(R"(Say \"hi\" to a\u0040b.com\nand 4111-1111-1111-1111)"));
    EXPECT_EQ(scanned.outcome, Outcome::redact);
    EXPECT_EQ(
        scanned.body,
        R"({"messages":[{"role":"user","content":"Say \"hi\" to [email]\nand [card]"}],"user":"u"})");
}

TEST(GuardrailInput, TheStrictestActionCounts) {
    const auto request = request_with("a@b.com 4111111111111111");
    EXPECT_EQ(scan({pii_rule({email}, Action::redact), pii_rule({card}, Action::decline)}, request)
                  .outcome,
              Outcome::decline);
    EXPECT_EQ(scan({pii_rule({email}), pii_rule({card}, Action::decline)}, request).outcome,
              Outcome::block);
}

TEST(GuardrailInput, LooksAtPartsThatNobodyUnderstands) {
    const auto request = request_with("4111111111111111", chat::Part::Kind::other);
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
    EXPECT_THAT(scan({all_pii(Action::redact)}, request).body, HasSubstr(R"("content":"[card]")"));
}

TEST(GuardrailInput, LooksAtArgumentsAndReasoningThatComeBack) {
    chat::Request request = request_with("fine");
    const std::string_view call = request.keep(R"({\"to\":\"a@b.com\"})");
    request.messages[0].tool_calls.push_back({"c", "f", call, {}});
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
    EXPECT_EQ(scan({all_pii(Action::redact)}, request).outcome, Outcome::block)
        << "what is not in the body can't be changed in it";
    request.messages[0].tool_calls.clear();
    request.messages[0].reasoning_escaped = call;
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
}

TEST(GuardrailInput, EscapesHideNothingInWhatTheClientsToolsAnswered) {
    chat::Request request = request_with(R"({\"to\":\"a\\u0040b.com\",\"n\":1})");
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::pass) << "of anybody else it is text";
    request.messages[0].role = chat::Role::tool;
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
    EXPECT_THAT(scan({all_pii(Action::redact)}, request).body,
                HasSubstr(R"("content":"{\"to\":\"[email]\",\"n\":1}")"));
    EXPECT_THAT(text_of(request), HasSubstr("a@b.com"));
    const auto answered = [](std::string_view text_escaped) {
        chat::Request result = request_with(text_escaped);
        result.messages[0].role = chat::Role::tool;
        return result;
    };
    const auto cut_off = answered(R"([\"a\\u0040b.com\",\"c@d)");
    EXPECT_EQ(scan({all_pii(Action::redact)}, cut_off).outcome, Outcome::block)
        << "it can't be replaced";
    const auto plain = answered(R"([INFO] C:\\mail to a@b.com)");
    EXPECT_THAT(scan({all_pii(Action::redact)}, plain).body,
                HasSubstr(R"([INFO] C:\\mail to [email])"));
    const auto escaped = answered(R"(the letter \\u0040: a\\u0040b.com)");
    EXPECT_EQ(scan({all_pii()}, escaped).outcome, Outcome::pass) << "no JSON";
}

TEST(GuardrailInput, LooksAtThoughtsInEveryProvidersShape) {
    for (const auto carrier :
         {&chat::Message::reasoning_details_raw, &chat::Message::thinking_blocks_raw}) {
        chat::Request request = request_with("fine");
        request.messages[0].*carrier = request.keep(R"([{"text":"to a@b.com"}])");
        EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
    }
}

TEST(GuardrailInput, PartsAreOneTextAndNamesAreLookedAt) {
    chat::Request request = request_with("fine");
    auto& parts = request.messages[0].parts;
    parts.push_back({.kind = chat::Part::Kind::text, .text_escaped = "4111 1111"});
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::pass);
    parts.push_back({.kind = chat::Part::Kind::text, .text_escaped = " 1111 1111"});
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
    EXPECT_EQ(scan({all_pii(Action::redact)}, request).outcome, Outcome::block)
        << "what spans two parts can't be replaced";
    parts.resize(1);
    request.messages[0].name = "a@b.com";
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
}

TEST(GuardrailInput, LooksAtWhateverElseGoesOn) {
    chat::Request request;
    request.body = std::make_unique<std::string>(
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{)"
        R"("url":"data:image/png;base64,a@b.co","alt":["k",{"type":"x"},"c@d.com"]}}],"id":"e@f.com"}],)"
        R"("prediction":{"content":"g@h.com"},"tools":["i@j.com"],"seed":1})");
    const std::string_view body = *request.body;
    const auto view = [&](std::string_view begin, std::string_view end) {
        return body.substr(body.find(begin), body.find(end) + end.size() - body.find(begin));
    };
    chat::Message message{.role = chat::Role::user};
    message.sent = view(R"({"role")", R"("e@f.com"})");
    message.parts.push_back(
        {.kind = chat::Part::Kind::image, .url_escaped = view("data:", "a@b.co")});
    request.messages.push_back(message);
    request.fields = {{"messages", view("[{", "}]")},
                      {"prediction", view(R"({"content":"g@h)", R"(h.com"})")},
                      {"tools", R"(["i@j.com"])"},
                      {"seed", "1"}};
    EXPECT_EQ(scan({all_pii()}, request).outcome, Outcome::block);
    EXPECT_EQ(
        scan({all_pii(Action::redact)}, request).body,
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{)"
        R"("url":"data:image/png;base64,a@b.co","alt":["k",{"type":"x"},"[email]"]}}],"id":"e@f.com"}],)"
        R"("prediction":{"content":"[email]"},"tools":["i@j.com"],"seed":1})");
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
    const InputScan scanned = scan({pattern_rule("x", {"BEGIN.*END"}, Action::redact)},
                                   request_with("a BEGIN" + long_text + "END b"));
    EXPECT_EQ(scanned.outcome, Outcome::redact);
    EXPECT_THAT(scanned.body, HasSubstr(R"("a [x] b")"));
}

TEST(GuardrailInput, DecliningLeavesNothingOfTheConversation) {
    chat::Request request = request_with("my secret plan");
    request.tools.push_back({.name = "f"});
    request.user = "u";
    request.gateway.json_only = true;
    request.gateway.response_schema_raw = R"({"const":"my secret plan"})";
    request.gateway.heal_attempts = 3;
    decline(&request);
    EXPECT_FALSE(request.gateway.json_only);
    EXPECT_EQ(request.gateway.response_schema_raw, "");
    EXPECT_FALSE(request.gateway.heal_attempts);
    ASSERT_EQ(request.messages.size(), 2u);
    EXPECT_EQ(request.messages[0].role, chat::Role::system);
    EXPECT_TRUE(request.tools.empty());
    for (const chat::Field& field : request.fields) EXPECT_THAT(field.raw, Not(HasSubstr("plan")));
    for (const chat::Message& message : request.messages) {
        EXPECT_THAT(message.raw, Not(HasSubstr("plan")));
        EXPECT_THAT(std::string(message.raw),
                    HasSubstr(std::string(message.parts[0].text_escaped)));
    }
    EXPECT_FALSE(request.has("user"));
    EXPECT_TRUE(request.has("messages"));
    EXPECT_TRUE(request.has("temperature"));
}

TEST(GuardrailInput, IsOneTextForSomebodyElse) {
    EXPECT_EQ(text_of(request_with(R"(one\ntwo)")), "one\ntwo");
}

TEST(GuardrailInput, HidesNothingInACallFromSomebodyElse) {
    chat::Request request = request_with("And?");
    request.messages.push_back({.role = chat::Role::assistant});
    request.messages.back().tool_calls.push_back(
        {"call_1", "f", R"({\"a\":\"f\\u0061lcon\"})", {}});
    EXPECT_EQ(text_of(request), "And?\n{\"a\":\"falcon\"}");
}

}  // namespace
}  // namespace runnel::policy
