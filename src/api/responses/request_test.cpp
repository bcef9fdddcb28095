#include "api/responses/request.hpp"

#include "api/responses/sealed.hpp"
#include "api/responses/stored_items.hpp"
#include "api/responses/tools.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::responses {
namespace {

using chat::Message;
using chat::Part;
using chat::Request;

Result<Request> read(std::string body) {
    json::Parser parser;
    auto request = read_request(std::move(body), &parser);
    if (!request) return request;
    if (auto checked = check_request(*request); !checked) return propagate(checked);
    return request;
}

std::string with(std::string_view fields) {
    return fmt::format(R"({{"model":"m","input":"Hi",{}}})", fields);
}

std::string with_input(std::string_view items) {
    return fmt::format(R"({{"model":"m","input":[{}]}})", items);
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

std::string outline(const Part& part) {
    if (const auto* text = part.as<chat::Text>()) return std::string(text->text_escaped);
    if (const auto* refusal = part.as<chat::Refusal>())
        return fmt::format("!{}", refusal->text_escaped);
    if (const auto* call = part.as<chat::ToolCall>())
        return fmt::format("{}{}={}{}{}",
                           call->kind == chat::ToolCall::Kind::custom ? "custom " : "", call->id,
                           call->name, call->arguments_escaped, call->arguments_raw);
    if (const auto* thought = part.as<chat::Reasoning>())
        return fmt::format("({}|{}|{}|{}|{})", thought->text_escaped, thought->signature_escaped,
                           thought->encrypted_escaped, thought->id, thought->issuer);
    if (const auto* image = part.as<chat::Image>())
        return fmt::format("image:{}{}{}", image->source.data_escaped, image->source.url_escaped,
                           image->source.file_id_escaped);
    if (const auto* file = part.as<chat::File>())
        return fmt::format("file:{}{}{}", file->source.data_escaped, file->source.url_escaped,
                           file->source.file_id_escaped);
    if (const auto* audio = part.as<chat::Audio>())
        return fmt::format("audio:{}", audio->format_escaped);
    return fmt::format("<{}>", part.as<chat::Other>()->type);
}

// The messages, each in a line: its role and what its parts are.
std::string outlines(const Request& request) {
    std::string lines;
    for (const Message& message : request.messages) {
        lines += chat::name_of(message.role);
        for (const Part& part : message.parts) lines += ' ' + outline(part);
        lines += '\n';
    }
    return lines;
}

TEST(ResponsesRequest, ReadsEveryKindOfItem) {
    const struct {
        std::string_view items;
        std::string_view outlines;
    } rows[] = {
        {R"({"role":"user","content":"a"})", "user a\n"},
        {R"({"type":"message","role":"developer","content":[{"type":"input_text","text":"d"}]},)"
         R"({"role":"system","content":"s"})",
         "developer d\nsystem s\n"},
        {R"({"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA",)"
         R"("detail":"low"},{"type":"input_image","image_url":"https://x/y.png"},)"
         R"({"type":"input_image","file_id":"f1"}]})",
         "user image:AA image:https://x/y.png image:f1\n"},
        {R"({"role":"user","content":[{"type":"input_file","file_data":"BB","filename":"a.pdf"},)"
         R"({"type":"input_file","file_url":"https://x/a.pdf"},)"
         R"({"type":"input_audio","input_audio":{"data":"CC","format":"wav"}},)"
         R"({"type":"input_video","x":1}]})",
         "user file:BB file:https://x/a.pdf audio:wav <input_video>\n"},
        {R"({"type":"message","id":"msg_1","role":"assistant","status":"completed","content":)"
         R"([{"type":"output_text","text":"t","annotations":[]},{"type":"refusal","refusal":"no"}]})",
         "assistant t !no\n"},
        {R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},)"
         R"({"type":"function_call_output","call_id":"c1","output":"one"})",
         "assistant c1=f{}\ntool one\n"},
        {R"({"type":"custom_tool_call","call_id":"c1","name":"sh","input":"ls\n"},)"
         R"({"type":"custom_tool_call_output","call_id":"c1","output":[)"
         R"({"type":"input_text","text":"two"},{"type":"input_image","file_id":"f"}]})",
         "assistant custom c1=shls\\n\ntool two image:f\n"},
        {R"({"type":"function_call","call_id":"c1","name":"f","namespace":"g","arguments":{"a":1}})",
         "assistant c1=g__f{\"a\":1}\n"},
        {R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},)"
         R"({"type":"summary_text","text":"b"}],"encrypted_content":"E"})",
         "assistant (a\\n\\nb||E|rs_1|openai)\n"},
        {R"({"type":"reasoning","summary":[],"content":"old"})", "assistant (old||||)\n"},
        {R"({"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"a"})",
         "user a\n"},
        {R"({"type":"reasoning","id":"rs_1","summary":[],)"
         R"("encrypted_content":"runnel:8:gemini/x:signature:G"})",
         "assistant (|G||rs_1|gemini/x)\n"},
        {R"({"type":"web_search_call","id":"ws_1","status":"completed"},)"
         R"({"type":"compaction","encrypted_content":"x"})",
         "assistant <web_search_call> <compaction>\n"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(outlines(accepted(with_input(row.items))), row.outlines) << row.items;
}

