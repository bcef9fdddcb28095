#include "guardrail/registry.hpp"
#include "support/guardrail_rules.hpp"

#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

using testing::redacted;

TEST(Words, AreFoundWholeInAnyCase) {
    EXPECT_EQ(redacted("words", {"falcon", "top secret"}, "Falcon, falcons and TOP SECRET."),
              "[found], falcons and [found].");
    EXPECT_EQ(redacted("words", {"Größe"}, "GRÖSSE GRÖßE gro\u0308ße"), "GRÖSSE [found] [found]");
}

TEST(Words, AreNoPatterns) {
    EXPECT_EQ(redacted("words", {"a.b"}, "a.b axb"), "[found] axb");
    EXPECT_EQ(redacted("words", {"(*) [x] é\\"}, "((*) [X] É\\)"), "([found])");
    EXPECT_FALSE(words_detector().shapes(""));
    EXPECT_FALSE(words_detector().shapes("two\nlines"));
}

TEST(Words, AreFoundHoweverTheirAccentsAreWritten) {
    struct Written {
        const char* in_one;
        const char* apart;
    };
    for (const auto& [in_one, apart] :
         {Written{"é", "e\u0301"}, Written{"ế", "e\u0302\u0301"}, Written{"ế", "ê\u0301"},
          Written{"й", "и\u0306"}, Written{"が", "か\u3099"}, Written{"한", "하\u11ab"},
          Written{"한", "\u1112\u1161\u11ab"}, Written{"ᾂ", "α\u0313\u0300\u0345"},
          Written{"ো", "\u09c7\u09be"}})
        for (const char* word : {in_one, apart}) {
            EXPECT_EQ(redacted("words", {word}, in_one), "[found]") << word;
            EXPECT_EQ(redacted("words", {word}, apart), "[found]") << word;
        }
}

TEST(WholeWords, AreBoundedInEveryScript) {
    const auto whole = [](std::string_view text, std::string_view word) {
        const std::size_t at = text.find(word);
        return is_whole_word({text, at, at + word.size()});
    };
    EXPECT_TRUE(whole("the cat sat", "cat"));
    EXPECT_TRUE(whole("cat", "cat"));
    EXPECT_TRUE(whole("«cat»…", "cat"));
    EXPECT_TRUE(whole("über alles", "über"));
    EXPECT_TRUE(whole("这是秘密文件", "秘密"));
    EXPECT_TRUE(whole("x🙂cat🙂", "cat"));
    EXPECT_FALSE(whole("concat", "cat"));
    EXPECT_FALSE(whole("cats", "cat"));
    EXPECT_FALSE(whole("dörfer", "rfer"));
    EXPECT_FALSE(whole("cat_1", "cat"));
    EXPECT_TRUE(whole("a C++ b", "C++"));
    EXPECT_TRUE(whole("गोपनीय।", "गोपनीय"));
    EXPECT_TRUE(whole("μυστικό;", "μυστικό"));
    EXPECT_FALSE(whole("секретный", "секрет"));
}

}  // namespace
}  // namespace runnel::guardrail
