#include "api/gemini/request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::gemini {
namespace {

using chat::Message;
using chat::Part;
using chat::Request;
using Lines = std::vector<std::string>;

Result<Request> read(std::string body) {
    json::Parser parser;
    auto request = read_request({std::move(body), "m", chat::Streaming::yes}, &parser);
    if (!request) return request;
    if (auto checked = check_request(*request); !checked) return propagate(checked);
    return request;
}

std::string with(std::string_view fields) {
    return fmt::format(R"({{"contents":[{{"role":"user","parts":[{{"text":"Hi"}}]}}],{}}})",
                       fields);
}

std::string with_contents(std::string_view contents) {
    return fmt::format(R"({{"contents":[{}]}})", contents);
}

std::string with_parts(std::string_view parts) {
    return with_contents(fmt::format(R"({{"role":"user","parts":[{}]}})", parts));
}

Request accepted(std::string body) {
    auto request = read(std::move(body));
    EXPECT_TRUE(request) << request.error().message;
    return request ? std::move(*request) : Request();
}

std::string refusal_of(std::string body) {
    const auto request = read(std::move(body));
    return request ? "accepted" : request.error().param + ": " + request.error().message;
}

std::string outline(const chat::Source& source) {
    return fmt::format("{},{}{}", source.media_type_escaped, source.data_escaped,
                       source.url_escaped);
}

std::string outline(const Part& part) {
    return std::visit(
        [&]<class T>(const T& it) -> std::string {
            if constexpr (std::is_same_v<T, chat::Text>) return std::string(it.text_escaped);
            if constexpr (std::is_same_v<T, chat::ToolCall>)
                return fmt::format("{}:{}={}{}", it.id, it.name, it.arguments_raw,
                                   it.signature_escaped);
            if constexpr (std::is_same_v<T, chat::Reasoning>)
                return fmt::format("({}|{}|{}|{})", it.text_escaped, it.signature_escaped,
                                   it.encrypted_escaped, it.issuer);
            if constexpr (std::is_same_v<T, chat::Other>) return fmt::format("<{}>", it.type);
            if constexpr (std::is_same_v<T, chat::Image>) return "image " + outline(it.source);
            if constexpr (std::is_same_v<T, chat::Video>) return "video " + outline(it.source);
            if constexpr (std::is_same_v<T, chat::File>) return "file " + outline(it.source);
            if constexpr (std::is_same_v<T, chat::Audio>)
                return fmt::format("audio {} {}", it.format_escaped, outline(it.source));
            return "?";
        },
        part.content);
}

// A message in a line: its role and what its parts are.
std::string outline(const Message& message) {
    std::string line(chat::name_of(message.role));
    if (!message.tool_call_id.empty()) line += fmt::format(" {}", message.tool_call_id);
    if (message.failed == chat::Wish::yes) line += " failed";
    for (const Part& part : message.parts) line += fmt::format(" [{}]", outline(part));
    return line;
}

Lines outlines(const Request& request) {
    Lines lines;
    for (const Message& message : request.messages) lines.push_back(outline(message));
    return lines;
}

TEST(GeminiRequest, TakesModelAndStreamingFromThePath) {
    const Request request = accepted(with(R"("model":"models/other")"));
    EXPECT_EQ(request.api, chat::Api::gemini);
    EXPECT_EQ(request.model, "m");
    EXPECT_TRUE(request.streams());
    EXPECT_TRUE(request.extras.empty());
    json::Parser parser;
    EXPECT_FALSE(read_request({with_parts(R"({"text":"x"})"), "a\nb"}, &parser));
}

TEST(GeminiRequest, ReadsBothSpellings) {
    for (const std::string_view fields :
         {R"("systemInstruction":{"parts":[{"text":"Be brief."}]},)"
          R"("generationConfig":{"maxOutputTokens":9,"topP":0.5,"stopSequences":["x"]})",
          R"("system_instruction":{"parts":{"text":"Be brief."}},)"
          R"("generation_config":{"max_output_tokens":9,"top_p":0.5,"stop_sequences":["x"]})"}) {
        const Request request = accepted(with(fields));
        EXPECT_EQ(outlines(request), (Lines{"system [Be brief.]", "user [Hi]"}));
        EXPECT_EQ(request.messages[1].number, 2U);
        EXPECT_EQ(request.max_tokens, 9);
        EXPECT_EQ(request.sampling.top_p->raw, "0.5");
        EXPECT_EQ(request.sampling.stop, Lines{"x"});
    }
    EXPECT_EQ(outlines(accepted(R"({"contents":{"parts":{"text":"Hi"}}})")), Lines{"user [Hi]"});
}

TEST(GeminiRequest, KeepsATurnsPartsInTheirOrder) {
    const Request request = accepted(with_contents(
        R"({"role":"user","parts":[{"text":"x"}]},)"
        R"({"role":"model","parts":[{"text":"a","thought":true,"thoughtSignature":"S"},)"
        R"({"text":"t"},{"functionCall":{"id":"c1","name":"f","args":{"a": 1}},)"
        R"("thoughtSignature":"G"},{"text":"","function_call":{"id":"c2","name":"g"}}]},)"
        R"({"role":"function","parts":[{"functionResponse":{"id":"c2","name":"g",)"
        R"("response":{"error":"no"}}},{"functionResponse":{"id":"c1","name":"f",)"
        R"("response":{"a": [1]}}},{"text":"go on"}]})"));
    EXPECT_EQ(outlines(request),
              (Lines{"user [x]", R"(assistant [(a|S||gemini)] [t] [c1:f={"a": 1}G] [c2:g={}])",
                     "tool c2 failed [no]", R"(tool c1 [{\"a\": [1]}])", "user [go on]"}));
}

TEST(GeminiRequest, PutsTheChunksOfAStreamTogetherAgain) {
    const Request request = accepted(with_contents(
        R"({"role":"model","parts":[{"text":"h","thought":true}]},)"
        R"({"role":"model","parts":[{"text":"m","thought":true}]},)"
        R"({"role":"model","parts":[{"text":"","thought":true,)"
        R"("thoughtSignature":"runnel:11:anthropic/c:A"}]},)"
        R"({"role":"model","parts":[{"text":"one "}]},{"role":"model","parts":[{"text":"two"}]},)"
        R"({"role":"model","parts":[{"text":""}]},{"role":"user","parts":[{"text":"?"}]})"));
    EXPECT_EQ(outlines(request), (Lines{"assistant [(hm|A||anthropic/c)] [one two]", "user [?]"}));
}

TEST(GeminiRequest, GivesSignaturesBackToWhoMadeThem) {
    const Request request = accepted(with_contents(
        R"({"role":"model","parts":[{"text":"a","thoughtSignature":"S"},)"
        R"({"text":"b","thoughtSignature":"runnel:8:openai/y:encrypted:E"},)"
        R"({"functionCall":{"name":"f"},"thoughtSignature":"runnel:8:openai/y:encrypted:F"},)"
        R"({"functionCall":{"name":"f"},"thoughtSignature":"runnel:99:x"}]})"));
    EXPECT_EQ(outlines(request),
              Lines{"assistant [a] [(||E|openai/y)] [b] [(||F|openai/y)] "
                    "[call_000000000000000000000001:f={}] [call_000000000000000000000002:f={}]"});
    EXPECT_EQ(chat::find(request.messages[0].parts[0].extras, "thoughtSignature"), R"("S")");
}

TEST(GeminiRequest, FindsTheCallsOfResultsWithoutIds) {
    const Request request = accepted(with_contents(
        R"({"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},)"
        R"({"functionCall":{"name":"g"}},{"functionCall":{"name":"f"}}]},)"
        R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}},)"
        R"({"functionResponse":{"name":"f","response":{"result":2}}},)"
        R"({"functionResponse":{"name":"g","response":{},"parts":[{"inlineData":)"
        R"({"mimeType":"image/png","data":"AA"}}],"scheduling":"SILENT"}}]})"));
    EXPECT_EQ(outlines(request),
              (Lines{"assistant [call_000000000000000000000001:f={}] "
                     "[call_000000000000000000000002:g={}] [call_000000000000000000000003:f={}]",
                     "tool call_000000000000000000000001 [1]",
                     R"(tool call_000000000000000000000003 [{\"result\":2}])",
                     "tool call_000000000000000000000002 [{}] [image image/png,AA]"}));
    EXPECT_EQ(chat::find(request.messages[3].extras, "scheduling"), R"("SILENT")");
}

