#include "api/chat/request.hpp"

#include "api/tool_names.hpp"
#include "base/limits.hpp"
#include "json/text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace runnel::api {
namespace {

using chat::Part;
using chat::Request;
using chat::ToolChoice;

Result<Request> read(std::string body) {
    json::Parser parser;
    auto request = read_chat_request(std::move(body), &parser);
    if (!request) return request;
    if (auto checked = check_chat_request(*request); !checked) return propagate(checked);
    return request;
}

// A request with one user message and these fields beside it.
std::string with(std::string_view fields) {
    return fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":"Hi"}}]{}{}}})",
                       fields.empty() ? "" : ",", fields);
}

std::string with_messages(std::string_view messages) {
    return fmt::format(R"({{"model":"m","messages":[{}]}})", messages);
}

std::string tool(std::string_view name, std::string_view more = "") {
    return fmt::format(R"({{"type":"function","function":{{"name":"{}"{}}}}})", name, more);
}

Request accepted(std::string body) {
    auto request = read(std::move(body));
    EXPECT_TRUE(request) << request.error().message;
    return request ? std::move(*request) : Request();
}

std::string_view text_of(const Part& part) {
    const auto* text = part.as<chat::Text>();
    return text != nullptr ? text->text_escaped : "no text";
}

// What is refused, how, and at which place.

