#include "request_case.hpp"

#include <algorithm>
#include <array>

namespace runnel::conformance {
namespace {

using What = Said::What;

constexpr std::string_view pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==";

class Maker {
public:
    Maker(std::string_view api, std::mt19937& random) : api_(api), random_(random) {}

    RequestCase make() {
        if (one_in(2)) say(What::system, words());
        if (one_in(2)) add_tools();
        const int rounds = below(3);
        for (int i = 0; i < rounds; ++i) add_round();
        add_question();
        if (!case_.tools.empty() && one_in(2)) add_choice();
        if (case_.tools.empty() && one_in(3)) case_.output_schema = schema();
        add_fields();
        return std::move(case_);
    }

private:
    int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
    bool one_in(int count) { return below(count) == 0; }
    bool is(std::string_view api) const { return api_ == api; }

    void say(What what, std::string text) { case_.said.push_back({.what = what, .text = text}); }

    std::string words() {
        static constexpr std::array<std::string_view, 10> some = {"Hello",
                                                                  "a \"quoted\" word",
                                                                  "back\\slash",
                                                                  "zwei\nlines",
                                                                  "\xF0\x9F\x98\x80",
                                                                  "tab\there",
                                                                  "Gr\xC3\xBC\xC3\x9F"
                                                                  "e",
                                                                  "</think>",
                                                                  "{\"a\": 1}",
                                                                  "\xE2\x80\xA8"};
        std::string text = "w";
        for (int i = 0; i <= below(3); ++i)
            text.append(" ").append(some[static_cast<std::size_t>(below(some.size()))]);
        return text + ".";
    }

    Json schema() {
        static const std::array<const char*, 3> some = {
            R"({"type":"object","properties":{"q":{"type":"string","description":"What to find"}},"required":["q"],"additionalProperties":false})",
            R"({"type":"object","properties":{"n":{"type":"integer"},"unit":{"type":"string","enum":["c","f"]}},"required":["n","unit"],"additionalProperties":false})",
            R"({"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}}},"required":["list"],"additionalProperties":false})"};
        return Json::parse(some[static_cast<std::size_t>(below(some.size()))]);
    }

    void add_tools() {
        static constexpr std::array<const char*, 3> names = {"find", "get_weather", "list-files"};
        for (int i = 0; i <= below(names.size()); ++i)
            case_.tools.push_back({names[static_cast<std::size_t>(i)], words(), schema()});
    }

    void add_question() {
        say(What::user, words());
        if (one_in(4)) say(What::image, std::string(pixel));
        if (one_in(4)) say(What::user, words());
    }

    void add_round() {
        add_question();
        if (case_.tools.empty() || one_in(2)) return say(What::assistant, words());
        if (one_in(2)) say(What::assistant, words());
        const int first = calls_;
        for (int i = 0; i <= below(3); ++i, ++calls_) {
            static constexpr std::array<const char*, 3> arguments = {
                R"({"q":"x \"y\""})", R"({})", R"({"n":-2.5e3,"list":[{"x":1},null,true]})"};
            const auto& tool = case_.tools[static_cast<std::size_t>(below(3)) % case_.tools.size()];
            case_.said.push_back({.what = What::call,
                                  .text = tool.name,
                                  .arguments = arguments[static_cast<std::size_t>(below(3))]});
        }
        for (int call = first; call < calls_; ++call)
            case_.said.push_back({.what = What::result,
                                  .text = words(),
                                  .call = call,
                                  .failed = (is("messages") || is("gemini")) && one_in(3)});
        if (one_in(2)) say(What::assistant, words());
    }

    void add_choice() {
        static constexpr std::array<const char*, 3> choices = {"auto", "none", "required"};
        const int which = below(4);
        case_.choice =
            which == 3 ? case_.tools.front().name : choices[static_cast<std::size_t>(which)];
        case_.one_call_only = !is("gemini") && case_.choice != "none" && one_in(2);
    }

    void maybe(const char* name, Json value) {
        if (one_in(3)) case_.fields[name] = std::move(value);
    }

    void add_fields() {
        const std::array<double, 4> temperatures = {0, 0.5, 1, 1.5};
        maybe("temperature", temperatures[static_cast<std::size_t>(below(is("messages") ? 3 : 4))]);
        maybe("top_p", 0.9);
        maybe("max_tokens", 2000 + below(50));
        if (is("messages")) case_.fields["max_tokens"] = 2000 + below(50);
        if (!is("responses")) maybe("stop", Json{"END", "a\nb"});
        if (!is("responses")) maybe("top_k", 40);
        if (!is("messages")) maybe("presence_penalty", 0.5);
        if (!is("messages")) maybe("frequency_penalty", -0.5);
        if (is("chat") || is("gemini")) maybe("seed", 7);
        if (is("chat")) maybe("min_p", 0.05);
        if (is("chat")) maybe("logit_bias", Json{{"50256", -100}});
        if (is("chat") || is("responses")) {
            maybe("verbosity", "low");
            maybe("prompt_cache_key", "key-1");
            maybe("service_tier", one_in(2) ? "flex" : "default");
        }
        if (!is("gemini")) maybe("user", "user-1");
    }

    std::string_view api_;
    std::mt19937& random_;
    RequestCase case_;
    int calls_ = 0;
};