TEST(ResponsesRequest, MakesOneMessageOfWhatTheAssistantDidInARow) {
    const Request request = accepted(with_input(
        R"({"role":"user","content":"x"},)"
        R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},)"
        R"({"role":"assistant","phase":"commentary","content":"let me see"},)"
        R"({"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},)"
        R"({"type":"function_call","call_id":"c2","name":"f","arguments":""},)"
        R"({"type":"function_call_output","call_id":"c1","output":"1"},)"
        R"({"type":"function_call_output","call_id":"c2","output":"2"},)"
        R"({"role":"assistant","content":[{"type":"output_text","text":"done"}]})"));
    EXPECT_EQ(outlines(request), "user x\nassistant (||E|rs_1|openai) let me see c1=f{} c2=f\n"
                                 "tool 1\ntool 2\nassistant done\n");
    const Message& turn = request.messages[1];
    EXPECT_EQ(chat::find(turn.parts[1].extras, "phase"), R"("commentary")");
    EXPECT_EQ(chat::find(turn.parts[2].extras, "id"), R"("fc_1")");
    EXPECT_EQ(request.messages[3].tool_call_id, "c2");
    EXPECT_EQ(request.messages[4].number, 5U);
}

TEST(ResponsesRequest, PutsInstructionsFirst) {
    const Request request = accepted(with(R"("instructions":"Be brief.")"));
    EXPECT_EQ(outlines(request), "system Be brief.\nuser Hi\n");
    EXPECT_EQ(request.api, chat::Api::responses);
}

TEST(ResponsesRequest, ReadsWhatIsWantedOfTheAnswer) {
    const Request request = accepted(
        with(R"("stream":true,"max_output_tokens":9,"temperature":0.5,"top_logprobs":2,)"
             R"("text":{"format":{"type":"json_schema","name":"n","schema":{"a":1},"strict":true},)"
             R"("verbosity":"low"},"reasoning":{"effort":"high","summary":"auto","context":"x"},)"
             R"("include":["reasoning.encrypted_content"],"metadata":{"k":"v"},"user":"u",)"
             R"("prompt_cache_key":"p","service_tier":"flex","truncation":"auto","store":true,)"
             R"("parallel_tool_calls":false,"client_metadata":{"a":1},"background":false,)"
             R"("previous_response_id":null)"));
    EXPECT_TRUE(request.streams());
    EXPECT_EQ(request.max_tokens, 9);
    EXPECT_EQ(request.sampling.temperature->raw, "0.5");
    EXPECT_EQ(request.sampling.logprobs, chat::Wish::yes);
    EXPECT_EQ(request.output.schema_raw, R"({"a":1})");
    EXPECT_EQ(request.output.strict, true);
    EXPECT_EQ(request.verbosity, "low");
    EXPECT_EQ(request.reasoning.effort, chat::Effort::high);
    EXPECT_EQ(request.reasoning.summary, "auto");
    EXPECT_EQ(request.metadata_raw, R"({"k":"v"})");
    EXPECT_EQ(request.session, "p");
    EXPECT_EQ(request.service_tier, "flex");
    EXPECT_EQ(request.parallel_tool_calls, false);
    EXPECT_TRUE(request.conversation.keep);
    for (const std::string_view kept : {"reasoning", "include", "truncation", "client_metadata"})
        EXPECT_FALSE(chat::find(request.extras, kept).empty()) << kept;
}

