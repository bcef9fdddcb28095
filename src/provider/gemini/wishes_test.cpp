#include "provider/gemini/contents.hpp"
#include "provider/gemini/request.hpp"
#include "support/chat_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

// What a request may ask for beside text, and the names that its tools go by.
namespace runnel::provider::gemini {
namespace {

using namespace runnel::testing;
using chat::ToolChoice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Request greeting() {
    Request request = asking({said(Role::user, "Hi")});
    request.max_tokens.reset();
    return request;
}

Body written(const Request& request) {
    auto body = write_body(request, "gemini-2.5-flash");
    return body ? *body : Body{"failed: " + body.error().message};
}

// The body ends with it.
std::string config_of(const Request& request) {
    const std::string body = written(request).text;
    constexpr std::string_view key = R"("generationConfig":)";
    const std::size_t at = body.find(key) + key.size();
    return body.substr(at, body.size() - at - 1);
}

TEST(GeminiWishes, AsksForLogprobs) {
    Request request = greeting();
    request.sampling.logprobs = chat::Wish::yes;
    EXPECT_EQ(config_of(request), R"({"responseLogprobs":true})");
    request.sampling.top_logprobs = 5;
    EXPECT_EQ(config_of(request), R"({"responseLogprobs":true,"logprobs":5})");
}

TEST(GeminiWishes, AsksForSpeechInTheVoicesItHas) {
    Request request = greeting();
    request.extras = {{"modalities", R"(["text","audio"])"},
                      {"audio", R"({"voice":"Kore","format":"wav"})"}};
    const Body body = written(request);
    EXPECT_THAT(body.text, HasSubstr(R"("generationConfig":{"responseModalities":["AUDIO"],)"
                                     R"("speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":)"
                                     R"({"voiceName":"Kore"}}}})"));
    EXPECT_EQ(body.samples, TurnOptions::Samples::wav);
    request.extras[1].raw = R"({"voice":"alloy","format":"pcm16"})";
    EXPECT_EQ(config_of(request), R"({"responseModalities":["AUDIO"]})");
    EXPECT_THAT(written(request).warnings, ElementsAre("dropped_voice"));
    EXPECT_EQ(written(request).samples, TurnOptions::Samples::bare);
    request.extras.pop_back();
    EXPECT_EQ(config_of(request), R"({"responseModalities":["AUDIO"]})");
}

TEST(GeminiWishes, CallsAToolByANameThatGeminiTakesWhereverItStands) {
    Request request = greeting();
    request.tools = {tool("a/b")};
    request.messages.push_back(called({{"c", "{}"}}));
    std::get<chat::ToolCall>(request.messages[1].parts[0].content).name = "a/b";
    request.messages.push_back(result("c", "r"));
    request.tool_choice = {.kind = ToolChoice::Kind::named, .name = "a/b"};
    const std::string text = written(request).text;
    const std::string name = ToolNames(tool_name_rule).sent("a/b");
    EXPECT_THAT(text, Not(HasSubstr("a/b")));
    for (const std::string_view place :
         {R"("functionCall":{"name":"{}")", R"("functionResponse":{"name":"{}")",
          R"("functionDeclarations":[{"name":"{}")", R"("allowedFunctionNames":["{}"])"}) {
        std::string expected(place);
        expected.replace(expected.find("{}"), 2, name);
        EXPECT_THAT(text, HasSubstr(expected));
    }
}

}  // namespace
}  // namespace runnel::provider::gemini
