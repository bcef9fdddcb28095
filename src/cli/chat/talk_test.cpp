#include "cli/chat/talk.hpp"

#include "api/registry.hpp"
#include "framing/sse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace runnel::cli {
namespace {

using Role = Conversation::Turn::Role;

const ChatTalk& talk_in(std::string_view api) {
    return *std::ranges::find(chat_talks(), api, &ChatTalk::name);
}

const Conversation two_turns{
    "a/b", "Be brief.", {{Role::user, "a \"b\"\n"}, {Role::assistant, "c"}}};

TEST(ChatTalk, AsksWithAllThatWasSaid) {
    const auto chat = talk_in("chat").ask(two_turns);
    EXPECT_EQ(chat.path, "/v1/chat/completions");
    EXPECT_EQ(chat.dialect, "timeline");
    EXPECT_EQ(chat.body, R"({"model":"a/b","stream":true,"servertool_results":true,"messages":[)"
                         R"({"role":"system","content":"Be brief."},)"
                         R"({"role":"user","content":"a \"b\"\n"},)"
                         R"({"role":"assistant","content":"c"}]})");
    const auto messages = talk_in("messages").ask(two_turns);
    EXPECT_EQ(messages.path, "/v1/messages");
    EXPECT_EQ(messages.body,
              R"({"model":"a/b","stream":true,"max_tokens":16384,"system":"Be brief.",)"
              R"("messages":[{"role":"user","content":"a \"b\"\n"},)"
              R"({"role":"assistant","content":"c"}]})");
    const auto responses = talk_in("responses").ask(two_turns);
    EXPECT_EQ(responses.path, "/v1/responses");
    EXPECT_EQ(responses.body,
              R"({"model":"a/b","stream":true,"store":false,"instructions":"Be brief.",)"
              R"("input":[{"role":"user","content":"a \"b\"\n"},)"
              R"({"role":"assistant","content":"c"}]})");
    const auto gemini = talk_in("gemini").ask(two_turns);
    EXPECT_EQ(gemini.path, "/v1beta/models/a/b:streamGenerateContent?alt=sse");
    EXPECT_EQ(gemini.body, R"({"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[)"
                           R"({"role":"user","parts":[{"text":"a \"b\"\n"}]},)"
                           R"({"role":"model","parts":[{"text":"c"}]}],)"
                           R"("generationConfig":{"thinkingConfig":{"includeThoughts":true}}})");
}

// Every request is one that the gateway's own reader takes.
TEST(ChatTalk, AsksWhatItsApiTakes) {
    for (const ChatTalk& talk : chat_talks()) {
        json::Parser parser;
        const api::Api* api = api::api_named(talk.name);
        ASSERT_NE(api, nullptr) << talk.name;
        const auto request =
            api->read_request({.body = talk.ask(two_turns).body, .model = "a/b"}, &parser);
        ASSERT_TRUE(request) << talk.name << ": " << request.error().message;
        EXPECT_TRUE(api->check_request(*request)) << talk.name;
        EXPECT_EQ(request->messages.size(), 3u) << talk.name;
    }
}

// All that a stream's frames say, together.
class Everything final : public framing::FrameSink {
public:
    explicit Everything(const ChatTalk* talk) : talk_(*talk) {}

    void on_frame(const framing::Frame& frame) override {
        ChatFrame more = talk_.read(frame.data.text());
        if (!more.id.empty()) all.id = more.id;
        if (!more.model.empty()) all.model = more.model;
        all.reasoning += more.reasoning;
        all.text += more.text;
        std::ranges::move(more.calls, std::back_inserter(all.calls));
        if (more.usage) all.usage = more.usage;
        if (!more.finish.empty()) all.finish = more.finish;
        if (!more.error.empty()) all.error = more.error;
    }

    ChatFrame all;

private:
    const ChatTalk& talk_;
};

std::string_view dialect_of(const ChatTalk& talk) {
    return talk.name == "chat" ? "timeline" : talk.name;
}

template <class Tell>
ChatFrame heard(const ChatTalk& talk, Tell tell) {
    std::string frames;
    const auto encoder =
        api::dialect_named(dialect_of(talk))->make_encoder({"id-1", 1, "m"}, &frames);
    tell(*encoder);
    encoder->on(timeline::Ended{});
    framing::Decoder decoder(1 << 20);
    Everything everything(&talk);
    EXPECT_TRUE(decoder.feed(Padded::of(frames), everything));
    return everything.all;
}

TEST(ChatTalk, HearsWhatWasSaid) {
    for (const ChatTalk& talk : chat_talks()) {
        const ChatFrame all = heard(talk, [](timeline::Sink& sink) {
            sink.on(timeline::Reasoning{0, "Hm."});
            sink.on(timeline::Text{0, R"(Hel\u006co \")"});
            sink.on(timeline::Text{0, "!"});
            sink.on(timeline::ToolStarted{0, 0, "call_1", "look"});
            sink.on(timeline::ToolArguments{0, 0, R"({\"a\":1})"});
            sink.on(timeline::ToolEnded{0, 0});
            sink.on(timeline::UsageReported{
                {.fresh_input = 5, .cache_read = 2, .output = 4, .reasoning = 1}});
            sink.on(timeline::Finished{0, timeline::Finish::length, ""});
        });
        EXPECT_EQ(all.id, "id-1") << talk.name;
        EXPECT_EQ(all.model, "m") << talk.name;
        EXPECT_EQ(all.reasoning, "Hm.") << talk.name;
        EXPECT_EQ(all.text, "Hello \"!") << talk.name;
        EXPECT_EQ(all.calls, std::vector<std::string>{"look"}) << talk.name;
        EXPECT_EQ(all.finish, "length") << talk.name;
        EXPECT_EQ(all.error, "") << talk.name;
        ASSERT_TRUE(all.usage) << talk.name;
        EXPECT_EQ(all.usage->input, 7) << talk.name;
        EXPECT_EQ(all.usage->output, 4) << talk.name;
    }
}

TEST(ChatTalk, HearsOfAFailureAndOfAFilter) {
    for (const ChatTalk& talk : chat_talks()) {
        const ChatFrame failed = heard(talk, [](timeline::Sink& sink) {
            sink.on(timeline::Text{0, "a"});
            sink.on(timeline::Failed{{ErrorKind::upstream_failed, "It broke."}});
        });
        EXPECT_EQ(failed.text, "a") << talk.name;
        EXPECT_NE(failed.error.find("It broke."), std::string::npos) << talk.name << failed.error;
        const ChatFrame filtered = heard(talk, [](timeline::Sink& sink) {
            sink.on(timeline::Refusal{0, "No."});
            sink.on(timeline::Finished{0, timeline::Finish::content_filter, ""});
        });
        EXPECT_EQ(filtered.text, "No.") << talk.name;
        EXPECT_EQ(filtered.finish, "content_filter") << talk.name;
    }
}

TEST(ChatTalk, HearsNothingInWhatIsNoFrame) {
    for (const ChatTalk& talk : chat_talks())
        for (const std::string_view data : {"", "[DONE]", "{", "[]", "1", R"({"type":"ping"})",
                                            R"({"choices":[{}],"candidates":[{"content":1}]})"}) {
            const ChatFrame frame = talk.read(data);
            EXPECT_TRUE(frame.text.empty() && frame.error.empty() && frame.calls.empty())
                << talk.name << " " << data;
        }
}

}  // namespace
}  // namespace runnel::cli