constexpr std::string_view tools =
    R"("tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},)"
    R"("strict":null,"defer_loading":true},)"
    R"({"type":"custom","name":"sh","format":{"type":"grammar","syntax":"lark"}},)"
    R"({"type":"namespace","name":"g","description":"group","tools":[)"
    R"({"type":"function","name":"f","parameters":{}}]},{"type":"web_search","size":"low"}])";

TEST(ResponsesRequest, ReadsToolsAndTheirGroups) {
    const Request request = accepted(with(tools));
    ASSERT_EQ(request.tools.size(), 4U);
    EXPECT_EQ(request.tools[0].parameters_raw, R"({"type":"object"})");
    EXPECT_EQ(chat::find(request.tools[0].extras, "defer_loading"), "true");
    EXPECT_EQ(request.tools[1].kind, chat::Tool::Kind::custom);
    EXPECT_EQ(request.tools[1].format_raw, R"({"type":"grammar","syntax":"lark"})");
    EXPECT_EQ(request.tools[2].name, "g__f");
    EXPECT_EQ(request.tools[2].parameters_raw, "");
    EXPECT_EQ(request.tools[3].kind, chat::Tool::Kind::provider);
    EXPECT_EQ(request.tools[3].type, "web_search");
    EXPECT_EQ(request.tools[3].raw, R"({"type":"web_search","size":"low"})");
    const ClientTool called = find_called(&request, "g__f");
    EXPECT_EQ(called.name, "f");
    EXPECT_EQ(called.group, "g");
}

TEST(ResponsesRequest, TakesToolsThatItemsBring) {
    const Request request = accepted(
        R"({"input":[{"type":"additional_tools","role":"developer","tools":[)"
        R"({"type":"function","name":"f"},{"type":"function","name":"late"}]},)"
        R"({"role":"user","content":"x"}],"tools":[{"type":"function","name":"f"}],"model":"m"})");
    ASSERT_EQ(request.tools.size(), 2U);
    EXPECT_EQ(request.tools[1].name, "late");
    EXPECT_EQ(outlines(request), "user x\n");
}

TEST(ResponsesRequest, ReadsToolChoices) {
    const auto choice = [&](std::string_view raw) {
        return accepted(with(fmt::format(R"({},"tool_choice":{})", tools, raw))).tool_choice;
    };
    using Kind = chat::ToolChoice::Kind;
    EXPECT_EQ(choice(R"("required")").kind, Kind::required);
    EXPECT_EQ(choice(R"({"type":"function","name":"f"})").name, "f");
    EXPECT_EQ(choice(R"({"type":"function","name":"f","namespace":"g"})").name, "g__f");
    EXPECT_EQ(choice(R"({"type":"web_search"})").kind, Kind::required);
    const chat::ToolChoice allowed =
        choice(R"({"type":"allowed_tools","mode":"required","tools":[)"
               R"({"type":"function","name":"f"},{"type":"web_search"}]})");
    EXPECT_EQ(allowed.allowed, std::vector<std::string>{"f"});
    EXPECT_EQ(allowed.allowed_mode, chat::ToolChoice::Mode::required);
}

TEST(ResponsesRequest, RefusesWhatNobodyKeeps) {
    const auto request = read(with(R"("prompt":{"id":"p"})"));
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().kind, ErrorKind::unsupported_parameter);
    EXPECT_TRUE(request.error().message.contains(" is not supported: "));
}

TEST(ResponsesRequest, TellsItsConversationAndWhetherItRunsInTheBackground) {
    EXPECT_EQ(accepted(with(R"("conversation":"conv_1")")).conversation.id, "conv_1");
    EXPECT_EQ(accepted(with(R"("conversation":{"id":"conv_1"})")).conversation.id, "conv_1");
    EXPECT_EQ(accepted(with(R"("conversation":null)")).conversation.id, "");
    EXPECT_TRUE(refusal_of(with(R"("conversation":{})")).contains("id of a conversation"));
    EXPECT_TRUE(refusal_of(with(R"("conversation":"conv_1","previous_response_id":"resp_1")"))
                    .contains("Mutually exclusive"));
    EXPECT_TRUE(accepted(with(R"("background":true)")).conversation.in_background);
    EXPECT_FALSE(accepted(with(R"("background":false)")).conversation.in_background);
    EXPECT_FALSE(accepted(with(R"("user":"u")")).conversation.in_background);
    EXPECT_TRUE(refusal_of(with(R"("background":true,"store":false)")).contains("needs store"));
}