TEST(GeminiRequest, TellsTheTextOfAResultWithoutWhatSdksWrapItIn) {
    const auto told = [](std::string_view response) {
        const Request request = accepted(with_contents(fmt::format(
            R"({{"role":"model","parts":[{{"functionCall":{{"id":"c","name":"f"}}}}]}},)"
            R"({{"parts":[{{"functionResponse":{{"name":"f","response":{}}}}}]}})",
            response)));
        return outlines(request).back();
    };
    EXPECT_EQ(told(R"({"result":"7 degrees"})"), "tool c [7 degrees]");
    EXPECT_EQ(told(R"({"name":"f","content":"7 degrees"})"), "tool c [7 degrees]");
    // These may be a tool's own words.
    EXPECT_EQ(told(R"({"name":"g","content":"x"})"),
              R"(tool c [{\"name\":\"g\",\"content\":\"x\"}])");
    EXPECT_EQ(told(R"({"content":"x"})"), R"(tool c [{\"content\":\"x\"}])");
    EXPECT_EQ(told(R"({"name":"f","output":"x","content":"y"})"),
              R"(tool c [{\"name\":\"f\",\"output\":\"x\",\"content\":\"y\"}])");
}

TEST(GeminiRequest, ReadsMediaByItsType) {
    const Request request = accepted(with_parts(
        R"({"inlineData":{"mimeType":"image/png","data":"AA"}},)"
        R"({"inline_data":{"mime_type":"audio/mpeg","data":"BB"}},)"
        R"({"fileData":{"mimeType":"video/mp4","fileUri":"gs://b/v"},"videoMetadata":{"fps":1}},)"
        R"({"inlineData":{"mimeType":"application/pdf","data":"CC","displayName":"a.pdf"}},)"
        R"({"executableCode":{"code":"x"}},{"functionCall":{"name":"f"}},{})"));
    EXPECT_EQ(
        outlines(request),
        Lines{"user [image image/png,AA] [audio mp3 audio/mpeg,BB] [video video/mp4,gs://b/v] "
              "[file application/pdf,CC] [<executableCode>] [<functionCall>]"});
    EXPECT_EQ(chat::find(request.messages[0].parts[2].extras, "videoMetadata"), R"({"fps":1})");
    EXPECT_EQ(request.messages[0].parts[3].as<chat::File>()->filename_escaped, "a.pdf");
}