struct Refusal {
    std::string name;
    std::string body;
    ErrorKind kind;
    std::string param;
    std::string message_part;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class OpenAiRequestRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(OpenAiRequestRefuses, WithKindPlaceAndReason) {
    const Refusal& expected = GetParam();
    const auto request = read(expected.body);
    ASSERT_FALSE(request);
    EXPECT_EQ(name_of(request.error().kind), name_of(expected.kind)) << request.error().message;
    EXPECT_EQ(request.error().param, expected.param) << request.error().message;
    EXPECT_NE(request.error().message.find(expected.message_part), std::string::npos)
        << request.error().message;
}

std::string nested(std::size_t levels) {
    return with(R"("x":)" + std::string(levels, '[') + std::string(levels, ']'));
}

std::string many_tools(std::size_t count) {
    std::string tools;
    for (std::size_t i = 0; i < count; ++i) tools += (i ? "," : "") + tool(fmt::format("t{}", i));
    return with(R"("tools":[)" + tools + "]");
}

std::string many_messages(std::size_t count) {
    std::string messages;
    for (std::size_t i = 0; i < count; ++i)
        messages += std::string(i ? "," : "") + R"({"role":"user","content":""})";
    return with_messages(messages);
}

constexpr auto bad_json = ErrorKind::invalid_json;
constexpr auto missing = ErrorKind::missing_required_field;
constexpr auto bad_value = ErrorKind::invalid_value;
constexpr auto bad_tool = ErrorKind::tool_schema_invalid;
constexpr auto bad_choice = ErrorKind::tool_choice_invalid;
constexpr auto bad_call = ErrorKind::tool_call_id_mismatch;

const std::vector<Refusal> refusals{
    // The body.
    {"EmptyBody", "", bad_json, "", "empty"},
    {"Blank", "  \n", bad_json, "", "empty"},
    {"NoJson", "hello", bad_json, "", "JSON object"},
    {"Array", "[1]", bad_json, "", "JSON object"},
    {"Truncated", R"({"model":"m")", bad_json, "", "not valid JSON"},
    {"TruncatedInside", R"({"model":{"a":1})", bad_json, "", "not valid JSON"},
    {"OpenString", R"({"model":"m)", bad_json, "", "string is not closed"},
    {"MissingComma", R"({"a":1 "b":2})", bad_json, "", "near byte 7"},
    {"TrailingContent", R"({"a":1}{})", bad_json, "", "near byte 7"},
    {"TrailingComma", R"({"a":[1,]})", bad_json, "", "not valid JSON"},
    {"BadNumber", R"({"a":01})", bad_json, "", "not valid JSON"},
    {"BadWord", R"({"a":nul})", bad_json, "", "not valid JSON"},
    {"BadEscape", R"({"a":{"b":"\x"}})", bad_json, "", "not valid JSON"},
    {"BadEscapeInKey", R"({"a":{"\x":1}})", bad_json, "", "not valid JSON"},
    {"RawLineBreakInString", "{\"a\":\"x\ny\"}", bad_json, "", "not valid JSON"},
    {"NotUtf8", "{\"a\":\"x\xFF\"}", bad_json, "", "byte 7 "},
    {"TooDeep", nested(limits::json_depth), bad_json, "", "deeper than 128"},
    // Top-level fields.
    {"NoMessages", R"({"model":"m"})", missing, "messages", "messages"},
    {"NullMessages", R"({"model":"m","messages":null})", missing, "messages", "messages"},
    {"EmptyMessages", with_messages(""), bad_value, "messages", "at least one"},
    {"MessagesNoArray", R"({"messages":{}})", bad_value, "messages", "an array, not an object"},
    {"TooManyMessages", many_messages(limits::messages + 1), bad_value, "messages", "10000"},
    {"PromptAndMessages", with(R"("prompt":"x")"), bad_value, "prompt", "both"},
    {"PromptNoString", R"({"prompt":["x"]})", bad_value, "prompt", "a string, not an array"},
    {"ModelNoString", with(R"("x":1)").replace(9, 3, "7"), bad_value, "model", "a string, not 7"},
    {"GivenTwiceInDisguise", with(R"("mod\u0065l":"n")"), bad_value, "model", "twice"},
    {"LikeAFieldInCapitals", with(R"("Model":"n")"), bad_value, "Model", "small letters"},
    {"StreamNoBoolean", with(R"("stream":"yes")"), bad_value, "stream", "true or false"},
    {"StreamOptionsAlone", with(R"("stream_options":{"include_usage":true})"),
     ErrorKind::unsupported_parameter, "stream_options", "\"stream\":true"},
    {"UsageNoBoolean", with(R"("stream":true,"stream_options":{"include_usage":1})"), bad_value,
     "stream_options.include_usage", "true or false, not 1"},
    {"ZeroChoices", with(R"("n":0)"), bad_value, "n", "from 1 to 128, not 0"},
    {"TooManyChoices", with(R"("n":129)"), bad_value, "n", "from 1 to 128, not 129"},
    {"HalfAChoice", with(R"("n":1.5)"), bad_value, "n", "an integer"},
    {"NoTokens", with(R"("max_tokens":0)"), bad_value, "max_tokens", "from 1 to 1000000000, not 0"},
    {"TokensAsText", with(R"("max_completion_tokens":"5")"), bad_value, "max_completion_tokens",
     "not a string"},
    {"TooHot", with(R"("temperature":2.5)"), bad_value, "temperature", "from 0 to 2, not 2.5"},
    {"TopP", with(R"("top_p":-1)"), bad_value, "top_p", "from 0 to 1"},
    {"Penalty", with(R"("presence_penalty":3)"), bad_value, "presence_penalty", "from -2 to 2"},
    {"SeedNoNumber", with(R"("seed":"a")"), bad_value, "seed", "a number, not a string"},
    {"StopNoText", with(R"("stop":["a",1])"), bad_value, "stop[1]", "a string, not 1"},
    {"LogitBias", with(R"("logit_bias":[1])"), bad_value, "logit_bias", "an object"},
    {"TopLogprobs", with(R"("top_logprobs":21)"), bad_value, "top_logprobs", "from 0 to 20"},
    {"MetadataNoText", with(R"("metadata":{"a":"x","b":1})"), bad_value, "metadata.b", "a string"},
    {"IdempotencyKey", with(R"("idempotency_key":")" + std::string(129, 'k') + '"'), bad_value,
     "idempotency_key", "128"},
    {"FallbackNoArray", with(R"("fallback":"m2")"), bad_value, "fallback", "an array of model"},
    {"FallbackNoText", with(R"("fallback":["m2",3])"), bad_value, "fallback[1]", "a string, not 3"},
    {"FallbackEmpty", with(R"("fallback":[""])"), bad_value, "fallback[0]", "the name of a model"},
    {"FallbackNoName", with(R"("fallback":["m2","a\nb"])"), bad_value, "fallback[1]", "printable"},
    {"ModelLineEnd", R"({"model":"x\r\nSet-Cookie: a=b","messages":[]})", bad_value, "model",
     "printable ASCII"},
    {"ModelNull", R"({"model":"x\u0000","messages":[]})", bad_value, "model", "printable ASCII"},
    {"ModelLetter", R"({"model":"x\u00e9","messages":[]})", bad_value, "model", "printable ASCII"},
    {"ModelTooLong", R"({"model":")" + std::string(257, 'm') + R"(","messages":[]})", bad_value,
     "model", "up to 256"},
    {"FallbackTooLong", with(R"("fallback":["1","2","3","4","5","6","7","8","9"])"), bad_value,
     "fallback", "more than 8 models"},
    {"TooManyRetries", with(R"("retries":6)"), bad_value, "retries", "from 0 to 5, not 6"},
    {"NegativeRetries", with(R"("retries":-1)"), bad_value, "retries", "from 0 to 5, not -1"},
    {"NoTime", with(R"("timeout":0)"), bad_value, "timeout", "from 1 to 300000, not 0"},
    {"TooMuchTime", with(R"("timeout":300001)"), bad_value, "timeout", "from 1 to 300000"},
    {"StrictNoBoolean", with(R"("strict_model":"yes")"), bad_value, "strict_model", "true or"},
    {"UnknownToolEvents", with(R"("tool_events":"all")"), bad_value, "tool_events", "comment"},
    {"UnknownHold", with(R"("hold":"ever")"), bad_value, "hold", "can only be round"},
    {"ResultsNoBoolean", with(R"("servertool_results":1)"), bad_value, "servertool_results",
     "true or"},
    {"UnknownEffort", with(R"("reasoning_effort":"huge")"), bad_value, "reasoning_effort", "xhigh"},
    {"UnknownEffortInside", with(R"("reasoning":{"effort":"huge"})"), bad_value, "reasoning.effort",
     "\"huge\""},
    {"UnknownFormat", with(R"("response_format":{"type":"xml"})"), bad_value,
     "response_format.type", "json_schema"},
    {"FormatWithoutType", with(R"("response_format":{})"), missing, "response_format.type", "type"},
    {"SchemaWithoutName",
     with(R"("response_format":{"type":"json_schema","json_schema":{"schema":{}}})"), missing,
     "response_format.json_schema.name", "name"},
    {"SchemaWithoutSchema",
     with(R"("response_format":{"type":"json_schema","json_schema":{"name":"a"}})"), missing,
     "response_format.json_schema.schema", "schema"},
    // Messages.
    {"MessageNoObject", with_messages(R"("Hi")"), bad_value, "messages[0]",
     "an object, not a string"},
    {"NoRole", with_messages(R"({"content":"x"})"), missing, "messages[0].role", "role"},
    {"UnknownRole", with_messages(R"({"role":"user","content":"x"},{"role":"bot","content":"x"})"),
     bad_value, "messages[1].role", "\"bot\"; it must be one of system"},
    {"NoContent", with_messages(R"({"role":"user"})"), missing, "messages[0].content", "content"},
    {"NullContent", with_messages(R"({"role":"system","content":null})"), missing,
     "messages[0].content", "content"},
    {"ContentNumber", with_messages(R"({"role":"user","content":5})"), bad_value,
     "messages[0].content", "a string or an array of content parts, not 5"},
    {"PartNoObject", with_messages(R"({"role":"user","content":["x"]})"), bad_value,
     "messages[0].content[0]", "a content part"},
    {"PartWithoutType", with_messages(R"({"role":"user","content":[{"text":"x"}]})"), missing,
     "messages[0].content[0].type", "type"},
    {"PartWithoutText", with_messages(R"({"role":"user","content":[{"type":"text"}]})"), missing,
     "messages[0].content[0].text", "text"},
    {"ImageWithoutUrl",
     with_messages(R"({"role":"user","content":[{"type":"image_url","image_url":{}}]})"), missing,
     "messages[0].content[0].image_url.url", "url"},
    {"AudioWithoutFormat",
     with_messages(
         R"({"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA=="}}]})"),
     missing, "messages[0].content[0].input_audio.format", "format"},
    {"FileWithoutData",
     with_messages(R"({"role":"user","content":[{"type":"file","file":{"filename":"a"}}]})"),
     missing, "messages[0].content[0].file.file_data", "file_data"},
    {"CallWithoutId",
     with_messages(
         R"({"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f"}}]})"),
     missing, "messages[0].tool_calls[0].id", "id"},
    {"CallWithoutName",
     with_messages(
         R"({"role":"assistant","tool_calls":[{"id":"c","function":{"arguments":"{}"}}]})"),
     missing, "messages[0].tool_calls[0].function.name", "name"},
    {"CallArgumentsObject",
     with_messages(
         R"({"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}}]})"),
     bad_value, "messages[0].tool_calls[0].function.arguments", "a string, not an object"},
    {"CallsOfTheUser",
     with_messages(
         R"({"role":"user","content":"x","tool_calls":[{"id":"c","function":{"name":"f"}}]})"),
     bad_value, "messages[0]", "only the assistant"},
    {"ResultWithoutId", with_messages(R"({"role":"tool","content":"x"})"), missing,
     "messages[0].tool_call_id", "tool_call_id"},
    {"ResultOfNoCall",
     with_messages(R"({"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f"}}]},)"
                   R"({"role":"tool","tool_call_id":"c2","content":"x"})"),
     bad_call, "messages[1].tool_call_id", "\"c2\""},
    {"ResultBeforeItsCall",
     with_messages(R"({"role":"tool","tool_call_id":"c1","content":"x"},)"
                   R"({"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f"}}]})"),
     bad_call, "messages[0].tool_call_id", "\"c1\""},
    {"FunctionResultOfNoCall", with_messages(R"({"role":"function","name":"f","content":"x"})"),
     bad_call, "messages[0]", "function_call"},
    // Tools.
    {"ToolsNoArray", with(R"("tools":{})"), bad_tool, "tools", "an array"},
    {"TooManyTools", many_tools(tools_max + 1), bad_tool, "tools", "more than 1024"},
    {"ToolWithoutType", with(R"("tools":[{"function":{"name":"f"}}])"), bad_tool, "tools[0].type",
     "type"},
    {"UnknownToolType", with(R"("tools":[{"type":"web_search"}])"), bad_tool, "tools[0].type",
     "\"web_search\""},
    {"ToolWithoutFunction", with(R"("tools":[{"type":"function"}])"), bad_tool, "tools[0].function",
     "function"},
    {"ToolWithoutName", with(R"("tools":[{"type":"function","function":{}}])"), bad_tool,
     "tools[0].function.name", "name"},
    {"ToolNameWithSpace", with(R"("tools":[)" + tool("f") + "," + tool("g h") + "]"), bad_tool,
     "tools[1].function.name", "letters, digits"},
    {"ToolNameTooLong", with(R"("tools":[)" + tool(std::string(257, 'a')) + "]"), bad_tool,
     "tools[0].function.name", "1 to 256"},
    {"ToolNamesEqual", with(R"("tools":[)" + tool("f") + "," + tool("f") + "]"), bad_tool,
     "tools[1].function.name", "earlier"},
    {"ParametersArray", with(R"("tools":[)" + tool("f", R"(,"parameters":[])") + "]"), bad_tool,
     "tools[0].function.parameters", "a JSON Schema object"},
    {"ParametersOfArrayType",
     with(R"("tools":[)" + tool("f", R"(,"parameters":{"type":"array"})") + "]"), bad_tool,
     "tools[0].function.parameters", R"("type":"object")"},
    {"FunctionNameWithSpace", with(R"("functions":[{"name":"a b"}])"), bad_tool,
     "functions[0].name", "letters, digits"},
    {"ToolsAndFunctions", with(R"("functions":[{"name":"f"}],"tools":[)" + tool("g") + "]"),
     bad_value, "functions", "use tools"},
    // The choice of tools.
    {"UnknownChoice", with(R"("tool_choice":"any")"), bad_choice, "tool_choice", "\"any\""},
    {"ChoiceNumber", with(R"("tool_choice":1)"), bad_choice, "tool_choice", "not 1"},
    {"ChoiceOfUnknownType", with(R"("tool_choice":{"type":"x"})"), bad_choice, "tool_choice",
     "allowed_tools"},
    {"ChoiceWithoutName", with(R"("tool_choice":{"type":"function"})"), bad_choice, "tool_choice",
     "must name a tool"},
    {"ChoiceOfAbsentTool",
     with(R"("tool_choice":{"type":"function","function":{"name":"g"}},"tools":[)" + tool("f") +
          "]"),
     bad_choice, "tool_choice", "\"g\""},
    {"ChoiceOfAbsentAllowedTool",
     with(
         R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}})"),
     bad_choice, "tool_choice", "\"g\""},
    {"RequiredWithoutTools", with(R"("tool_choice":"required")"), bad_choice, "tool_choice",
     "no tools"},
    {"FunctionCallOfAbsentFunction", with(R"("function_call":{"name":"g"})"), bad_choice,
     "function_call", "\"g\""},
};

