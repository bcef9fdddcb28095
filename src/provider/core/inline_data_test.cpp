#include "provider/core/inline_data.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

TEST(InlineData, IsReadFromADataUrlAsItStandsInJson) {
    const auto data = read_data_url(R"(data:Image\/PNG;name=a.png;base64,iVBO\/w==)");
    ASSERT_TRUE(data.has_value());
    EXPECT_EQ(data->media_type, "image/png");
    EXPECT_EQ(data->base64_escaped, R"(iVBO\/w==)");
    EXPECT_EQ(read_data_url("data:;base64,eA==")->media_type, "");
}

TEST(InlineData, IsFoundWhereverTheClientPutIt) {
    const auto told = inline_data({.data_escaped = "iVBO", .media_type_escaped = R"(Image\/PNG)"});
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->media_type, "image/png");
    EXPECT_EQ(told->base64_escaped, "iVBO");
    EXPECT_EQ(inline_data({.url_escaped = "data:;base64,eA=="})->base64_escaped, "eA==");
    EXPECT_FALSE(inline_data({.url_escaped = "https://a.example/b"}).has_value());
}

TEST(InlineData, IsNothingElse) {
    for (const std::string_view url :
         {"", "https://a.example/,", "data:image/png;base64", "data:text/plain,hello", "iVBO"})
        EXPECT_FALSE(read_data_url(url).has_value()) << url;
}

TEST(Words, AreTextRefusalsAndPlainDocuments) {
    const auto words = [](const chat::Part& part) {
        std::string out;
        if (is_words(part)) append_words(out, part);
        return out;
    };
    EXPECT_EQ(words({chat::Text{R"(\"a\")"}}), R"(\"a\")");
    EXPECT_EQ(words({chat::Refusal{"no"}}), "no");
    EXPECT_EQ(words({chat::File{.text_escaped = "text"}}), "text");
    EXPECT_EQ(words({chat::File{
                  .text_escaped = "text", .filename_escaped = "a.txt", .context_escaped = "old"}}),
              R"(a.txt\n\nold\n\ntext)");
    EXPECT_FALSE(is_words({chat::File{.source = {.file_id_escaped = "f"}}}));
    EXPECT_FALSE(is_words({chat::Reasoning{.text_escaped = "hm"}}));
}

}  // namespace
}  // namespace runnel::provider