TEST(GeminiRequest, ReadsToolsAndTheirSchemas) {
    const Request request = accepted(with(
        R"("tools":[{"functionDeclarations":[{"name":"f","description":"d","parameters":)"
        R"({"type":"OBJECT","propertyOrdering":["type"],"properties":{"type":{"type":"STRING",)"
        R"("nullable":true,"enum":["A"],"default":"OBJECT"},"l":{"type":"ARRAY","min_items":"2",)"
        R"("items":{"anyOf":[{"type":"NUMBER"},{"type":"INTEGER"}]}}}},"behavior":"BLOCKING"},)"
        R"({"name":"g","parametersJsonSchema":{"type":"object","x":"OBJECT"}}]},)"
        R"({"googleSearch":{}},{"code_execution":{},"urlContext":{"a":1}}])"));
    ASSERT_EQ(request.tools.size(), 5U);
    EXPECT_EQ(request.tools[0].parameters_raw,
              R"({"type":"object","properties":{"type":{"type":["string","null"],)"
              R"("enum":["A",null],"default":"OBJECT"},"l":{"type":"array","minItems":2,)"
              R"("items":{"anyOf":[{"type":"number"},{"type":"integer"}]}}}})");
    EXPECT_EQ(chat::find(request.tools[0].extras, "behavior"), R"("BLOCKING")");
    EXPECT_EQ(request.tools[1].parameters_raw, R"({"type":"object","x":"OBJECT"})");
    EXPECT_EQ(request.tools[2].kind, chat::Tool::Kind::provider);
    EXPECT_EQ(request.tools[2].raw, R"({"googleSearch":{}})");
    EXPECT_EQ(request.tools[3].raw, R"({"codeExecution":{}})");
    EXPECT_EQ(request.tools[4].type, "urlContext");
}