INSTANTIATE_TEST_SUITE_P(All, OpenAiRequestRefuses, testing::ValuesIn(refusals),
                         [](const auto& each) { return each.param.name; });

// What is accepted, and how it is understood.

TEST(OpenAiRequest, KeepsTextAsItCameInTheBody) {
    const Request request =
        accepted(with_messages(R"({"role":"user","content":"a\n\u00e9 \"q\""})"));
    ASSERT_EQ(request.messages.size(), 1U);
    EXPECT_EQ(text_of(request.messages[0].parts[0]), R"(a\n\u00e9 \"q\")");
    EXPECT_EQ(request.messages[0].form, chat::Message::Form::string);
    EXPECT_EQ(request.messages[0].number, 1U);
    const std::string& body = *request.body;
    const char* const text = text_of(request.messages[0].parts[0]).data();
    EXPECT_TRUE(text > body.data() && text < body.data() + body.size());
}

TEST(OpenAiRequest, LeavesAnAbsentModelToTheRouter) {
    EXPECT_EQ(accepted(R"({"messages":[{"role":"user","content":"Hi"}]})").model, "");
    EXPECT_EQ(accepted(with("")).model, "m");
}

TEST(OpenAiRequest, KeepsUnknownFieldsRawAndInOrder) {
    const Request request = accepted(with(R"("zeta": { "b" : 1 } ,"alpha":[1, 2],"nothing":null)"));
    ASSERT_EQ(request.extras.size(), 2U);
    EXPECT_EQ(request.extras[0].name, "zeta");
    EXPECT_EQ(request.extras[0].raw, R"({ "b" : 1 })");
    EXPECT_EQ(request.extras[1].name, "alpha");
    EXPECT_EQ(request.extras[1].raw, "[1, 2]");
    EXPECT_EQ(request.field_names,
              (std::vector<std::string_view>{"model", "messages", "zeta", "alpha"}));
}