std::string call_id(int call) { return "call_id" + std::to_string(call); }

// Writes what was said turn by turn; each API has its own words for each.
Json chat_messages(const RequestCase& asked) {
    Json messages = Json::array();
    int calls = 0;
    for (const Said& said : asked.said) {
        const bool goes_on = !messages.empty() && messages.back()["role"] == "assistant";
        switch (said.what) {
            case What::system:
                messages.push_back({{"role", "system"}, {"content", said.text}});
                break;
            case What::user: messages.push_back({{"role", "user"}, {"content", said.text}}); break;
            case What::image:
                messages.push_back(
                    {{"role", "user"},
                     {"content",
                      Json::array(
                          {{{"type", "image_url"},
                            {"image_url", {{"url", "data:image/png;base64," + said.text}}}}})}});
                break;
            case What::assistant:
                messages.push_back({{"role", "assistant"}, {"content", said.text}});
                break;
            case What::call:
                if (!goes_on) messages.push_back({{"role", "assistant"}, {"content", nullptr}});
                messages.back()["tool_calls"].push_back(
                    {{"id", call_id(calls++)},
                     {"type", "function"},
                     {"function", {{"name", said.text}, {"arguments", said.arguments}}}});
                break;
            case What::result:
                messages.push_back({{"role", "tool"},
                                    {"tool_call_id", call_id(said.call)},
                                    {"content", said.text}});
                break;
        }
    }
    return messages;
}

void put_fields(Json& into, const RequestCase& asked,
                const std::map<std::string, std::string>& renamed = {}) {
    for (const auto& [name, value] : asked.fields) {
        const auto own = renamed.find(name);
        into[own == renamed.end() ? name : own->second] = value;
    }
}

Json as_chat(const RequestCase& asked) {
    Json body = {{"messages", chat_messages(asked)}};
    for (const AskedTool& tool : asked.tools)
        body["tools"].push_back({{"type", "function"},
                                 {"function",
                                  {{"name", tool.name},
                                   {"description", tool.description},
                                   {"parameters", tool.schema}}}});
    const bool named = !asked.choice.empty() && asked.choice != "auto" && asked.choice != "none" &&
                       asked.choice != "required";
    if (named)
        body["tool_choice"] = {{"type", "function"}, {"function", {{"name", asked.choice}}}};
    else if (!asked.choice.empty())
        body["tool_choice"] = asked.choice;
    if (asked.one_call_only) body["parallel_tool_calls"] = false;
    if (!asked.output_schema.is_null())
        body["response_format"] = {
            {"type", "json_schema"},
            {"json_schema", {{"name", "answer"}, {"schema", asked.output_schema}}}};
    put_fields(body, asked);
    return body;
}

// Blocks of one role are one message.
void add_block(Json& messages, const char* role, Json block, const char* list) {
    if (messages.empty() || messages.back()["role"] != role)
        messages.push_back({{"role", role}, {list, Json::array()}});
    messages.back()[list].push_back(std::move(block));
}