TEST(GeminiRequest, ReadsToolChoices) {
    const auto choice = [&](std::string_view raw) {
        return accepted(with(fmt::format(R"("tools":[{{"functionDeclarations":[{{"name":"f"}},)"
                                         R"({{"name":"g"}}]}}],"toolConfig":)"
                                         R"({{"functionCallingConfig":{}}})",
                                         raw)))
            .tool_choice;
    };
    using Kind = chat::ToolChoice::Kind;
    EXPECT_EQ(choice(R"({"mode":"AUTO"})").kind, Kind::automatic);
    EXPECT_EQ(choice(R"({"mode":"NONE"})").kind, Kind::none);
    EXPECT_EQ(choice(R"({"mode":"ANY"})").kind, Kind::required);
    EXPECT_EQ(choice(R"({"mode":"ANY","allowed_function_names":["g"]})").name, "g");
    const auto some = choice(R"({"mode":"VALIDATED","allowedFunctionNames":["f","g"]})");
    EXPECT_EQ(some.allowed, (Lines{"f", "g"}));
    EXPECT_EQ(some.allowed_mode, chat::ToolChoice::Mode::automatic);
    EXPECT_EQ(chat::find(accepted(with(R"("tool_config":{"retrievalConfig":{"a":1}})")).extras,
                         "toolConfig"),
              R"({"retrievalConfig":{"a":1}})");
}

TEST(GeminiRequest, UnderstandsHowMuchItShouldThink) {
    using Show = chat::ReasoningWish::Show;
    const auto wish = [](std::string_view raw) {
        return accepted(with(fmt::format(R"("generationConfig":{{"thinkingConfig":{{{}}}}})", raw)))
            .reasoning;
    };
    EXPECT_EQ(accepted(with(R"("x":1)")).reasoning.show, Show::no);
    EXPECT_EQ(wish(R"("thinkingBudget":2000,"includeThoughts":true)").budget_tokens, 2000);
    EXPECT_EQ(wish(R"("thinkingBudget":2000,"includeThoughts":true)").show, Show::yes);
    EXPECT_EQ(wish(R"("thinkingBudget":0)").effort, chat::Effort::none);
    EXPECT_TRUE(wish(R"("thinkingBudget":-1)").effort_is_implied);
    EXPECT_EQ(wish(R"("thinkingBudget":-1)").budget_tokens, std::nullopt);
    EXPECT_TRUE(wish(R"("include_thoughts":true)").effort_is_implied);
    EXPECT_EQ(wish(R"("thinking_level":"HIGH")").effort, chat::Effort::high);
}

TEST(GeminiRequest, ReadsTheFormOfTheAnswer) {
    const auto request = [](std::string_view raw) {
        return accepted(with(fmt::format(R"("generationConfig":{{{}}})", raw)));
    };
    const auto output = [&](std::string_view raw) { return request(raw).output; };
    using Kind = chat::OutputFormat::Kind;
    EXPECT_EQ(output(R"("responseMimeType":"text/plain")").kind, Kind::text);
    EXPECT_EQ(output(R"("responseMimeType":"application/json")").kind, Kind::json_object);
    const Request openapi =
        request(R"("responseSchema":{"type":"STRING"},"responseMimeType":"application/json")");
    EXPECT_EQ(openapi.output.kind, Kind::json_schema);
    EXPECT_EQ(openapi.output.schema_raw, R"({"type":"string"})");
    EXPECT_EQ(output(R"("response_json_schema":{"type":"object"})").kind, Kind::json_schema);
    const Request rest =
        request(R"("candidateCount":2,"seed":7,"responseLogprobs":true,"logprobs":3,"topK":4,)"
                R"("speech_config":{"a":1},"responseModalities":["TEXT"])");
    EXPECT_EQ(rest.n, 2);
    EXPECT_EQ(rest.sampling.seed->raw, "7");
    EXPECT_EQ(rest.sampling.logprobs, chat::Wish::yes);
    EXPECT_EQ(rest.sampling.top_logprobs, 3);
    EXPECT_EQ(chat::find(rest.extras, "speechConfig"), R"({"a":1})");
    EXPECT_EQ(chat::find(rest.extras, "responseModalities"), R"(["TEXT"])");
}