TEST(OpenAiRequest, LetsALaterFieldWin) {
    const Request request = accepted(
        R"({"top_p":0.1,"messages":[{"role":"user","content":"a"}],"x":1,"messages":[{"role":"user","content":"b"}],)"
        R"("top_p":null,"x":2})");
    ASSERT_EQ(request.messages.size(), 1U);
    EXPECT_EQ(text_of(request.messages[0].parts[0]), "b");
    EXPECT_EQ(request.sampling.top_p->raw, "0.1");
    EXPECT_EQ(chat::find(request.extras, "x"), "2");
    EXPECT_EQ(request.extras.size(), 1U);
}

TEST(OpenAiRequest, ReadsFieldNamesWrittenWithEscapes) {
    EXPECT_EQ(accepted(with(R"("us\u0065r":"u1")")).user, "u1");
}

TEST(OpenAiRequest, TakesNestingUpToItsLimit) { EXPECT_TRUE(read(nested(limits::json_depth - 1))); }

TEST(OpenAiRequest, TakesAsManyMessagesAndToolsAsAreAllowed) {
    EXPECT_EQ(accepted(many_messages(limits::messages)).messages.size(), limits::messages);
    EXPECT_EQ(accepted(many_tools(tools_max)).tools.size(), tools_max);
}

