#include "tools/written_calls/text_call_scanner.hpp"

#include "json/text.hpp"

#include <gtest/gtest.h>

#include <random>

namespace runnel::tools {
namespace {

const std::vector<std::string> tools = {"gas", "get_balance"};

struct Found {
    std::string text;  // plain
    std::vector<std::string> calls;

    friend bool operator==(const Found&, const Found&) = default;
};

std::ostream& operator<<(std::ostream& out, const Found& found) {
    out << "text: " << found.text << "\n";
    for (const std::string& call : found.calls) out << "call: " << call << "\n";
    return out;
}

std::string escaped(std::string_view plain) {
    std::string out;
    json::append_escaped(out, plain);
    return out;
}

// Collects what a scanner tells.
struct Collector {
    TextCallScanner::Listener listener() {
        return {[this](std::string_view text) {
                    EXPECT_FALSE(text.empty());
                    json::append_unescaped(found.text, text);
                },
                [this](const WrittenCall& call) {
                    found.calls.push_back(call.name + call.arguments.value_or("(none)"));
                }};
    }
    Found found;
};

Found scanned(std::span<const std::string> pieces) {
    TextCallScanner scanner(tools);
    Collector collector;
    for (const std::string& piece : pieces) scanner.feed(escaped(piece), collector.listener());
    scanner.finish(collector.listener());
    EXPECT_FALSE(scanner.is_holding());
    return collector.found;
}

Found scanned(std::string_view text) { return scanned(std::vector{std::string(text)}); }

// Where a text can be cut into events: not inside of a character.
std::vector<std::size_t> cuts_of(std::string_view text) {
    std::vector<std::size_t> cuts;
    for (std::size_t at = 0; at <= text.size(); ++at)
        if (at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80)
            cuts.push_back(at);
    return cuts;
}

// However the text is cut, the same is found in it.
void expect_found(const std::string& text, const Found& expected) {
    EXPECT_EQ(scanned(text), expected) << text;
    std::vector<std::string> characters;
    const auto cuts = cuts_of(text);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const std::size_t at = cuts[i];
        characters.push_back(text.substr(at, cuts[i + 1] - at));
        EXPECT_EQ(scanned(std::vector{text.substr(0, at), text.substr(at)}), expected)
            << text << "\ncut at " << at;
    }
    EXPECT_EQ(scanned(characters), expected) << text << "\ncharacter by character";
}

struct Form {
    std::string written;
    std::vector<std::string> calls;
};

const std::string gas = R"({"name": "gas", "arguments": {"chain": "base"}})";
const std::string gas_call = R"(gas{"chain": "base"})";

const std::vector<Form> forms = {
    {gas, {gas_call}},
    {R"({"name":"gas","parameters":{}})", {"gas{}"}},
    {R"({"arguments":{"a":[1,{"b":"}]"}]},"name":"gas"})", {R"(gas{"a":[1,{"b":"}]"}]})"}},
    {R"({"name":"gas","arguments":"{\"chain\":\"base\"}"})", {R"(gas{"chain":"base"})"}},
    {R"({"name":"gas","arguments":null})", {"gas{}"}},
    {R"({"id":"call_1","type":"function","name":"gas","arguments":{}})", {"gas{}"}},
    {R"({"type":"function","function":{"name":"gas","arguments":"{}"}})", {"gas{}"}},
    {"[" + gas + ", " + gas + "]", {gas_call, gas_call}},
    {R"({"tool_calls":[{"id":"1","type":"function","function":{"name":"gas","arguments":"{}"}},)"
     R"({"name":"get_balance","arguments":{"of":"0x1"}}]})",
     {"gas{}", R"(get_balance{"of":"0x1"})"}},
    {"```json\n" + gas + "\n```", {gas_call}},
    {"```\n" + gas + "```", {gas_call}},
    {"```tool_call\n[" + gas + "]\n```", {gas_call}},
    {"```json\n" + gas + "\n" + gas + "\n```", {gas_call, gas_call}},
    {"`" + gas + "`", {gas_call}},
    {"<tool_call>" + gas + "</tool_call>", {gas_call}},
    {"<tool_call>\n" + gas + "\n</tool_call>", {gas_call}},
    {R"(<tool_call>{"name":"gas"}</tool_call>)", {"gas(none)"}},
    {"<tool_call>\n```json\n" + gas + "\n```\n</tool_call>", {gas_call}},
    {"```xml\n<tool_call>" + gas + "</tool_call>\n```", {gas_call}},
    {"<tool_calls>[" + gas + "," + gas + "]</tool_calls>", {gas_call, gas_call}},
    {"<tool_calls>\n" + gas + "\n" + gas + "\n</tool_calls>", {gas_call, gas_call}},
    {"<tool_calls><tool_call>" + gas + "</tool_call><tool_call>" + gas +
         "</tool_call></tool_calls>",
     {gas_call, gas_call}},
    {R"({"name":"gas","arguments":{"chain":"grüße 🎉 \" \\ \u00e9 </tool_call> ``` "}})",
     {R"(gas{"chain":"grüße 🎉 \" \\ \u00e9 </tool_call> ``` "})"}},
    {"{\"name\":\"gas\",\"arguments\":{\"chain\":\"two\nlines\"}}",
     {R"(gas{"chain":"two\nlines"})"}},
};