TEST(GeminiRequest, KeepsWhatOnlyGeminiKnows) {
    const Request request =
        accepted(with(R"("safetySettings":[{"category":"c"}],"cachedContent":"cachedContents/x")"));
    EXPECT_EQ(chat::find(request.extras, "safetySettings"), R"([{"category":"c"}])");
    EXPECT_EQ(chat::find(request.extras, "cachedContent"), R"("cachedContents/x")");
}

TEST(GeminiRequest, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(refusal_of("{}"), "contents: contents is not specified");
    EXPECT_EQ(refusal_of(with_contents("")), "contents: contents is not specified");
    EXPECT_EQ(
        refusal_of(with_contents(R"({"role":"bot","parts":[]})")),
        "contents[0]: contents[0] has the role \"bot\". Please use a valid role: user, model.");
    EXPECT_EQ(refusal_of(with_parts(R"({"text":1})")),
              "contents[0].parts[0].text: contents[0].parts[0].text must be a string, not 1");
    EXPECT_TRUE(refusal_of(with_parts(R"({"functionResponse":{"name":"f","response":{}}})"))
                    .contains("answers no function call: \"f\""));
    EXPECT_TRUE(
        refusal_of(with(R"("generationConfig":{"temperature":3})")).contains("from 0 to 2"));
    EXPECT_TRUE(refusal_of(with(R"("generation_config":{"top_k":"x"})")).contains("a number"));
    EXPECT_TRUE(refusal_of(with(R"("tools":[{"functionDeclarations":[{"name":"a b"}]}])"))
                    .contains("\"a b\""));
    EXPECT_TRUE(
        refusal_of(with(R"("tools":[{"functionDeclarations":[{"name":"a"},{"name":"a"}]}])"))
            .contains("duplicate"));
    EXPECT_TRUE(refusal_of(with(R"("toolConfig":{"functionCallingConfig":{"mode":"ANY",)"
                                R"("allowedFunctionNames":["h"]}})"))
                    .contains("\"h\""));
    EXPECT_TRUE(refusal_of(with(R"("generationConfig":{"responseMimeType":"text/x.enum"})"))
                    .contains("text/x.enum"));
}

TEST(GeminiRequest, BoundsWhatAClientCanSend) {
    const auto many = [](std::string_view one, std::size_t count) {
        std::string all(one);
        for (std::size_t i = 1; i < count; ++i) all.append(",").append(one);
        return all;
    };
    EXPECT_TRUE(refusal_of(with_parts(many("{}", 40'001))).contains("one part too many"));
    EXPECT_TRUE(refusal_of(with(fmt::format(R"("tools":[{}])", many(R"({"x":{}})", 1025))))
                    .contains("one tool too many"));
    EXPECT_TRUE(
        refusal_of(
            with_contents(R"({"role":"model","parts":[{"functionCall":{"name":"f"}}]},)"
                          R"({"parts":[{"functionResponse":{"name":"f"},"functionResponse":{}}]})"))
            .contains("is given twice"));
    // Many results that find their calls by name.
    const std::string calls = many(R"({"functionCall":{"name":"f"}})", 15'000);
    const std::string results =
        many(R"({"functionResponse":{"name":"f","response":{"output":""}}})", 15'000);
    EXPECT_EQ(accepted(with_contents(fmt::format(
                           R"({{"role":"model","parts":[{}]}},{{"role":"user","parts":[{}]}})",
                           calls, results)))
                  .messages.size(),
              15'001U);
}

}  // namespace
}  // namespace runnel::api::gemini
