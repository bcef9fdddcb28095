#include "json/find_json.hpp"

#include "json/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace runnel::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> find(std::string_view text) { return find_json(text, TextEnd::own); }

// The likeliest value; empty when there is none.
std::string first(std::string_view text) {
    const auto found = find(text);
    return found.empty() ? std::string() : found.front();
}

struct Case {
    std::string_view text;
    std::string_view json;  // empty: there is none
};

void expect(std::initializer_list<Case> cases) {
    for (const Case& c : cases) EXPECT_EQ(first(c.text), c.json) << c.text;
}

TEST(FindJson, TakesATextThatIsJson) {
    expect({
        {R"({"a":1})", R"({"a":1})"},
        {"\n {\n  \"a\" : [ 1,\t2 ]\r\n}\n", R"({"a":[1,2]})"},
        {"[]", "[]"},
        {"{}", "{}"},
        {"42", "42"},
        {"-1.5e3", "-1.5e3"},
        {R"("text")", R"("text")"},
        {"null", "null"},
        {R"({"a":"line\nbreak \u00e9 \"quoted\""})", R"({"a":"line\nbreak \u00e9 \"quoted\""})"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
    });
}

TEST(FindJson, LooksIntoCodeFences) {
    expect({
        {"Here it is:\n```json\n{\n \"a\": 1\n}\n```", R"({"a":1})"},
        {"```\n[1, 2]\n```\nDone.", "[1,2]"},
        {"```json\n42\n```", "42"},
        {"```{\"a\":1}```", R"({"a":1})"},
        {"```JSON {\"a\":1} ```", R"({"a":1})"},
        {"First {this}, then:\n```json\n{\"a\":1}\n```", R"({"a":1})"},
        {"```json\n{\"a\":\"```\"}\n```", R"({"a":"```"})"},
        {"```json\n{\"a\": [1, 2\n```\nHope this helps.", R"({"a":[1,2]})"},
        {"```python\nprint(1)\n```\n```json\n{\"a\":1}\n```", R"({"a":1})"},
        {"```json\n{\"a\":1}", R"({"a":1})"},
    });
}

TEST(FindJson, LooksForObjectsAndArraysInProse) {
    expect({
        {R"(The answer is {"a": 1}, as you see.)", R"({"a":1})"},
        {R"(As in [1], it is {"a":1}.)", R"({"a":1})"},
        {R"(Use {braces}: {"a":1})", R"({"a":1})"},
        {R"(These: ["x", "y"].)", R"(["x","y"])"},
        {R"(<think>Maybe {"a":0}?</think>{"a":1})", R"({"a":1})"},
        {"As shown in [1] and [2, 3], Paris.", ""},
        {"- [ ] to do {}", ""},
        {"Paris.", ""},
        {"", ""},
    });
    EXPECT_THAT(find(R"(Either ["x"] or {"a":1} or {"b":2}.)"),
                ElementsAre(R"({"a":1})", R"({"b":2})", R"(["x"])"));
}

TEST(FindJson, RepairsWhatHasOneMeaningOnly) {
    expect({
        {R"({"a":1,})", R"({"a":1})"},
        {R"({"a":[1,2,],})", R"({"a":[1,2]})"},
        {R"({"a":True,"b":False,"c":None})", R"({"a":true,"b":false,"c":null})"},
        {R"({"a":"True, None"})", R"({"a":"True, None"})"},
        {"{\"a\":\"two\nlines\tand a tab\"}", R"({"a":"two\nlines\tand a tab"})"},
        {R"({"a":"\d+ it\'s \alpha"})", R"({"a":"\\d+ it's \\alpha"})"},
        {R"({"a":{"b":[1,{"c":2)", R"({"a":{"b":[1,{"c":2}]}})"},
        {R"({"a":1,"b":"cut off he)", R"({"a":1,"b":"cut off he"})"},
        {R"({"a":1,"b":"cut \)", R"({"a":1,"b":"cut "})"},
        {R"({"a":1,"b":"cut \u00)", R"({"a":1,"b":"cut "})"},
        {R"({"a":1,"b)", R"({"a":1})"},
        {R"({"a":1,"b":)", R"({"a":1})"},
        {R"({"a":1,"b":tr)", R"({"a":1})"},
        {R"({"a":1,"b":-)", R"({"a":1})"},
        {R"({"a":1,)", R"({"a":1})"},
    });
}

TEST(FindJson, GuessesNothing) {
    expect({
        {R"({'a':1})", ""},
        {R"({a:1})", ""},
        {R"({"a":1 "b":2})", ""},
        {R"({"a":1,,"b":2})", ""},
        {R"({"a":01})", ""},
        {R"({"a":+1})", ""},
        {R"({"a":1e999})", ""},
        {R"({"a": {"b":1}, oops})", ""},  // not the part of it that can be read
        {R"({"a": {"b":1}, oops)", ""},
        {"Use a {", ""},
        {"\"\xff\"", ""},
    });
}

TEST(FindJson, DoesNotCloseWhatWasCutOff) {
    EXPECT_THAT(find_json(R"({"a":[1,2)", TextEnd::cut_off), IsEmpty());
    EXPECT_THAT(find_json(R"({"a":[1,2]} and so)", TextEnd::cut_off),
                ElementsAre(R"({"a":[1,2]})"));
}

TEST(FindJson, HasBounds) {
    EXPECT_THAT(find(std::string(100'000, '[')), IsEmpty());
    EXPECT_THAT(find(std::string(100'000, '{')), IsEmpty());
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "[x] {y} [1,";
    EXPECT_THAT(find(many), IsEmpty());
    // Longer numbers than a reader takes are no JSON here either.
    EXPECT_THAT(find("{\"a\": " + std::string(64, '1') + "}"), SizeIs(1));
    EXPECT_THAT(find("{\"a\": " + std::string(65, '1') + "}"), IsEmpty());
}

// Whatever the text, what is found is one line of valid JSON, and found again as it is.
TEST(FindJson, FindsValidJsonOnly) {
    constexpr std::string_view letters = "{}[]\",:\\ \n`uabtrefalsn01-.eTFN'\x01";
    std::minstd_rand random(4);
    int found = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::size_t length = random() % 40; text.size() < length;)
            text += letters[random() % letters.size()];
        for (const TextEnd end : {TextEnd::own, TextEnd::cut_off})
            for (const std::string& json : find_json(text, end)) {
                ASSERT_TRUE(read_tree(json)) << text << "\n" << json;
                ASSERT_EQ(json.find('\n'), std::string::npos);
                ASSERT_THAT(find(json), ElementsAre(json)) << text;
                ++found;
            }
    }
    EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace runnel::json