Json as_messages(const RequestCase& asked) {
    Json body = Json::object();
    Json messages = Json::array();
    int calls = 0;
    for (const Said& said : asked.said) switch (said.what) {
            case What::system: body["system"] = said.text; break;
            case What::user:
                add_block(messages, "user", {{"type", "text"}, {"text", said.text}}, "content");
                break;
            case What::image:
                add_block(
                    messages, "user",
                    {{"type", "image"},
                     {"source",
                      {{"type", "base64"}, {"media_type", "image/png"}, {"data", said.text}}}},
                    "content");
                break;
            case What::assistant:
                add_block(messages, "assistant", {{"type", "text"}, {"text", said.text}},
                          "content");
                break;
            case What::call:
                add_block(messages, "assistant",
                          {{"type", "tool_use"},
                           {"id", call_id(calls++)},
                           {"name", said.text},
                           {"input", Json::parse(said.arguments)}},
                          "content");
                break;
            case What::result: {
                Json block = {{"type", "tool_result"},
                              {"tool_use_id", call_id(said.call)},
                              {"content", said.text}};
                if (said.failed) block["is_error"] = true;
                add_block(messages, "user", std::move(block), "content");
                break;
            }
        }
    for (const AskedTool& tool : asked.tools)
        body["tools"].push_back({{"name", tool.name},
                                 {"description", tool.description},
                                 {"input_schema", tool.schema}});
    if (!asked.choice.empty()) {
        body["tool_choice"] = {{"type", asked.choice == "required" ? "any" : asked.choice}};
        if (asked.choice != "auto" && asked.choice != "none" && asked.choice != "required")
            body["tool_choice"] = {{"type", "tool"}, {"name", asked.choice}};
        if (asked.one_call_only) body["tool_choice"]["disable_parallel_tool_use"] = true;
    }
    if (!asked.output_schema.is_null())
        body["output_config"] = {
            {"format", {{"type", "json_schema"}, {"schema", asked.output_schema}}}};
    put_fields(body, asked, {{"stop", "stop_sequences"}});
    if (body.contains("user")) {
        body["metadata"] = {{"user_id", body["user"]}};
        body.erase("user");
    }
    body["messages"] = std::move(messages);
    return body;
}

Json as_responses(const RequestCase& asked) {
    Json body = Json::object();
    Json input = Json::array();
    int calls = 0;
    const auto part = [&](const char* role, Json content) {
        input.push_back({{"role", role}, {"content", Json::array({std::move(content)})}});
    };
    for (const Said& said : asked.said) switch (said.what) {
            case What::system: body["instructions"] = said.text; break;
            case What::user: part("user", {{"type", "input_text"}, {"text", said.text}}); break;
            case What::image:
                part("user", {{"type", "input_image"},
                              {"image_url", "data:image/png;base64," + said.text}});
                break;
            case What::assistant:
                part("assistant", {{"type", "output_text"}, {"text", said.text}});
                break;
            case What::call:
                input.push_back({{"type", "function_call"},
                                 {"call_id", call_id(calls++)},
                                 {"name", said.text},
                                 {"arguments", said.arguments}});
                break;
            case What::result:
                input.push_back({{"type", "function_call_output"},
                                 {"call_id", call_id(said.call)},
                                 {"output", said.text}});
                break;
        }
    for (const AskedTool& tool : asked.tools)
        body["tools"].push_back({{"type", "function"},
                                 {"name", tool.name},
                                 {"description", tool.description},
                                 {"parameters", tool.schema},
                                 {"strict", false}});
    const bool named = !asked.choice.empty() && asked.choice != "auto" && asked.choice != "none" &&
                       asked.choice != "required";
    if (named)
        body["tool_choice"] = {{"type", "function"}, {"name", asked.choice}};
    else if (!asked.choice.empty())
        body["tool_choice"] = asked.choice;
    if (asked.one_call_only) body["parallel_tool_calls"] = false;
    if (!asked.output_schema.is_null())
        body["text"]["format"] = {
            {"type", "json_schema"}, {"name", "answer"}, {"schema", asked.output_schema}};
    put_fields(body, asked, {{"max_tokens", "max_output_tokens"}});
    if (body.contains("verbosity")) {
        body["text"]["verbosity"] = body["verbosity"];
        body.erase("verbosity");
    }
    body["input"] = std::move(input);
    return body;
}

