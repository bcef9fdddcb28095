#include "provider/registry.hpp"
#include "support/chat_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using Kind = chat::OutputFormat::Kind;
using Form = timeline::Started::Form;

chat::Request asking(Kind kind) {
    chat::Request request = testing::hello();
    request.output.kind = kind;
    request.output.name = "n";
    if (kind == Kind::json_schema) request.output.schema_raw = R"({"type":"object"})";
    return request;
}

struct Row {
    std::string kind;
    std::string_view model;
    Form json_object;
    Form json_schema;
};

// Where the provider only hears of the format in words, the gateway has to look at the answer.
TEST(OutputForm, IsKeptByProvidersThatHaveAModeForIt) {
    const Row rows[] = {
        {"openai", "gpt-4o", Form::kept, Form::kept},
        {"openai-compatible", "m", Form::kept, Form::kept},
        {"deepseek", "deepseek-chat", Form::kept, Form::free},
        {"anthropic", "claude-sonnet-4-5", Form::free, Form::kept},
        {"anthropic", "claude-3-5-haiku", Form::free, Form::free},
        {"gemini", "gemini-2.5-flash", Form::kept, Form::kept},
        {"ollama", "llama3.2", Form::kept, Form::kept},
        {"demo", "text", Form::kept, Form::kept},
        {"demo", "echo", Form::free, Form::free},
    };
    for (const Row& row : rows) {
        const auto provider =
            make_provider({.name = row.kind, .kind = row.kind, .base_url = "http://localhost/v1"});
        ASSERT_TRUE(provider) << row.kind;
        const auto form = [&](const chat::Request& request) {
            return (*provider)->write_request(request, row.model)->form;
        };
        EXPECT_EQ(form(asking(Kind::unsaid)), Form::free) << row.kind;
        EXPECT_EQ(form(asking(Kind::text)), Form::free) << row.kind;
        EXPECT_EQ(form(asking(Kind::json_object)), row.json_object) << row.kind << row.model;
        EXPECT_EQ(form(asking(Kind::json_schema)), row.json_schema) << row.kind << row.model;
    }
}

TEST(OutputForm, IsNotKeptByGeminiModelsThatRefuseItBesideTools) {
    chat::Request request = asking(Kind::json_schema);
    request.tools = {testing::tool("find")};
    const auto gemini = make_provider({.name = "gemini", .kind = "gemini", .base_url = ""});
    EXPECT_EQ((*gemini)->write_request(request, "gemini-2.5-flash")->form, Form::free);
    EXPECT_EQ((*gemini)->write_request(request, "gemini-3-pro")->form, Form::kept);
}

}  // namespace
}  // namespace runnel::provider