TEST(TextCallScanner, FindsEveryFormInEveryPlaceHoweverItIsCut) {
    const std::vector<std::pair<std::string, std::string>> prose = {
        {"", ""},
        {"Let me look: ", " One moment."},
        {"Grüße 🎉.\n\n", "\n\n`x` and [1](y) <b>{z}</b>"},
        {"It is {a: 1}, [x] or \"q\": no. ", ""},
    };
    for (const Form& form : forms)
        for (const auto& [before, after] : prose)
            expect_found(before + form.written + after, {before + after, form.calls});
}

TEST(TextCallScanner, TakesTheWhiteSpaceAroundCallsAlong) {
    expect_found("\n\n" + gas + "\n" + gas + "\n", {"", {gas_call, gas_call}});
    expect_found("\n" + gas + "\n\nDone.\n", {"\n\nDone.\n", {gas_call}});
    expect_found(" \n ", {" \n ", {}});
}

TEST(TextCallScanner, DoesNotMindWhatAModelLeavesOpen) {
    expect_found("<tool_call>\n" + gas, {"", {gas_call}});
    expect_found("<tool_call>" + gas + "</tool_", {"", {gas_call}});
    expect_found("```json\n" + gas + "\n", {"", {gas_call}});
    expect_found("<tool_call>" + gas + "\n<tool_call>" + gas + "</tool_call>",
                 {"", {gas_call, gas_call}});
    expect_found("<tool_call>" + gas + "\nI wait.", {"I wait.", {gas_call}});
}

const std::vector<std::string> ordinary = {
    R"({"name": "Alice", "age": 3})",
    R"({"name": "gas"})",
    R"({"name": "gas", "description": "what it costs"})",
    R"({"name": "gasoline", "arguments": {}})",
    R"({"name": "ga", "arguments": {}})",
    R"({"name": "unknown", "arguments": {"name":"x"}})",
    R"([{"name": "gas", "arguments": {}}, {"name": "unknown", "arguments": {}}])",
    R"([{"name": "unknown", "arguments": {}}, {"name": "gas", "arguments": {}}])",
    R"({"tools": [{"name": "gas", "arguments": {}}]})",
    R"({"call": {"name": "gas", "arguments": {}}, "more": {"name": "gas", "arguments": {}}})",
    R"({"name": "gas", "arguments": [1]})",
    R"({"name": "gas", "arguments": {"a": nonsense}})",
    R"({"name": "gas", "arguments": {"a": ]}})",
    R"({"name": "gas", "arguments": {})",
    R"({"name": 7, "arguments": {}})",
    R"({"type": "object", "properties": {}})",
    R"({"tool_calls": []} [] {} [[]] {{}} [{}])",
    "```json\n{\"name\": \"Alice\"}\n```\n",
    "```json\n{\"name\": \"gas\", \"arguments\": {}}\n// and so on\n```",
    "```python\ncall = {\"name\": \"gas\", \"arguments\": {}}\n```\nas above",
    "``` ``` ```` ` `` `a` ```\n```",
    "<tool_call>gas</tool_call>",
    "<tool_call>{\"name\":\"unknown\"}</tool_call>",
    "<tool_call></tool_call> <tool_calls>\n</tool_calls>",
    "<tool_call>{\"name\":\"gas\"}</tool_calls>",
    "<tool> <tools_call> <tool_caller> </tool_call> < <<",
    "<div class=\"x\">{\"a\":[1,2]}</div>",
    "a < b, c > d, [link](http://x) {x} \\ \" \t \x01 \x7f",
    "if (x) { return [1, 2, {\"id\": \"a\", \"title\": \"b\"}]; }",
    "{\"name\": \"g\\u0061s\", \"arguments\": {}}",
    "\n\n  Grüße 🎉 \n",
    "`gas` calls ``{}``",
};