TEST(OpenAiRequest, TakesAPromptForOneUserMessage) {
    const Request request = accepted(R"({"prompt":"say \"hi\"","model":"m"})");
    ASSERT_EQ(request.messages.size(), 1U);
    EXPECT_EQ(request.messages[0].role, chat::Role::user);
    EXPECT_EQ(text_of(request.messages[0].parts[0]), R"(say \"hi\")");
}

TEST(OpenAiRequest, ReadsTheStreamWishes) {
    const Request request =
        accepted(with(R"("stream":true,"stream_options":{"include_usage":true})"));
    EXPECT_EQ(request.streaming, chat::Streaming::yes);
    EXPECT_EQ(request.include_usage, chat::Wish::yes);
    EXPECT_EQ(accepted(with("")).streaming, std::nullopt);
    EXPECT_EQ(accepted(with(R"("stream":false)")).streaming, chat::Streaming::no);
}

TEST(OpenAiRequest, PrefersMaxCompletionTokens) {
    EXPECT_EQ(accepted(with(R"("max_completion_tokens":5,"max_tokens":9)")).max_tokens, 5);
    EXPECT_EQ(accepted(with(R"("max_tokens":9.0)")).max_tokens, 9);
}

TEST(OpenAiRequest, KeepsNumbersDigitByDigit) {
    const Request request = accepted(
        with(R"("seed":12345678901234567890,"temperature":0.70,"top_p":1,"top_k":40,"min_p":0.1,)"
             R"("presence_penalty":-1.5,"frequency_penalty":2)"));
    EXPECT_EQ(request.sampling.seed->raw, "12345678901234567890");
    EXPECT_EQ(request.sampling.temperature->raw, "0.70");
    EXPECT_DOUBLE_EQ(request.sampling.temperature->value, 0.7);
    EXPECT_DOUBLE_EQ(request.sampling.presence_penalty->value, -1.5);
    EXPECT_EQ(request.sampling.top_k->raw, "40");
}