Json as_gemini(const RequestCase& asked) {
    Json body = Json::object();
    Json contents = Json::array();
    const auto text = [](const std::string& words) { return Json{{"text", words}}; };
    std::vector<std::string> called;
    for (const Said& said : asked.said) switch (said.what) {
            case What::system: body["systemInstruction"]["parts"].push_back(text(said.text)); break;
            case What::user: add_block(contents, "user", text(said.text), "parts"); break;
            case What::image:
                add_block(contents, "user",
                          {{"inlineData", {{"mimeType", "image/png"}, {"data", said.text}}}},
                          "parts");
                break;
            case What::assistant: add_block(contents, "model", text(said.text), "parts"); break;
            case What::call:
                called.push_back(said.text);
                add_block(contents, "model",
                          {{"functionCall",
                            {{"name", said.text}, {"args", Json::parse(said.arguments)}}}},
                          "parts");
                break;
            case What::result:
                add_block(contents, "user",
                          {{"functionResponse",
                            {{"name", called[static_cast<std::size_t>(said.call)]},
                             {"response", {{said.failed ? "error" : "output", said.text}}}}}},
                          "parts");
                break;
        }
    Json functions = Json::array();
    for (const AskedTool& tool : asked.tools)
        functions.push_back({{"name", tool.name},
                             {"description", tool.description},
                             {"parametersJsonSchema", tool.schema}});
    if (!functions.empty()) body["tools"].push_back({{"functionDeclarations", functions}});
    if (!asked.choice.empty()) {
        Json& config = body["toolConfig"]["functionCallingConfig"];
        const bool named =
            asked.choice != "auto" && asked.choice != "none" && asked.choice != "required";
        config["mode"] = asked.choice == "auto" ? "AUTO" : asked.choice == "none" ? "NONE" : "ANY";
        if (named) config["allowedFunctionNames"] = Json::array({asked.choice});
    }
    Json config = Json::object();
    put_fields(config, asked,
               {{"max_tokens", "maxOutputTokens"},
                {"top_p", "topP"},
                {"top_k", "topK"},
                {"stop", "stopSequences"},
                {"presence_penalty", "presencePenalty"},
                {"frequency_penalty", "frequencyPenalty"}});
    if (!asked.output_schema.is_null()) {
        config["responseMimeType"] = "application/json";
        config["responseJsonSchema"] = asked.output_schema;
    }
    if (!config.empty()) body["generationConfig"] = config;
    body["contents"] = std::move(contents);
    return body;
}

}  // namespace

RequestCase random_case(std::string_view api, std::mt19937& random) {
    return Maker(api, random).make();
}

std::string written_as(std::string_view api, const RequestCase& asked, std::string_view model) {
    Json body = api == "chat"        ? as_chat(asked)
                : api == "messages"  ? as_messages(asked)
                : api == "responses" ? as_responses(asked)
                                     : as_gemini(asked);
    if (api != "gemini") body["model"] = model;
    return body.dump();
}

std::string describe(const RequestCase& asked) {
    static constexpr std::array<const char*, 6> names = {"system", "user", "assistant",
                                                         "image",  "call", "result"};
    std::string lines;
    for (const Said& said : asked.said)
        lines.append(names[static_cast<std::size_t>(said.what)])
            .append(said.call < 0 ? "" : " of " + std::to_string(said.call))
            .append(said.failed ? " (failed) " : " ")
            .append(said.text.substr(0, 60))
            .append(" ")
            .append(said.arguments)
            .append("\n");
    for (const AskedTool& tool : asked.tools)
        lines += "tool " + tool.name + ": " + tool.description + " " + tool.schema.dump() + "\n";
    lines += "choice " + asked.choice + (asked.one_call_only ? ", one call only" : "") + "\n";
    lines += "output " + asked.output_schema.dump() + "\n";
    for (const auto& [name, value] : asked.fields) lines += name + " " + value.dump() + "\n";
    return lines;
}

}  // namespace runnel::conformance
