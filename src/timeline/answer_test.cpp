#include "timeline/answer.hpp"

#include "support/random_timeline.hpp"

#include <gtest/gtest.h>

namespace runnel::timeline {
namespace {

Answer folded(const std::vector<Event>& events) {
    Fold fold;
    for (const Event& event : events) fold.on(event);
    return fold.answer();
}

std::size_t bytes_in(const Answer& answer) {
    std::size_t bytes = 0;
    const auto count = [&](auto&&... texts) { bytes += (texts.size() + ...); };
    count(answer.native_usage.raw);
    for (const Answer::NativeJson& fields : answer.native_fields) count(fields.raw);
    for (const Answer::Choice& choice : answer.choices) {
        for (const Answer::NativeJson& fields : choice.finish_fields) count(fields.raw);
        for (const auto& fields : choice.item_fields) count(fields.json.raw);
        bytes += choice.stop_sequence_escaped.size() + choice.items.size() * sizeof(Answer::Item);
        for (const Answer::Item& item : choice.items)
            std::visit(
                Overload{
                    [&](const Answer::Text& i) {
                        count(i.text_escaped);
                        bytes += i.citations.bytes() + i.logprobs.bytes();
                    },
                    [&](const Answer::Refusal& i) {
                        count(i.text_escaped);
                        bytes += i.logprobs.bytes();
                    },
                    [&](const Answer::Reasoning& i) {
                        count(i.text_escaped, i.signature_escaped, i.issuer);
                    },
                    [&](const Answer::EncryptedReasoning& i) {
                        count(i.data_escaped, i.issuer, i.id);
                    },
                    [&](const Answer::ToolCall& i) { count(i.id, i.name, i.arguments_escaped); },
                    [&](const Answer::ServerTool& i) {
                        count(i.id, i.name, i.arguments_raw, i.result_raw, i.explanation_raw);
                    },
                    [&](const Answer::Media& i) {
                        count(i.media_type, i.data, i.url_escaped, i.id_escaped,
                              i.transcript_escaped);
                    },
                    [&](const Answer::Native& i) {
                        count(i.json.raw);
                        for (const std::string& addition : i.additions_raw) count(addition);
                    },
                },
                item);
    }
    return bytes;
}

TEST(Fold, JoinsTextReasoningAndRefusal) {
    const Answer answer = folded({Started{}, Reasoning{0, "h"}, Reasoning{0, "m"}, Text{0, "a\\n"},
                                  Text{0, "b"}, Refusal{0, "No"}, Refusal{0, "."},
                                  Finished{0, Finish::length, "max_tokens"}, Ended{}});
    ASSERT_EQ(answer.choices.size(), 1U);
    EXPECT_EQ(answer.choices[0].text_escaped(), "a\\nb");
    EXPECT_EQ(answer.choices[0].reasoning_escaped(), "hm");
    EXPECT_EQ(answer.choices[0].refusal_escaped(), "No.");
    EXPECT_EQ(answer.choices[0].finish, Finish::length);
    EXPECT_FALSE(answer.error);
}

TEST(Fold, KeepsWhatOnlyTheProvidersApiKnows) {
    using What = Native::What;
    const auto native = [](What what, std::string_view raw) {
        return Native{0, what, {"messages", raw}};
    };
    const Answer answer = folded(
        {Started{}, native(What::item, R"({"type":"x"})"), native(What::addition, R"({"y":1})"),
         ItemEnded{0}, native(What::item_fields, R"({"z":1})"), Text{0, "a"},
         native(What::finish, R"({"f":1})"), native(What::answer, R"({"g":1})"),
         native(What::usage, R"({"u":1})"), Finished{0, Finish::stop, "end_turn"}, Ended{}});
    const Answer::Choice& choice = answer.choices.at(0);
    ASSERT_EQ(choice.items.size(), 2U);
    EXPECT_EQ(std::get<Answer::Native>(choice.items[0]).additions_raw.at(0), R"({"y":1})");
    EXPECT_EQ(choice.fields_of(1, "messages"), R"({"z":1})");
    EXPECT_EQ(choice.fields_of(1, "gemini"), "");
    EXPECT_EQ(choice.fields_of(0, "messages"), "");
    EXPECT_EQ(choice.finish_fields.at(0).raw, R"({"f":1})");
    EXPECT_EQ(answer.native_fields.at(0).raw, R"({"g":1})");
    EXPECT_EQ(answer.native_usage.raw, R"({"u":1})");
    EXPECT_EQ(choice.native_finish, "end_turn");
}

TEST(Fold, JoinsTheArgumentsOfEachCall) {
    const Answer answer = folded({ToolStarted{0, 0, "c0", "f"}, ToolArguments{0, 0, "{"},
                                  ToolStarted{0, 1, "c1", "g"}, ToolArguments{0, 1, "[]"},
                                  ToolArguments{0, 0, "}"}, ToolEnded{0, 0}, ToolEnded{0, 1}});
    const auto calls = answer.choices.at(0).tool_calls();
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].id, "c0");
    EXPECT_EQ(calls[0].name, "f");
    EXPECT_EQ(calls[0].arguments_escaped, "{}");
    EXPECT_EQ(calls[1].arguments_escaped, "[]");
    EXPECT_TRUE(answer.choices[0].text_escaped().empty());
}