TEST(OpenAiRequest, ReadsStopAsStringOrList) {
    EXPECT_EQ(accepted(with(R"("stop":"\n")")).sampling.stop, std::vector<std::string>{"\n"});
    EXPECT_EQ(accepted(with(R"("stop":["a","b"])")).sampling.stop,
              (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(accepted(with(R"("stop":[])")).sampling.stop.empty());
}

TEST(OpenAiRequest, ReadsContentParts) {
    const Request request = accepted(with_messages(
        R"({"role":"user","content":[{"text":"look","type":"text","cache_control":{"type":"ephemeral"}},)"
        R"({"type":"image_url","image_url":{"url":"https://x/y.png","detail":"low"}},)"
        R"({"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}},)"
        R"({"type":"file","file":{"file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"}},)"
        R"({"type":"video","video":1}]})"));
    const auto& parts = request.messages[0].parts;
    ASSERT_EQ(parts.size(), 5U);
    EXPECT_EQ(text_of(parts[0]), "look");
    EXPECT_TRUE(parts[0].cache);
    ASSERT_TRUE(parts[1].is<chat::Image>());
    EXPECT_EQ(parts[1].as<chat::Image>()->source.url_escaped, "https://x/y.png");
    EXPECT_EQ(parts[1].as<chat::Image>()->detail_escaped, "low");
    ASSERT_TRUE(parts[2].is<chat::Audio>());
    EXPECT_EQ(parts[2].as<chat::Audio>()->source.data_escaped, "AA==");
    EXPECT_EQ(parts[2].as<chat::Audio>()->format_escaped, "wav");
    ASSERT_TRUE(parts[3].is<chat::File>());
    EXPECT_EQ(parts[3].as<chat::File>()->source.data_escaped, "AA==");
    EXPECT_EQ(parts[3].as<chat::File>()->source.media_type_escaped, "application/pdf");
    EXPECT_EQ(parts[3].as<chat::File>()->filename_escaped, "a.pdf");
    ASSERT_TRUE(parts[4].is<chat::Other>());
    EXPECT_EQ(parts[4].as<chat::Other>()->type, "video");
    EXPECT_EQ(parts[4].as<chat::Other>()->raw, R"({"type":"video","video":1})");
}

TEST(OpenAiRequest, KeepsWhatOnlyItsProviderKnows) {
    const Request request = accepted(
        with_messages(R"({"role":"user","content":[{"type":"text","text":"a","x":1}],"y":[2]})"));
    EXPECT_EQ(chat::find(request.messages[0].extras, "y"), "[2]");
    EXPECT_EQ(chat::find(request.messages[0].parts[0].extras, "x"), "1");
}

TEST(OpenAiRequest, TakesABareImageUrl) {
    const Request request = accepted(with_messages(
        R"({"role":"user","content":[{"type":"image_url","image_url":"data:image/png;base64,AA"}]})"));
    const auto* image = request.messages[0].parts[0].as<chat::Image>();
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->source.media_type_escaped, "image/png");
    EXPECT_EQ(image->source.data_escaped, "AA");
}

TEST(OpenAiRequest, ReadsAToolRoundTripInAnyOrder) {
    const Request request = accepted(with_messages(
        R"({"role":"user","content":"x"},)"
        R"({"role":"assistant","content":null,"reasoning_content":"hm","thinking_blocks":[1],"tool_calls":[)"
        R"({"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"},)"
        R"("extra_content":{"google":{"thought_signature":"s"}}},)"
        R"({"id":"c2","type":"function","function":{"name":"g","arguments":""}}]},)"
        R"({"role":"tool","tool_call_id":"c2","content":"two"},)"
        R"({"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"one"}]})"));
    ASSERT_EQ(request.messages.size(), 4U);
    const auto& parts = request.messages[1].parts;
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].as<chat::Reasoning>()->text_escaped, "hm");
    EXPECT_EQ(chat::find(request.messages[1].extras, "thinking_blocks"), "[1]");
    const chat::ToolCall& first = *parts[1].as<chat::ToolCall>();
    EXPECT_EQ(first.id, "c1");
    EXPECT_EQ(first.name, "f");
    EXPECT_EQ(first.arguments_escaped, R"({\"a\":1})");
    EXPECT_EQ(first.signature_escaped, "s");
    EXPECT_EQ(chat::find(parts[1].extras, "extra_content"),
              R"({"google":{"thought_signature":"s"}})");
    EXPECT_EQ(request.messages[2].tool_call_id, "c2");
    EXPECT_EQ(text_of(request.messages[3].parts[0]), "one");
}

