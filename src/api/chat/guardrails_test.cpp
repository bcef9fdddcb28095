#include "api/chat/request.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<chat::Request> read_with(std::string_view guardrails) {
    json::Parser parser;
    return read_chat_request(
        fmt::format(R"({{"messages":[{{"role":"user","content":"Hi"}}],"guardrails":{}}})",
                    guardrails),
        &parser);
}

TEST(OpenAiGuardrails, AreNamesOrFlags) {
    EXPECT_THAT(read_with(R"(["pii","mine"])")->gateway.guardrails, ElementsAre("pii", "mine"));
    EXPECT_THAT(read_with(R"({"pii":true,"mine":false})")->gateway.guardrails, ElementsAre("pii"));
}

TEST(OpenAiGuardrails, SayWhatIsWrongWithThem) {
    const auto problem = [](std::string_view guardrails, std::string_view param) {
        const auto read = read_with(guardrails);
        EXPECT_FALSE(read);
        if (read) return std::string();
        EXPECT_EQ(read.error().kind, ErrorKind::invalid_value);
        EXPECT_EQ(read.error().param, param);
        return read.error().message;
    };
    EXPECT_THAT(problem(R"("pii")", "guardrails"), HasSubstr("an array of names"));
    EXPECT_THAT(problem(R"(["pii",1])", "guardrails[1]"), HasSubstr("a string"));
    EXPECT_THAT(problem(R"({"pii":1})", "guardrails.pii"), HasSubstr("true or false"));
}

}  // namespace
}  // namespace runnel::api
