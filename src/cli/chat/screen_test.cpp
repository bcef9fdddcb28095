#include "cli/chat/screen.hpp"

#include "api/registry.hpp"

#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

using timeline::ServerTool;

// The frames of an answer, as the gateway writes them.
class Frames {
public:
    Frames() {
        api::Envelope envelope{.id = "chatcmpl-1", .model = "m"};
        envelope.tool_results = api::Envelope::ToolResults::shown;
        encoder_ = api::dialect_named("timeline")->make_encoder(envelope, stream_.get());
    }
    Frames& add(const timeline::Event& event) {
        encoder_->on(event);
        return *this;
    }
    std::string shown(ChatLook look, ChatScreen::End end = ChatScreen::End::whole) {
        encoder_->on(timeline::Ended{});
        std::string out;
        ChatScreen screen(look, &out);
        std::string_view rest = *stream_;
        for (std::size_t at; (at = rest.find("\n\n")) != std::string_view::npos;) {
            const std::string_view data = rest.substr(6, at - 6);  // behind "data: "
            screen.show(read_chat_frame(data));
            rest.remove_prefix(at + 2);
        }
        screen.end(end);
        answer = screen.answer();
        id = screen.id();
        error = screen.error();
        usage = screen.usage();
        return out;
    }

    std::string answer, id, error;
    std::optional<ChatFrame::Usage> usage;

private:
    // Stays where it is when this moves.
    std::unique_ptr<std::string> stream_ = std::make_unique<std::string>();
    std::unique_ptr<api::Encoder> encoder_;
};

Frames worked_answer() {
    const auto tool = [](ServerTool::State state, std::string_view result) {
        return ServerTool{state, "srv_1", "gas", R"({"chain":"base"})", result};
    };
    Frames frames;
    frames.add(timeline::Started{})
        .add(timeline::Reasoning{0, "I must "})
        .add(timeline::Reasoning{0, "look."})
        .add(timeline::Text{0, "Let me look."})
        .add(tool(ServerTool::State::created, ""))
        .add(tool(ServerTool::State::running, ""))
        .add(tool(ServerTool::State::completed, R"({"gwei":"0.01"})"))
        .add(tool(ServerTool::State::failed, R"("too late")"))
        .add(timeline::Text{0, "It is "})
        .add(timeline::Text{0, "0.01"})
        .add(timeline::UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 3}})
        .add(timeline::Finished{0, timeline::Finish::stop, "stop"});
    return frames;
}

TEST(ChatScreen, ShowsEachStepOnLinesOfItsOwn) {
    Frames frames = worked_answer();
    EXPECT_EQ(frames.shown(ChatLook::plain), "(thinking) I must look.\n"
                                             "Let me look.\n"
                                             "» gas {\"chain\":\"base\"}\n"
                                             "« gas {\"gwei\":\"0.01\"}\n"
                                             "« gas failed: too late\n"
                                             "It is 0.01\n");
    EXPECT_EQ(frames.answer, "Let me look.\nIt is 0.01");
    EXPECT_EQ(frames.id, "chatcmpl-1");
    ASSERT_TRUE(frames.usage);
    EXPECT_EQ(frames.usage->input, 7);
    EXPECT_EQ(frames.usage->output, 3);
}

TEST(ChatScreen, DimsWhatIsNotTheAnswer) {
    EXPECT_EQ(worked_answer().shown(ChatLook::styled), "\033[2mI must look.\033[0m\n"
                                                       "Let me look.\n"
                                                       "\033[2m» gas {\"chain\":\"base\"}\033[0m\n"
                                                       "\033[2m« gas {\"gwei\":\"0.01\"}\033[0m\n"
                                                       "\033[31m« gas failed: too late\033[0m\n"
                                                       "It is 0.01\n");
}

TEST(ChatScreen, ShowsTheTextAloneWhereThatIsWanted) {
    EXPECT_EQ(worked_answer().shown(ChatLook::answer_only), "Let me look.\nIt is 0.01\n");
}

TEST(ChatScreen, SaysWhyAnAnswerEnds) {
    const auto ended = [](timeline::Finish finish) {
        Frames frames;
        frames.add(timeline::Text{0, "a"}).add(timeline::Finished{0, finish, ""});
        return frames.shown(ChatLook::plain);
    };
    EXPECT_EQ(ended(timeline::Finish::length), "a\n(cut off: the answer is too long)\n");
    EXPECT_EQ(ended(timeline::Finish::content_filter), "a\n(cut off by a filter)\n");
    Frames stopped;
    stopped.add(timeline::Reasoning{0, "hm"});
    EXPECT_EQ(stopped.shown(ChatLook::styled, ChatScreen::End::stopped),
              "\033[2mhm\033[0m\n\033[2m(stopped)\033[0m\n");
    Frames failed;
    failed.add(timeline::Text{0, "a\\n"})
        .add(timeline::Failed{{ErrorKind::upstream_failed, "it broke"}});
    EXPECT_EQ(failed.shown(ChatLook::plain), "a\nerror: it broke\n");
    EXPECT_EQ(failed.error, "it broke");
}

TEST(ChatScreen, LetsNothingSpeakToTheTerminal) {
    Frames frames;
    frames.add(timeline::Reasoning{0, "\\u001b[31m"})
        .add(ServerTool{ServerTool::State::running, "srv_1", "\033[2J", "{\"a\":\"\\u0007\"}"})
        .add(ServerTool{ServerTool::State::failed, "srv_1", "x", "{}", "\"\\u001b]0;t\\n\""})
        .add(timeline::Text{0, "\\u001b[2J"});
    const std::string shown = frames.shown(ChatLook::plain);
    EXPECT_FALSE(shown.contains('\033'));
    EXPECT_FALSE(shown.contains('\a'));
    EXPECT_EQ(frames.answer, "\033[2J");
}

TEST(ChatScreen, TakesWhateverAFrameIs) {
    for (
        const std::string_view data :
        {"[DONE]", "", "{", "1", "[]", "null", R"({"choices":[]})", R"({"choices":1,"usage":[]})",
         R"({"choices":[{"delta":{"content":1,"tool_calls":[{}]}}],"servertool":1,"error":"x"})"}) {
        std::string out;
        ChatScreen screen(ChatLook::plain, &out);
        screen.show(read_chat_frame(data));
        screen.end(ChatScreen::End::whole);
        EXPECT_EQ(out, "") << data;
    }
}

TEST(ChatScreen, SumsUpWhatAnAnswerTook) {
    using namespace std::chrono_literals;
    EXPECT_EQ(summary_of(ChatFrame::Usage{12, 34}, 0.00012, 1250ms),
              "12 tokens in, 34 out · $0.000120 · 1.2 s");
    EXPECT_EQ(summary_of(ChatFrame::Usage{1, 2}, 1.5, 90s),
              "1 tokens in, 2 out · $1.5000 · 90.0 s");
    EXPECT_EQ(summary_of(std::nullopt, std::nullopt, 40ms), "0.0 s");
}

}  // namespace
}  // namespace runnel::cli