TEST(OpenAiRequest, ReadsTheAssistantsRefusalAsAPart) {
    const Request request =
        accepted(with_messages(R"({"role":"assistant","content":null,"refusal":"No."})"));
    ASSERT_EQ(request.messages[0].parts.size(), 1U);
    ASSERT_TRUE(request.messages[0].parts[0].is<chat::Refusal>());
    EXPECT_EQ(request.messages[0].parts[0].as<chat::Refusal>()->text_escaped, "No.");
}

TEST(OpenAiRequest, ReadsTools) {
    const Request request = accepted(with(
        R"("tools":[{"type":"function","function":{"name":"find","description":"d\"","strict":true,)"
        R"("parameters":{"type":"object","properties":{}}},"cache_control":{"type":"ephemeral"}},)"
        R"({"type":"function","function":{"name":"now","parameters":{}}},)"
        R"({"type":"custom","custom":{"name":"code"}}])"));
    ASSERT_EQ(request.tools.size(), 3U);
    EXPECT_EQ(request.tools[0].name, "find");
    EXPECT_EQ(request.tools[0].description_escaped, R"(d\")");
    EXPECT_EQ(request.tools[0].parameters_raw, R"({"type":"object","properties":{}})");
    EXPECT_EQ(request.tools[0].strict, true);
    EXPECT_TRUE(request.tools[0].cache);
    EXPECT_EQ(request.tools[1].parameters_raw, "");
    EXPECT_EQ(request.tools[2].kind, chat::Tool::Kind::custom);
}

TEST(OpenAiRequest, ReadsEveryKindOfToolChoice) {
    const auto choice = [](std::string_view raw) {
        return accepted(with(fmt::format(R"("tool_choice":{},"tools":[{},{}])", raw, tool("f"),
                                         tool("g"))))
            .tool_choice;
    };
    EXPECT_EQ(choice(R"("auto")").kind, ToolChoice::Kind::automatic);
    EXPECT_EQ(choice(R"("none")").kind, ToolChoice::Kind::none);
    EXPECT_EQ(choice(R"("required")").kind, ToolChoice::Kind::required);
    EXPECT_EQ(choice("null").kind, ToolChoice::Kind::absent);
    const ToolChoice named = choice(R"({"type":"function","function":{"name":"g"}})");
    EXPECT_EQ(named.kind, ToolChoice::Kind::named);
    EXPECT_EQ(named.name, "g");
    const ToolChoice allowed = choice(
        R"({"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}}]}})");
    EXPECT_EQ(allowed.kind, ToolChoice::Kind::allowed);
    EXPECT_EQ(allowed.allowed_mode, ToolChoice::Mode::required);
    EXPECT_EQ(allowed.allowed, std::vector<std::string>{"f"});
}

TEST(OpenAiRequest, TranslatesFunctionsToTools) {
    const Request request = accepted(with(
        R"("functions":[{"name":"f","parameters":{"type":"object"}}],"function_call":{"name":"f"})"));
    ASSERT_EQ(request.tools.size(), 1U);
    EXPECT_EQ(request.tools[0].name, "f");
    EXPECT_EQ(request.tool_choice.kind, ToolChoice::Kind::named);
    EXPECT_EQ(request.tool_choice.name, "f");
}

TEST(OpenAiRequest, TranslatesFunctionMessagesToToolMessages) {
    const Request request = accepted(with_messages(
        R"({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},)"
        R"({"role":"function","name":"f","content":"r"})"));
    ASSERT_EQ(request.messages.size(), 2U);
    const auto* call = request.messages[0].parts[0].as<chat::ToolCall>();
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->name, "f");
    EXPECT_EQ(request.messages[1].role, chat::Role::tool);
    EXPECT_EQ(request.messages[1].tool_call_id, call->id);
}

TEST(OpenAiRequest, ReadsTheOutputFormat) {
    const auto output = accepted(with(
        R"("response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"b":1}}})"));
    EXPECT_EQ(output.output.kind, chat::OutputFormat::Kind::json_schema);
    EXPECT_EQ(output.output.schema_raw, R"({"b":1})");
    EXPECT_EQ(output.output.strict, true);
    EXPECT_EQ(accepted(with(R"("response_format":{"type":"json_object"})")).output.kind,
              chat::OutputFormat::Kind::json_object);
}