TEST(Fold, KeepsItemsInTheOrderInWhichTheyBegan) {
    const Answer answer =
        folded({Reasoning{0, "h"}, Reasoning{0, "m"}, Text{0, "a"}, ToolStarted{0, 0, "c", "f"},
                Text{0, "b"}, ToolArguments{0, 0, "{}"}, Refusal{0, "no"},
                ReasoningEncrypted{0, "enc", "anthropic/m", "id"},
                Media{0, Media::Kind::image, "image/png", "eA=="}, Finished{0, Finish::pause, ""}});
    const auto& items = answer.choices.at(0).items;
    ASSERT_EQ(items.size(), 7U);
    EXPECT_EQ(std::get<Answer::Reasoning>(items[0]).text_escaped, "hm");
    EXPECT_EQ(std::get<Answer::Text>(items[1]).text_escaped, "a");
    EXPECT_EQ(std::get<Answer::ToolCall>(items[2]).arguments_escaped, "{}");
    EXPECT_EQ(std::get<Answer::Text>(items[3]).text_escaped, "b");
    EXPECT_EQ(std::get<Answer::Refusal>(items[4]).text_escaped, "no");
    EXPECT_EQ(std::get<Answer::EncryptedReasoning>(items[5]).data_escaped, "enc");
    EXPECT_EQ(std::get<Answer::EncryptedReasoning>(items[5]).issuer, "anthropic/m");
    EXPECT_EQ(std::get<Answer::Media>(items[6]).view().data, "eA==");
    EXPECT_EQ(answer.choices[0].finish, Finish::pause);
}

TEST(Fold, BeginsAnotherItemOfTheSameKindWhereOneEnded) {
    const Answer answer = folded(
        {Text{0, "a"}, Text{0, "b"}, ItemEnded{0}, Text{0, "c"}, ItemEnded{0}, ItemEnded{0}});
    const auto& items = answer.choices.at(0).items;
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(std::get<Answer::Text>(items[0]).text_escaped, "ab");
    EXPECT_EQ(std::get<Answer::Text>(items[1]).text_escaped, "c");
    EXPECT_EQ(answer.choices[0].text_escaped(), "abc");
}

TEST(Fold, PutsASignatureOnTheReasoningBeforeIt) {
    const Answer answer =
        folded({Reasoning{0, "h"}, ReasoningSigned{0, "s1", "anthropic/m"}, Reasoning{0, "m"},
                Text{0, "a"}, ReasoningSigned{0, "s2", "gemini/m"}});
    const auto& items = answer.choices.at(0).items;
    ASSERT_EQ(items.size(), 4U);
    EXPECT_EQ(std::get<Answer::Reasoning>(items[0]).signature_escaped, "s1");
    EXPECT_EQ(std::get<Answer::Reasoning>(items[0]).issuer, "anthropic/m");
    EXPECT_EQ(std::get<Answer::Reasoning>(items[1]).signature_escaped, "") << "more was thought";
    EXPECT_EQ(std::get<Answer::Reasoning>(items[3]).text_escaped, "") << "none comes before it";
    EXPECT_EQ(std::get<Answer::Reasoning>(items[3]).signature_escaped, "s2");
}

TEST(Fold, KeepsOneItemForEachRunOfTheGatewaysTools) {
    using State = ServerTool::State;
    const Answer answer =
        folded({Text{0, "a"}, ServerTool{State::running, "srv_1", "gas", "{}"},
                ServerTool{State::running, "srv_2", "gas", "{}"},
                ServerTool{State::completed, "srv_1", "gas", "{}", "1"}, Text{0, "b"}});
    const auto& items = answer.choices.at(0).items;
    ASSERT_EQ(items.size(), 4U);
    EXPECT_EQ(std::get<Answer::ServerTool>(items[1]).state, State::completed);
    EXPECT_EQ(std::get<Answer::ServerTool>(items[1]).result_raw, "1");
    EXPECT_EQ(std::get<Answer::ServerTool>(items[2]).state, State::running);
}