TEST(ResponsesRequest, NamesTheItemsThatStandForOthers) {
    const std::string body = R"({"model":"m","input":[{"role":"user","content":"Hi"},)"
                             R"({"type":"item_reference","id":"fc_A_0"},{"id":"msg_A_1"},)"
                             R"({"type":"function_call_output","call_id":"c1","output":"42"}]})";
    EXPECT_EQ(accepted(body).conversation.references,
              (std::vector<std::string>{"fc_A_0", "msg_A_1"}));
    EXPECT_EQ(response_of_item("fc_A_0"), "resp_A");
    EXPECT_EQ(response_of_item("in_a1_b_12"), "resp_a1_b");
    EXPECT_EQ(response_of_item("fc_A"), "");
    EXPECT_EQ(response_of_item("x"), "");
    Items items;
    for (const auto& output :
         output_items(R"({"output":[{"id":"fc_A_0","type":"function_call","call_id":"c1",)"
                      R"("name":"f","arguments":"{}"}]})"))
        items.emplace(id_of(output), output);
    items.emplace("msg_A_1", plain_items(R"("Ho")", "msg_A_").front());
    const auto whole = with_items(body, items);
    ASSERT_TRUE(whole);
    const Request request = accepted(*whole);
    EXPECT_TRUE(request.conversation.references.empty());
    ASSERT_EQ(request.messages.size(), 4U);
    EXPECT_TRUE(request.messages[1].has_calls());
    EXPECT_EQ(request.messages[2].role, chat::Role::user);
}

TEST(ResponsesRequest, TellsItsItemsWithWhatIsPlain) {
    const auto items = plain_items(R"([{"role":"assistant","content":"Hi"},{"id":"x","type":"y"}])",
                                   input_id_begin("resp_A"));
    std::string text;
    for (const auto& item : items) json::append_tree(text, item);
    EXPECT_EQ(text, R"({"role":"assistant","content":[{"type":"output_text","text":"Hi"}],)"
                    R"("type":"message","id":"in_A_0"},{"id":"x","type":"y"})");
    json::Parser parser;
    EXPECT_TRUE(check_items(R"([{"role":"user","content":"Hi"}])", &parser));
    EXPECT_FALSE(check_items(R"([{"role":"nobody","content":"Hi"}])", &parser));
    EXPECT_FALSE(check_items(R"([{"type":"item_reference","id":"fc_A_0"}])", &parser));
    EXPECT_FALSE(check_items(R"(7)", &parser));
}

TEST(ResponsesRequest, IsKeptUnlessItSaysOtherwise) {
    EXPECT_TRUE(accepted(with(R"("user":"u")")).conversation.keep);
    EXPECT_FALSE(accepted(with(R"("store":false)")).conversation.keep);
    EXPECT_EQ(accepted(with(R"("user":"u")")).conversation.input_raw, R"("Hi")");
    EXPECT_TRUE(refusal_of(with(R"("previous_response_id":"")")).contains("id of a response"));
    EXPECT_TRUE(refusal_of(with(R"("previous_response_id":7)")).contains("a string"));
}

TEST(ResponsesRequest, GoesOnFromEarlierTurns) {
    // The call is in the turn before.
    Request request = accepted(
        R"({"model":"m","instructions":"Be brief.","previous_response_id":"resp_2","input":[)"
        R"({"type":"function_call_output","call_id":"c1","output":"42"}]})");
    EXPECT_EQ(request.conversation.previous, "resp_2");
    json::Parser parser;
    std::vector<EarlierTurn> turns{
        {R"("Hello")", R"({"id":"resp_1","output":[{"id":"msg_1","type":"message","role":)"
                       R"("assistant","content":[{"type":"output_text","text":"Hi."}]}]})"},
        {R"([{"role":"user","content":"Look it up."}])",
         R"({"id":"resp_2","output":[{"id":"fc_1","type":"function_call","call_id":"c1",)"
         R"("name":"f","arguments":"{}"}]})"}};
    ASSERT_TRUE(add_earlier(turns, &request, &parser));
    std::vector<std::string> roles;
    for (const Message& message : request.messages) {
        roles.emplace_back(chat::name_of(message.role));
        EXPECT_EQ(message.number, roles.size());
    }
    EXPECT_EQ(roles, (std::vector<std::string>{"system", "user", "assistant", "user", "assistant",
                                               "tool"}));
    EXPECT_EQ(std::get<chat::Text>(request.messages[3].parts[0].content).text_escaped,
              "Look it up.");
}