TEST(OpenAiRequest, UnderstandsEveryWayToAskForReasoning) {
    using chat::Effort;
    const auto wish = [](std::string_view fields) { return accepted(with(fields)).reasoning; };
    EXPECT_EQ(wish(R"("reasoning_effort":"high")").effort, Effort::high);
    EXPECT_EQ(wish(R"("reasoning_effort":{"effort":"low","summary":"auto"})").effort, Effort::low);
    EXPECT_EQ(wish(R"("reasoning_effort":"default")").effort, std::nullopt);
    EXPECT_EQ(wish(R"("reasoning":{"effort":"xhigh"})").effort, Effort::xhigh);
    EXPECT_EQ(wish(R"("reasoning":{"max_tokens":2000})").budget_tokens, 2000);
    EXPECT_EQ(wish(R"("reasoning":{"enabled":true})").effort, Effort::medium);
    EXPECT_EQ(wish(R"("reasoning":{"enabled":false})").effort, Effort::none);
    EXPECT_EQ(wish(R"("thinking":{"type":"enabled","budget_tokens":1024})").budget_tokens, 1024);
    EXPECT_EQ(wish(R"("thinking":{"type":"enabled","budget_tokens":1024})").effort, std::nullopt);
    EXPECT_EQ(wish(R"("thinking":{"type":"disabled"})").effort, Effort::none);
    EXPECT_EQ(wish(R"("thinking":{"type":"enabled"},"reasoning_effort":"low")").effort,
              Effort::low);
    EXPECT_EQ(wish(R"("reasoning":{"exclude":true})").show, chat::ReasoningWish::Show::no);
    EXPECT_EQ(wish(R"("include_reasoning":false)").show, chat::ReasoningWish::Show::no);
    EXPECT_EQ(wish("").show, chat::ReasoningWish::Show::yes);
}

TEST(OpenAiRequest, ReadsWhatIsAskedOfTheGatewayItself) {
    const Request request = accepted(with(R"("stream_dialect":"timeline","echo_model":true)"));
    EXPECT_EQ(request.gateway.dialect, "timeline");
    EXPECT_EQ(request.gateway.echo_model, chat::Wish::yes);
    EXPECT_EQ(request.gateway.strict_model, chat::Wish::unsaid);
    EXPECT_TRUE(request.gateway.fallback.empty());
    EXPECT_EQ(request.gateway.retries, std::nullopt);
    EXPECT_EQ(request.gateway.timeout, std::nullopt);
}

TEST(OpenAiRequest, ReadsHowItWantsToBeTried) {
    const auto wishes =
        accepted(with(R"("fallback":["m2","p/m3"],"retries":0,"timeout":1500,"strict_model":true)"))
            .gateway;
    EXPECT_EQ(wishes.fallback, (std::vector<std::string>{"m2", "p/m3"}));
    EXPECT_EQ(wishes.retries, 0);
    EXPECT_EQ(wishes.timeout, std::chrono::milliseconds(1500));
    EXPECT_EQ(wishes.strict_model, chat::Wish::yes);
}

TEST(OpenAiRequest, ReadsHowServersToolsAreToShow) {
    using Wishes = chat::GatewayWishes;
    const Wishes none = accepted(with("")).gateway;
    EXPECT_EQ(none.tool_events, Wishes::ToolEvents::hidden);
    EXPECT_EQ(none.servertool_results, chat::Wish::unsaid);
    EXPECT_EQ(none.hold, Wishes::Hold::brief);
    const Wishes all =
        accepted(with(R"("tool_events":"comment","servertool_results":true,"hold":"round")"))
            .gateway;
    EXPECT_EQ(all.tool_events, Wishes::ToolEvents::comments);
    EXPECT_EQ(all.servertool_results, chat::Wish::yes);
    EXPECT_EQ(all.hold, Wishes::Hold::round);
}

TEST(OpenAiRequest, PrefersTheSafetyIdentifierToTheUser) {
    EXPECT_EQ(accepted(with(R"("safety_identifier":"s","user":"u")")).end_user(), "s");
}

TEST(OpenAiRequest, ReadsLargeBodiesWithTheirOwnParser) {
    const std::string text(2 * limits::mib, 'x');
    const Request request =
        accepted(with_messages(R"({"role":"user","content":")" + text + R"("})"));
    EXPECT_EQ(text_of(request.messages[0].parts[0]).size(), text.size());
}

TEST(OpenAiRequest, StaysValidWhenItIsMoved) {
    Request first = accepted(
        with_messages(R"({"role":"user","content":[{"type":"image_url","image_url":"u"}]})"));
    const Request second = std::move(first);
    EXPECT_EQ(second.messages[0].parts[0].as<chat::Image>()->source.url_escaped, "u");
}

}  // namespace
}  // namespace runnel::api
