#include "guardrail/text.hpp"

#include "guardrail/findings.hpp"
#include "support/guardrail_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace runnel::guardrail {
namespace {

using testing::all_pii;
using ::testing::ElementsAre;
using testing::guardrails;
using ::testing::IsEmpty;
using testing::pattern_rule;
using testing::pii_rule;
using testing::word_rule;
using Action = GuardrailRule::Action;

// What comes of a text that arrives in pieces.
struct Told {
    std::string text;
    bool cut = false;
    std::vector<std::string> categories{};
    std::vector<std::string> pieces{};  // released by each piece, and by the end

    // Where it is cut off, what else was found may depend on what had come by then.
    friend bool operator==(const Told& a, const Told& b) {
        return a.text == b.text && a.cut == b.cut && (a.cut || a.categories == b.categories);
    }
};
std::ostream& operator<<(std::ostream& out, const Told& told) {
    return out << '"' << told.text << (told.cut ? "\" cut" : "\"");
}

class Rules {
public:
    explicit Rules(std::vector<GuardrailRule> rules)
        : written_(guardrail_bit(rules.size()) - 1),
          set_(guardrails(std::move(rules))) {
        scanner_ = *workspace_.scanner_for(*set_, written_);
    }

    Told tell(const std::vector<std::string_view>& pieces) {
        GuardrailText text(scanner_, written_, GuardrailText::Blocks::cut);
        Told told;
        const auto take = [&](std::string_view piece) {
            told.pieces.emplace_back(text.released_as_added() ? piece : text.released());
            told.text += told.pieces.back();
        };
        for (const std::string_view piece : pieces) {
            text.add(piece);
            take(piece);
        }
        text.add_last("");
        take("");
        return with_findings(std::move(told), text);
    }
    Told tell_whole(std::string_view whole) {
        GuardrailText text(scanner_, written_, GuardrailText::Blocks::cut);
        text.add_whole(whole);
        Told told;
        told.text = text.released_as_added() ? whole : text.released();
        return with_findings(std::move(told), text);
    }

private:
    Told with_findings(Told told, const GuardrailText& text) {
        told.cut = text.is_cut();
        GuardrailFindings findings;
        findings.add(text, scanner_->matcher());
        told.categories = findings.categories;
        return told;
    }