TEST(TextCallScanner, ShowsAllElseAsItCame) {
    for (const std::string& text : ordinary) {
        expect_found(text, {text, {}});
        expect_found("Look:\n" + text + "\nThat is it.", {"Look:\n" + text + "\nThat is it.", {}});
    }
}

// Bytes, not only characters: an escape stays the escape that it was.
TEST(TextCallScanner, DoesNotTouchTheEscapesOfText) {
    const std::string text = R"({\"a\":\"\/\"} \u0001 \\ \/ [\n{\"name\":\"gas)";
    TextCallScanner scanner(tools);
    std::string told;
    const TextCallScanner::Listener listener{[&](std::string_view piece) { told += piece; },
                                             [](const WrittenCall&) { FAIL(); }};
    scanner.feed(text, listener);
    scanner.finish(listener);
    EXPECT_EQ(told, text);
}

TEST(TextCallScanner, HoldsOnlyWhatMayBeACall) {
    const auto held_after = [](std::string_view text) {
        TextCallScanner scanner(tools);
        Collector collector;
        scanner.feed(escaped(text), collector.listener());
        return text.size() - collector.found.text.size();
    };
    EXPECT_EQ(held_after("Some text"), 0u);
    EXPECT_EQ(held_after("Some text {"), 1u);
    EXPECT_EQ(held_after(R"(So {"na)"), 4u);
    EXPECT_EQ(held_after(R"(So {"nat)"), 0u);
    EXPECT_EQ(held_after(R"(So {"name":"g)"), 10u);
    EXPECT_EQ(held_after(R"(So {"name":"go)"), 0u);
    EXPECT_EQ(held_after(R"(So {"name":"gas","d)"), 0u);
    EXPECT_EQ(held_after("So `x"), 0u);
    EXPECT_EQ(held_after("So ```py"), 5u);
    EXPECT_EQ(held_after("So ```py\nx"), 0u);
    EXPECT_EQ(held_after("So [1"), 0u);
    EXPECT_EQ(held_after("So <to"), 3u);
    EXPECT_EQ(held_after("So <tod"), 0u);
    EXPECT_EQ(held_after(R"(So {"name":"gas","arguments":{)" + std::string(1 << 20, ' ')), 0u);
}

// Calls and other text in any order, cut anywhere: every call is found once, all else is told.
TEST(TextCallScanner, FindsCallsAmongAnyText) {
    std::minstd_rand random(7);
    const auto below = [&](std::size_t count) { return random() % count; };
    const std::vector<std::string> prose = {
        " text ", " It's {so}. ", " `code` ", "\n```py\nx = {}\n```\n", " a\nb ", "ü🎉 "};
    for (int run = 0; run < 300; ++run) {
        std::string text;
        std::string shown;
        std::vector<std::string> calls;
        for (std::size_t n = 1 + below(6); n > 0; --n) {
            const std::string& words = prose[below(prose.size())];
            const Form& form = forms[below(forms.size())];
            text += words + form.written;
            shown += words;
            calls.insert(calls.end(), form.calls.begin(), form.calls.end());
        }
        text += " end";
        shown += " end";
        std::vector<std::string> pieces;
        std::size_t begin = 0;
        for (const std::size_t cut : cuts_of(text))
            if (cut == text.size() || below(5) == 0) {
                pieces.push_back(text.substr(begin, cut - begin));
                begin = cut;
            }
        EXPECT_EQ(scanned(pieces), (Found{shown, calls})) << text;
    }
}

}  // namespace
}  // namespace runnel::tools
