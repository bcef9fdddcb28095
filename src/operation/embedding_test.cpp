#include "operation/embedding.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel::operation {
namespace {

using Form = Embedding::Form;

std::string brought_into(Form form, Embedding embedding) {
    return bring_into(form, embedding) && embedding.form == form ? embedding.text : "failed";
}

TEST(Embedding, IsTheSameInNumbersAndInBase64) {
    // 1, -2.5, 0.1 as 32-bit floats.
    const std::string numbers = "[1,-2.5,0.1]";
    const std::string base64 = "AACAPwAAIMDNzMw9";
    EXPECT_EQ(brought_into(Form::base64, {Form::numbers, numbers}), base64);
    EXPECT_EQ(brought_into(Form::numbers, {Form::base64, base64}), numbers);
}

TEST(Embedding, StaysAsItCameWhereItIsInTheWantedForm) {
    EXPECT_EQ(brought_into(Form::numbers, {Form::numbers, "[0.12345678901234567]"}),
              "[0.12345678901234567]");
    EXPECT_EQ(brought_into(Form::base64, {Form::base64, "AACAPw=="}), "AACAPw==");
}

TEST(Embedding, HasEveryPaddingOfBase64) {
    for (const std::string numbers : {"[1]", "[1,2]", "[1,2,3]", "[1,2,3,4]"})
        EXPECT_EQ(
            brought_into(Form::numbers,
                         {Form::base64, brought_into(Form::base64, {Form::numbers, numbers})}),
            numbers);
}

TEST(Embedding, IsNotReadFromWhatIsNoFloats) {
    // Not of four bytes each; not base64; not finite.
    for (const std::string base64 : {"AACA", "????", "A", "", "AADAfw=="})
        EXPECT_EQ(brought_into(Form::numbers, {Form::base64, base64}), "failed") << base64;
}

TEST(EmbeddingRequest, ShowsItsTextsAndTakesThemBackAsTheyWereLeft) {
    EmbeddingRequest request;
    request.inputs = {{.text_escaped = "one"},
                      {.tokens_raw = "[1,2]"},
                      {.text_escaped = "two", .title_escaped = "T"}};
    request.show_words();
    ASSERT_EQ(request.asked.messages.size(), 2u);
    request.asked.messages[1].parts[0].as<chat::Text>()->text_escaped = "(gone)";
    request.take_words_back();
    EXPECT_TRUE(request.asked.messages.empty());
    EXPECT_EQ(request.inputs[0].text_escaped, "one");
    EXPECT_EQ(request.inputs[1].tokens_raw, "[1,2]");
    EXPECT_EQ(request.inputs[2].text_escaped, "(gone)");
    EXPECT_EQ(request.inputs[2].title_escaped, "T");
}

}  // namespace
}  // namespace runnel::operation