    GuardrailBits written_;
    std::shared_ptr<const GuardrailSet> set_;
    GuardrailWorkspace workspace_;
    std::shared_ptr<Scanner> scanner_;
};

bool begins_character(std::string_view text, std::size_t at) {
    return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

std::vector<std::string_view> characters(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t begin = 0, end = 1; begin < text.size(); begin = end, ++end) {
        while (!begins_character(text, end)) ++end;
        out.push_back(text.substr(begin, end - begin));
    }
    return out;
}

// The same, whether the text comes whole, in one or two pieces, or character by character.
void expect_same_for_every_split(Rules& rules, std::string_view text) {
    const Told whole = rules.tell_whole(text);
    ASSERT_EQ(rules.tell({text}), whole) << "'" << text << "' in one piece";
    for (std::size_t at = 1; at < text.size(); ++at)
        if (begins_character(text, at))
            ASSERT_EQ(rules.tell({text.substr(0, at), text.substr(at)}), whole)
                << "'" << text << "' split at " << at;
    ASSERT_EQ(rules.tell(characters(text)), whole) << "'" << text << "' by characters";
}

TEST(GuardrailText, PassesOnWhatCanNotBeginAMatch) {
    Rules rules({pii_rule({"card"})});
    EXPECT_THAT(rules.tell({"Hello", " wor", "ld, ", "bye"}).pieces,
                ElementsAre("Hello", " wor", "ld, ", "bye", ""));
}

TEST(GuardrailText, HoldsOnlyWhatMayBecomeAMatch) {
    Rules rules({pii_rule({"card"})});
    EXPECT_THAT(rules.tell({"In 20", "24 ", "we", " met"}).pieces,
                ElementsAre("In ", "", "2024 we", " met", ""));
    Rules words({word_rule("w", {"falcon"})});
    EXPECT_THAT(words.tell({"a fa", "ther and a fal", "cons"}).pieces,
                ElementsAre("a ", "father and a ", "falcons", ""));
}

TEST(GuardrailText, ShowsNothingOfAMatchThatIsSplit) {
    Rules rules({pattern_rule("card", {"4111 1111 1111 1111"})});
    const Told told = rules.tell({"Card 4111", " 1111 1111", " 1111 ok"});
    EXPECT_EQ(told.text, "Card ");
    EXPECT_TRUE(told.cut);
    EXPECT_THAT(told.pieces, ElementsAre("Card ", "", "", ""));
}

TEST(GuardrailText, RedactsAndGoesOn) {
    Rules rules({all_pii(Action::redact)});
    EXPECT_EQ(rules.tell_whole("Mail a@b.com or call +1 415-555-2671, card 4111111111111111!").text,
              "Mail [email] or call [phone], card [card]!");
}

TEST(GuardrailText, StretchesThatOverlapAreOne) {
    Rules rules({pattern_rule("x", {"abc"}, Action::redact),
                 pattern_rule("y", {"cde", "bcd"}, Action::redact)});
    EXPECT_EQ(rules.tell_whole("-abcde-abc-cde-").text, "-[x]-[x]-[y]-");
}

TEST(GuardrailText, LogsWithoutHolding) {
    Rules rules({all_pii(Action::log), pattern_rule("x", {"secret plan"}, Action::log)});
    const Told told = rules.tell({"a@b", ".com 4111 1111 1111", " 1111 sec", "ret plan"});
    EXPECT_THAT(told.pieces,
                ElementsAre("a@b", ".com 4111 1111 1111", " 1111 sec", "ret plan", ""));
    EXPECT_THAT(told.categories, ElementsAre("email", "card", "x"));
    EXPECT_THAT(rules.tell({"a@", "b. 4111 1111 1111", " 1112"}).categories, IsEmpty());
}

TEST(GuardrailText, FindsWordsInAnyCaseAndWholeOnly) {
    Rules rules({word_rule("w", {"Größe", "top secret", "bad"}, Action::redact)});
    EXPECT_EQ(rules.tell_whole("GRÖSSE größe. GRÖßE, Top Secret; badge BAD").text,
              "GRÖSSE [w]. [w], [w]; badge [w]");
}

TEST(GuardrailText, FindsWordsHoweverTheirAccentsAreWritten) {
    Rules rules({word_rule("w", {"Café", "ti\u00ea\u0301ng", "비밀", "resume"}, Action::redact)});
    for (const std::string_view text :
         {"a café.", "a CAFE\u0301.", "a tie\u0302\u0301ng.", "a tiếng.", "a tiê\u0301ng.",
          "a 비밀.", "a \u1107\u1175\u1106\u1175\u11af."}) {
        EXPECT_EQ(rules.tell_whole(text).text, "a [w].") << text;
        expect_same_for_every_split(rules, text);
    }
    for (const std::string_view text : {"a cafe.", "a cafe\u0301s.", "a resume\u0301."}) {
        EXPECT_EQ(rules.tell_whole(text).text, text);
        expect_same_for_every_split(rules, text);
    }
}

TEST(GuardrailText, AMatchThatDependsOnTheTextsEndIsFoundThere) {
    Rules rules({pattern_rule("x", {R"(\bfoo\b)", "bar$"})});
    EXPECT_TRUE(rules.tell({"a ", "foo"}).cut);
    EXPECT_EQ(rules.tell({"a ", "foo"}).text, "a ");
    EXPECT_EQ(rules.tell({"a ", "foo", "d"}).text, "a food");
    EXPECT_EQ(rules.tell({"a ", "bar"}).text, "a ");
    EXPECT_EQ(rules.tell({"a bar", "k"}).text, "a bark");
    for (const std::string_view end : {"$", R"(\Z)", R"(\z)", "(?m:$)"}) {
        Rules redacting({pattern_rule("x", {R"(\d[ -]\d)" + std::string(end)}, Action::redact)});
        for (const std::string_view text :
             {"a 0-7", "a 0-7\n", "a 0-7\n\n", "a 0-7\nb", "a 0-7 \n"})
            expect_same_for_every_split(redacting, text);
    }
}

TEST(GuardrailText, AMarkIsTheSameHoweverTheTextCame) {
    Rules rules({word_rule("w", {"falcon"}, Action::redact),
                 pattern_rule("p", {"falcon"}, Action::redact)});
    EXPECT_EQ(rules.tell_whole("a falcon x").text, "a [w] x");
    EXPECT_EQ(rules.tell({"a falcon", " x"}).text, "a [w] x");
    EXPECT_EQ(rules.tell(characters("a falcon x")).text, "a [w] x");
}

TEST(GuardrailText, WhatIsOnlyLoggedIsFoundInDisguiseHoweverItCame) {
    Rules rules({pattern_rule("p", {"secret plan"}, Action::log)});
    EXPECT_FALSE(rules.tell_whole("sec\u200Bret plan").categories.empty());
    expect_same_for_every_split(rules, "a sec\u200Bret plan, sec\u00AD\u00ADret\u00A0plan");
}

TEST(GuardrailText, AKoreanWordIsFoundWithItsParticle) {
    Rules rules({word_rule("w", {"\uBE44\uBC00"})});
    EXPECT_TRUE(rules.tell_whole("\uBE44\uBC00\uC740").cut);
    EXPECT_TRUE(rules.tell_whole("\u1107\u1175\u1106\u1175\u11AF\u110B\u1173\u11AB").cut);
}

TEST(GuardrailText, GivesUpOnMoreDisguiseThanAnybodyWouldRemember) {
    Rules rules({word_rule("w", {"falcon"})});
    std::string text;
    for (int i = 0; i < 1'100'000; ++i) text += "a\u00AD";
    EXPECT_TRUE(rules.tell_whole(text).cut);
    text.clear();
    for (int i = 0; i < 1'100'000; ++i) text += "\u00AD";
    EXPECT_FALSE(rules.tell_whole(text).cut) << "they are one stretch";
}

TEST(GuardrailText, AMatchWithoutAnEndIsNeverShown) {
    Rules rules({pattern_rule("key", {"sk-[a-z]{9,}"}, Action::redact)});
    std::vector<std::string> held{"key sk-abcdefghijklmnopqrstuvwxyz"};
    for (int i = 0; i < 100; ++i) held.emplace_back(500, 'x');
    held.emplace_back(" end");
    const Told told = rules.tell(std::vector<std::string_view>(held.begin(), held.end()));
    EXPECT_TRUE(told.cut) << "it goes on for longer than anybody would hold it";
    EXPECT_TRUE(told.text == "key ") << told.text.size();
}

TEST(GuardrailText, AfterAPauseAMatchGoesOn) {
    const auto set = guardrails({pii_rule({"card"}), pii_rule({"email"}, Action::redact)});
    GuardrailWorkspace workspace;
    GuardrailText text(*workspace.scanner_for(*set, 3), 3, GuardrailText::Blocks::cut);
    text.add("Card 4111 1111");
    EXPECT_EQ(text.released(), "Card ");
    text.add_last("");
    EXPECT_EQ(text.released(), "4111 1111");
    text.add(" 1111 11");
    EXPECT_EQ(text.released(), "");
    text.add("11.");
    EXPECT_EQ(text.released(), "");
    EXPECT_TRUE(text.is_cut());
}

// Words, numbers and the beginnings of matches, with matches among them.
std::string random_text(std::mt19937& random) {
    static constexpr std::string_view pieces[] = {"Hello",
                                                  " ",
                                                  "world",
                                                  ", ",
                                                  "4111",
                                                  " 1111",
                                                  "1111 ",
                                                  "-1111-1111-1111",
                                                  "a@b",
                                                  ".com",
                                                  "@",
                                                  "DE89",
                                                  " 3704 0044",
                                                  "0532",
                                                  " 0130 00",
                                                  "+1 415",
                                                  "-555-",
                                                  "2671",
                                                  "é",
                                                  "日本",
                                                  "sk-",
                                                  "abcdefghijklmnopqrst",
                                                  "falcon",
                                                  "fal",
                                                  "con",
                                                  "AKIA",
                                                  "IOSFODNN7EXAMPLE",
                                                  "eyJ",
                                                  "\n",
                                                  "xoxb-",
                                                  "1234567890",
                                                  "(",
                                                  ")",
                                                  "🙂",
                                                  "4111111111111111",
                                                  "jane@example.com",
                                                  "DE89370400440532013000",
                                                  "Falcon",
                                                  "\u200b",
                                                  "\u00ad",
                                                  "\u00a0",
                                                  "\u2011",
                                                  "4\u200b111\u00a01111",
                                                  "f\u2060al",
                                                  "\ufeff1111\u202f1111",
                                                  "DE\u200d89\u00a03704",
                                                  "0044\u20110532 0130 00"};
    std::string text;
    for (auto i = random() % 12 + 1; i > 0; --i) text += pieces[random() % std::size(pieces)];
    return text;
}

TEST(GuardrailText, GivesTheSameForEverySplit) {
    Rules all[] = {
        Rules({all_pii()}), Rules({all_pii(Action::redact)}),
        Rules({pii_rule({"card"}), pii_rule({"email", "secret", "iban"}, Action::redact),
               word_rule("w", {"falcon", "日本"}, Action::redact),
               pii_rule({"phone"}, Action::log)}),
        Rules({pattern_rule("p", {R"(\b[a-z]{3,9}\b)", "1{2,5}", R"(\d[ -]\d)", "o.{1,3}"},
                            Action::redact),
               word_rule("w", {"falcon"})}),
        Rules({pattern_rule("p", {R"(\x{200b}\w)", "[^ -~]{2}"}, Action::redact),
               word_rule("w", {"falcon"}, Action::redact), pii_rule({"card"}, Action::redact)})};
    std::mt19937 random(1);
    for (int i = 0; i < 150; ++i) {
        const std::string text = random_text(random);
        for (Rules& rules : all) {
            expect_same_for_every_split(rules, text);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(GuardrailText, IsUnchangedWhereNothingMatches) {
    Rules rules({all_pii(), word_rule("w", {"falcon"})});
    std::mt19937 random(2);
    int unchanged = 0;
    for (int i = 0; i < 300; ++i) {
        const std::string text = random_text(random);
        const Told told = rules.tell(characters(text));
        if (told.cut) continue;
        ++unchanged;
        EXPECT_EQ(told.text, text);
    }
    EXPECT_GT(unchanged, 100);
}

// The text with characters that nobody sees in some places, and spaces and dashes of other kinds.
std::string disguised(std::string_view text, std::mt19937& random) {
    static constexpr std::string_view unseen[] = {"\u200b", "\u200c",       "\u200d", "\u2060",
                                                  "\ufeff", "\u00ad\u200b", "\u200e"};
    static constexpr std::string_view spaces[] = {" ", "\u00a0", "\u202f", "\u2009", "\u3000"};
    static constexpr std::string_view dashes[] = {"-", "\u2010", "\u2011", "\u2013", "\u2212"};
    const auto one_of = [&](const auto& all) { return all[random() % std::size(all)]; };
    std::string out;
    for (const std::string_view character : characters(text)) {
        out += character == " " ? one_of(spaces) : character == "-" ? one_of(dashes) : character;
        if (random() % 3 == 0) out += one_of(unseen);
    }
    return out;
}

TEST(GuardrailText, FindsInDisguiseWhatItFindsInPlainText) {
    Rules all[] = {
        Rules({all_pii()}), Rules({all_pii(Action::log)}),
        Rules({word_rule("w", {"falcon", "hello world", "world, hello"}),
               pattern_rule("p", {R"(\bcon\b)", "1{2,5}-1", "com Hello"}, Action::redact)})};
    std::mt19937 random(4);
    int found = 0;
    for (int i = 0; i < 120; ++i) {
        std::string text;
        for (const char c : random_text(random))
            if (static_cast<unsigned char>(c) < 0x80) text += c;
        const std::string other = disguised(text, random);
        for (Rules& rules : all) {
            const Told plain = rules.tell_whole(text);
            const Told told = rules.tell_whole(other);
            for (const std::string& category : plain.categories)
                if (!told.cut)
                    EXPECT_THAT(told.categories, ::testing::Contains(category))
                        << text << " as " << other;
            EXPECT_GE(told.cut, plain.cut) << text << " as " << other;
            found += plain.categories.empty() ? 0 : 1;
            expect_same_for_every_split(rules, other);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(found, 60);
}

TEST(GuardrailText, WhatLooksLikeNoMatchPassesAsItIsWritten) {
    Rules rules({all_pii(), word_rule("w", {"falcon"})});
    for (const std::string_view text :
         {"\u2060Caf\u00e9\u00a0: 10\u202f000\u00a0\u20ac \u2013 oui\u00ad!",
          "\U0001f469\u200d\U0001f4bb", "\u200b",
          "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627 1\u200b2"}) {
        EXPECT_EQ(rules.tell_whole(text).text, text);
        EXPECT_EQ(rules.tell(characters(text)).text, text);
    }
}

TEST(GuardrailText, HoldsNoMoreThanItReads) {
    Rules rules({word_rule("w", {"falcon"})});
    EXPECT_THAT(rules.tell({"a fal", "\u200b", "\u00ad", "con"}).pieces,
                ElementsAre("a ", "", "", "", ""));
    EXPECT_THAT(rules.tell({"a fal", "\u200b", "se", " go"}).pieces,
                ElementsAre("a ", "", "fal\u200bse", " go", ""));
    EXPECT_THAT(rules.tell({"no\u200b", "thing", "\u00a0", "here"}).pieces,
                ElementsAre("no\u200b", "thing", "\u00a0", "here", ""));
    std::vector<std::string_view> endless(6000, "\u200b");
    endless.front() = "f";
    EXPECT_TRUE(rules.tell(endless).cut) << "of 18 KiB, nobody knows what they become";
}

TEST(GuardrailText, PlantedMatchesNeverShow) {
    Rules rules({all_pii()});
    static constexpr std::string_view planted[] = {
        "4111 1111 1111 1111", "jane.doe@example.com",          "DE89 3704 0044 0532 0130 00",
        "+49 30 1234567",      "sk-abcdefghijklmnopqrstuvwxyz", "AKIAIOSFODNN7EXAMPLE"};
    for (const std::string_view match : planted) {
        const std::string text = "before: " + std::string(match) + " after";
        for (std::size_t size = 1; size < 12; ++size) {
            std::vector<std::string_view> pieces;
            for (std::size_t at = 0; at < text.size(); at += size)
                pieces.push_back(std::string_view(text).substr(at, size));
            const Told told = rules.tell(pieces);
            EXPECT_TRUE(told.cut) << match;
            EXPECT_EQ(told.text, "before: ") << match << " by " << size;
        }
    }
}

}  // namespace
}  // namespace runnel::guardrail