TEST(Fold, JoinsThePiecesOfAudio) {
    const Answer answer =
        folded({Media{.choice = 0, .kind = Media::Kind::audio, .id = "x"},
                Media{.choice = 0, .kind = Media::Kind::audio, .data = "AQI="}, Text{0, "a"},
                Media{.choice = 0,
                      .kind = Media::Kind::audio,
                      .data = "AwQ=",
                      .transcript = "hi",
                      .expires_at = 7}});
    ASSERT_EQ(answer.choices.at(0).items.size(), 2U);
    const auto& audio = std::get<Answer::Media>(answer.choices[0].items[0]);
    EXPECT_EQ(audio.id_escaped, "x");
    EXPECT_EQ(audio.data, "AQIDBA==");
    EXPECT_EQ(audio.transcript_escaped, "hi");
    EXPECT_EQ(audio.expires_at, 7);
}

// What it says it holds is what is in it, whatever it was told and in whatever order.
TEST(Fold, CountsWhatItHolds) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        const TimedRecording made = testing::RandomTimeline(seed).make();
        Fold fold;
        made.replay(&fold);
        if (fold.answer().error) continue;  // logprobs may still wait for their text
        EXPECT_EQ(fold.held_bytes(), bytes_in(fold.answer())) << "seed " << seed;
    }
}

TEST(Fold, KeepsChoicesApart) {
    const Answer answer = folded({Text{1, "b"}, Text{0, "a"}, Finished{1, Finish::stop, ""}});
    ASSERT_EQ(answer.choices.size(), 2U);
    EXPECT_EQ(answer.choices[0].text_escaped(), "a");
    EXPECT_EQ(answer.choices[1].text_escaped(), "b");
    EXPECT_FALSE(answer.choices[0].finish);
    EXPECT_EQ(answer.choices[1].finish, Finish::stop);
}

TEST(Fold, TakesTheLatestUsage) {
    const Answer answer = folded({UsageReported{{.fresh_input = 1, .output = 1}},
                                  UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 3}}});
    ASSERT_TRUE(answer.usage);
    EXPECT_EQ(answer.usage->input(), 7);
    EXPECT_EQ(answer.usage->total(), 10);
}

TEST(Fold, KeepsCitationsAndLogprobsWithTheirText) {
    const std::vector<TokenLogprob> tokens{{"a", "-0.5"}};
    const Answer answer =
        folded({Text{0, "a"}, ItemEnded{0}, Logprobs{0, Logprobs::Of::text, tokens},
                Reasoning{0, "hm"}, Text{0, "b"}, Citation{.choice = 0, .url = "u1"},
                ToolStarted{0, 0, "c", "f"}, Citation{.choice = 0, .url = "u2"}});
    const auto& items = answer.choices.at(0).items;
    ASSERT_EQ(items.size(), 4U);
    EXPECT_TRUE(std::get<Answer::Text>(items[0]).logprobs.empty());
    EXPECT_TRUE(std::get<Answer::Text>(items[0]).citations.empty());
    const auto& second = std::get<Answer::Text>(items[2]);
    EXPECT_EQ(second.logprobs.events().size(), 1U);
    ASSERT_EQ(second.citations.events().size(), 2U);
    EXPECT_EQ(std::get<Citation>(second.citations.events()[1]).url, "u2");
}

TEST(Fold, KeepsLogprobsWhoseTextNeverCame) {
    const std::vector<TokenLogprob> tokens{{"a", "-0.5"}};
    const Answer answer =
        folded({Logprobs{0, Logprobs::Of::text, tokens}, Finished{0, Finish::stop, "", "END"}});
    ASSERT_EQ(answer.choices.at(0).items.size(), 1U);
    EXPECT_FALSE(std::get<Answer::Text>(answer.choices[0].items[0]).logprobs.empty());
    EXPECT_EQ(answer.choices[0].stop_sequence_escaped, "END");
}

TEST(Fold, KeepsTheErrorBesideWhatCameBeforeIt) {
    const Answer answer =
        folded({Text{0, "Hel"}, Failed{{ErrorKind::upstream_failed, "gone"}}, Ended{}});
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->message, "gone");
    EXPECT_EQ(answer.choices.at(0).text_escaped(), "Hel");
}

TEST(Fold, HasOneChoiceEvenWhenNothingWasSaid) {
    EXPECT_EQ(folded({Started{}, Ended{}}).choices.size(), 1U);
}

}  // namespace
}  // namespace runnel::timeline
