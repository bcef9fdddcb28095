#include "json/parser.hpp"

#include <gtest/gtest.h>

namespace runnel::json {
namespace {

// Parses {"x":<raw>} and hands out the value of x. What it returns lives as long as the object.
class Document {
public:
    explicit Document(std::string_view raw) : text_(R"({"x":)" + std::string(raw) + "}") {
        if (parser_.parse(Padded::of(text_), document_)) ADD_FAILURE() << text_;
        if (document_.get_object().get(object_)) ADD_FAILURE() << text_;
        if (object_["x"].get(value_)) ADD_FAILURE() << text_;
    }
    ondemand::value value() { return value_; }

private:
    std::string text_;
    Parser parser_;
    ondemand::document document_;
    ondemand::object object_;
    ondemand::value value_;
};

simdjson::error_code validated(std::string text, std::size_t depth_max = 100) {
    Parser parser;
    ondemand::document document;
    if (const auto error = parser.parse_strict(Padded::of(text), document)) return error;
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    return validate(object, depth_max);
}

std::int64_t integer_of(std::string_view raw, std::int64_t otherwise = -1) {
    Document document(raw);
    std::int64_t out = 0;
    return integer(document.value(), out) ? out : otherwise;
}

TEST(JsonParser, HandsOutStringsEscapedAndPlain) {
    std::string_view escaped;
    Document first(R"("a\n\"b"  )");
    EXPECT_TRUE(escaped_string(first.value(), escaped));
    EXPECT_EQ(escaped, R"(a\n\"b)");
    std::string plain;
    Document second(R"("a\n\"b")");
    EXPECT_TRUE(plain_string(second.value(), plain));
    EXPECT_EQ(plain, "a\n\"b");
    for (const char* other : {"1", "null", "[\"a\"]", "{}"}) {
        Document no_string(other);
        EXPECT_FALSE(escaped_string(no_string.value(), escaped)) << other;
    }
}

TEST(JsonParser, HandsOutRawValuesWithoutTheSpaceAfterThem) {
    for (const std::string raw :
         {R"({ "a" : [1, 2] })", "[ 1 ,2 ]", "\"s \"", "-1.5e3", "true", "null"}) {
        Document document(raw + " \n ");
        std::string_view out;
        EXPECT_TRUE(raw_value(document.value(), out));
        EXPECT_EQ(out, raw);
    }
}

TEST(JsonParser, ReadsIntegersHoweverTheyAreWritten) {
    EXPECT_EQ(integer_of("12"), 12);
    EXPECT_EQ(integer_of("-3"), -3);
    EXPECT_EQ(integer_of("12.0"), 12);
    EXPECT_EQ(integer_of("1e3"), 1000);
    EXPECT_EQ(integer_of("\"12\""), 12);
    EXPECT_EQ(integer_of("9223372036854775807"), INT64_MAX);
}

TEST(JsonParser, RefusesWhatIsNoInteger) {
    for (const char* raw : {"12.5", "\"\"", "\"1x\"", "null", "true", "99999999999999999999"})
        EXPECT_EQ(integer_of(raw), -1) << raw;
}

TEST(JsonParser, KnowsNull) {
    Document null("null");
    EXPECT_TRUE(is_null(null.value()));
    Document text("\"null\"");
    EXPECT_FALSE(is_null(text.value()));
}

TEST(JsonParser, SpellsBytesThatAreNotUtf8AsLoneSurrogates) {
    Document document("\"a\xC3\"");
    std::string_view out;
    EXPECT_TRUE(escaped_string(document.value(), out));
    EXPECT_EQ(out, R"(a\udcc3)");
}

TEST(JsonParser, RefusesBytesThatAreNotUtf8WhenStrict) {
    EXPECT_EQ(validated("{\"a\":\"\xC3\"}"), simdjson::UTF8_ERROR);
    EXPECT_EQ(find_invalid_utf8("aé\xC3"), 3U);
    EXPECT_EQ(find_invalid_utf8("aé"), std::string_view::npos);
}

TEST(JsonParser, TakesKeysWithQuotesInThem) {
    std::string text = R"({"a\"b\\":1})";
    Parser parser;
    ondemand::document document;
    ASSERT_FALSE(parser.parse(Padded::of(text), document));
    ondemand::object object;
    ASSERT_FALSE(document.get_object().get(object));
    for (auto result : object) {
        ondemand::field field;
        ASSERT_FALSE(std::move(result).get(field));
        EXPECT_EQ(escaped_key(field), R"(a\"b\\)");
    }
}

TEST(JsonParser, ValidatesEverythingBelowAValue) {
    EXPECT_FALSE(validated(R"({"a":[1,2.5e1,"x\u00e9",true,false,null,{}],"b":{"c":[]}})"));
    EXPECT_FALSE(validated(R"({"large":123456789012345678901234567890})"));
    for (const char* bad :
         {R"({"a":[1,]})", R"({"a":{"b"}})", R"({"a":tru})", R"({"a":nul})", R"({"a":01})",
          R"({"a":1.})", R"({"a":"\x"})", R"({"a":["\u12"]})", R"({"\x":1})", R"({"a":{"b":1})",
          R"({"a":[})", R"({"a")", R"({"a":1,})", R"({"a":+1})", R"({"a":'b'})", "{\"a\":\"\t\"}",
          R"({"a":"b)"})
        EXPECT_TRUE(validated(bad)) << bad;
}

TEST(JsonParser, CountsTheRootAsOneLevel) {
    EXPECT_FALSE(validated(R"({"a":1})", 1));
    EXPECT_EQ(validated(R"({"a":[]})", 1), simdjson::DEPTH_ERROR);
    EXPECT_FALSE(validated(R"({"a":[{}]})", 3));
    EXPECT_EQ(validated(R"({"a":[{}]})", 2), simdjson::DEPTH_ERROR);
}

TEST(JsonParser, TakesTheSpaceOutBetweenTokensOnly) {
    std::string out = "x";
    append_compact(out, "{ \"a b\" :\n[ 1 , \"c  d\" ] }");
    EXPECT_EQ(out, R"(x{"a b":[1,"c  d"]})");
}

TEST(JsonParser, TakesATreeForWholeOnlyWhenNothingIsBehindIt) {
    for (const char* whole : {"{}", " [1, {\"a\": [true, null]}] \n", "{\"a\": \"}\"}"})
        EXPECT_TRUE(is_whole(whole)) << whole;
    for (const char* broken : {"", "1", "{", "{}{}", "[1] 2", "{\"a\":}", "[1,]", "{} x"})
        EXPECT_FALSE(is_whole(broken)) << broken;
}

TEST(JsonParser, HasABoundOnTheLengthOfNumbers) {
    EXPECT_FALSE(validated(R"({"a":[)" + std::string(64, '1') + " ,2]}"));
    EXPECT_EQ(validated(R"({"a":[)" + std::string(65, '1') + ",2]}"),
              simdjson::NUMBER_OUT_OF_RANGE);
}

TEST(JsonParser, CountsValuesBeforeItParses) {
    EXPECT_FALSE(has_more_values(R"({"a":[1,2,{"b":"x,[{\",["}]})", 6));
    EXPECT_TRUE(has_more_values(R"({"a":[1,2,{"b":"x,[{\",["},3]})", 6));
    EXPECT_FALSE(has_more_values(R"(["an open string, [1,2,3,4,5,6)", 2));
    EXPECT_FALSE(has_more_values("", 0));
}

}  // namespace
}  // namespace runnel::json
