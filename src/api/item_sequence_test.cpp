#include "api/item_sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace runnel::api {
namespace {

// Items in brackets, as they were written.
class Written final : public ItemWriter {
public:
    void begin_item(const ItemHead& head) override {
        EXPECT_FALSE(open_) << "two items at a time";
        open_ = true;
        text += "[";
        text += "TRXC"[static_cast<int>(head.kind)];
        text += head.call_id;
    }
    void add(std::string_view escaped) override {
        EXPECT_TRUE(open_);
        text.append(" ").append(escaped);
    }
    void cite(const timeline::Citation& citation) override {
        text.append(" cite:").append(citation.url);
    }
    void sign(const timeline::ReasoningSigned& signature) override {
        text.append(" signed:").append(signature.signature);
    }
    void end_item() override {
        EXPECT_TRUE(open_);
        open_ = false;
        text += "]";
    }
    void write_encrypted(const timeline::ReasoningEncrypted& reasoning) override {
        EXPECT_FALSE(open_);
        text.append("<").append(reasoning.data).append(">");
    }

    std::string text;

private:
    bool open_ = false;
};

std::string sequence_of(const std::vector<timeline::Event>& events) {
    Written written;
    ItemSequence items(&written);
    for (const timeline::Event& event : events)
        std::visit(
            [&](const auto& e) {
                if constexpr (requires { items.on(e); }) items.on(e);
            },
            event);
    items.finish();
    EXPECT_EQ(items.held_bytes(), 0U);
    return written.text;
}

using timeline::Event;

TEST(ItemSequence, BeginsAnItemWhereTheKindChanges) {
    EXPECT_EQ(
        sequence_of({timeline::Reasoning{0, "hm"}, timeline::Text{0, "a"}, timeline::Text{0, "b"},
                     timeline::ToolStarted{0, 0, "c1", "f"}, timeline::ToolArguments{0, 0, "{}"},
                     timeline::ToolEnded{0, 0}, timeline::Text{0, "c"}}),
        "[R hm][T a b][Cc1 {}][T c]");
}

TEST(ItemSequence, BeginsAnotherItemWhereTheProviderDoes) {
    EXPECT_EQ(sequence_of({timeline::Text{0, "a"}, timeline::ItemEnded{0}, timeline::Text{0, "b"}}),
              "[T a][T b]");
}

TEST(ItemSequence, SignsAThoughtAndEndsIt) {
    EXPECT_EQ(sequence_of({timeline::Reasoning{0, "hm"}, timeline::ReasoningSigned{0, "s", "i"},
                           timeline::ItemEnded{0}, timeline::ReasoningEncrypted{0, "x", "i"},
                           timeline::ReasoningSigned{0, "t", "i"}, timeline::Text{0, "a"}}),
              "[R hm signed:s]<x>[R signed:t][T a]");
}

TEST(ItemSequence, LetsLaterThingsWaitForTheOpenCall) {
    EXPECT_EQ(
        sequence_of({timeline::ToolStarted{0, 0, "c1", "f"}, timeline::ToolStarted{0, 1, "c2", "g"},
                     timeline::ToolArguments{0, 1, "x"}, timeline::ToolArguments{0, 0, "a"},
                     timeline::Text{0, "t"}, timeline::ReasoningEncrypted{0, "e", "i"},
                     timeline::ToolArguments{0, 0, "b"}, timeline::ToolArguments{0, 1, "y"},
                     timeline::ToolEnded{0, 0}, timeline::ToolArguments{0, 1, "z"},
                     timeline::ToolEnded{0, 1}}),
        "[Cc1 a b][Cc2 xy z][T t]<e>");
}

TEST(ItemSequence, LosesNothingInWhateverOrderItComes) {
    std::mt19937 random(7);
    for (int run = 0; run < 500; ++run) {
        std::vector<std::string> texts;
        std::vector<Event> events;
        const int calls = static_cast<int>(random() % 4);
        std::vector<int> left(static_cast<std::size_t>(calls), 3);
        texts.reserve(64);
        for (int i = 0; i < calls; ++i) {
            texts.push_back("c" + std::to_string(i));
            events.push_back(timeline::ToolStarted{0, i, texts.back(), "f"});
        }
        for (int step = 0; step < 20; ++step) {
            const auto pick = random() % 5;
            if (pick == 0) events.push_back(timeline::Text{0, "t"});
            if (pick == 1) events.push_back(timeline::Reasoning{0, "r"});
            if (pick >= 2 && calls > 0) {
                const auto call = random() % static_cast<unsigned>(calls);
                if (left[call] == 0) continue;
                events.push_back(
                    --left[call] > 0
                        ? Event(timeline::ToolArguments{0, static_cast<int>(call), "a"})
                        : Event(timeline::ToolEnded{0, static_cast<int>(call)}));
            }
        }
        const auto count = [](std::string_view text, char c) {
            return std::ranges::count(text, c);
        };
        const std::string written = sequence_of(events);
        const auto told = [&](auto is) { return std::ranges::count_if(events, is); };
        EXPECT_EQ(count(written, 't'),
                  told([](const Event& e) { return std::holds_alternative<timeline::Text>(e); }));
        EXPECT_EQ(count(written, 'r'), told([](const Event& e) {
                      return std::holds_alternative<timeline::Reasoning>(e);
                  }));
        EXPECT_EQ(count(written, 'a'), told([](const Event& e) {
                      return std::holds_alternative<timeline::ToolArguments>(e);
                  }));
        EXPECT_EQ(count(written, 'C'), calls);
    }
}

}  // namespace
}  // namespace runnel::api