TEST(ResponsesRequest, GoesOnWithResultsOfKnownCallsOnly) {
    Request request = accepted(R"({"model":"m","previous_response_id":"resp_1","input":[)"
                               R"({"type":"function_call_output","call_id":"c9","output":"42"}]})");
    json::Parser parser;
    const auto added = add_earlier({{R"("Hello")", R"({"output":[]})"}}, &request, &parser);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().kind, ErrorKind::tool_call_id_mismatch);
}

TEST(ResponsesRequest, SaysWhatIsWrongAndWhere) {
    EXPECT_TRUE(refusal_of(R"({"model":"m"})").starts_with("input: "));
    EXPECT_TRUE(refusal_of(with_input("")).starts_with("input: "));
    EXPECT_EQ(refusal_of(with_input("{}")), "input[0].type: input[0] needs a field type");
    EXPECT_TRUE(refusal_of(with_input(R"({"role":"bot","content":"x"})")).contains("\"bot\""));
    EXPECT_TRUE(
        refusal_of(with_input(R"({"type":"function_call_output","call_id":"c9","output":"x"})"))
            .contains("No tool call found"));
    EXPECT_TRUE(
        refusal_of(with(R"("tools":[{"type":"function","name":"a b"}])")).contains("\"a b\""));
    EXPECT_TRUE(refusal_of(with(R"("tools":[{"type":"function","name":"f"},)"
                                R"({"type":"function","name":"f"}])"))
                    .contains("two of the name"));
    EXPECT_TRUE(
        refusal_of(with(R"("tool_choice":{"type":"function","name":"g"})")).contains("\"g\""));
    EXPECT_TRUE(refusal_of(with(R"("text":{"format":{"type":"xml"}})")).contains("json_schema"));
}

TEST(ResponsesRequest, BoundsWhatClientsCount) {
    const auto repeated = [](std::string_view item, std::size_t count) {
        std::string all;
        for (std::size_t i = 0; i < count; ++i) all.append(i > 0 ? "," : "").append(item);
        return all;
    };
    EXPECT_TRUE(refusal_of(with_input(repeated(R"({"type":"x"})", 40'001))).contains("too many"));
    std::string many;
    for (int i = 0; i < 1025; ++i)
        many += fmt::format(R"({}{{"type":"function","name":"f{}"}})", i > 0 ? "," : "", i);
    EXPECT_TRUE(refusal_of(with(fmt::format(R"("tools":[{}])", many))).contains("1024"));
    EXPECT_TRUE(
        refusal_of(
            with(fmt::format(R"("tools":[{{"type":"namespace","name":"g","tools":[{}]}}])", many)))
            .contains("1024"));
}

TEST(SealedReasoning, ComesBackAsItWasAndToItsIssuerOnly) {
    const struct {
        Seal seal;
        std::string_view issuer;
        std::string_view issuer_read;
    } rows[] = {{Seal::signature, "anthropic/c:1", "anthropic/c:1"},
                {Seal::encrypted, "anthropic/c:1", "anthropic/c:1"},
                {Seal::encrypted, "openai/gpt-5", "openai"},
                {Seal::encrypted, "azure/gpt-5", "openai"}};
    for (const auto& row : rows) {
        std::string carried;
        append_sealed(carried, row.seal, row.issuer, "DATA");
        chat::Reasoning reasoning;
        read_sealed(carried, reasoning);
        EXPECT_EQ(reasoning.issuer, row.issuer_read);
        const bool is_signature = row.seal == Seal::signature;
        EXPECT_EQ(reasoning.signature_escaped, is_signature ? "DATA" : "");
        EXPECT_EQ(reasoning.encrypted_escaped, is_signature ? "" : "DATA");
    }
    std::string own;
    append_sealed(own, Seal::encrypted, "openai/gpt-5", "DATA");
    EXPECT_EQ(own, "DATA");
}

}  // namespace
}  // namespace runnel::api::responses
