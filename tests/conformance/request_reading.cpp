#include "request_case.hpp"

#include <algorithm>

// A plain reading of what providers are asked, each in its own format.
namespace runnel::conformance {
namespace {

using What = Said::What;

class Reading {
public:
    RequestCase take() { return std::move(case_); }

protected:
    // Words of one kind next to each other are one text: where it is cut means nothing.
    void say(What what, const std::string& text) {
        if (text.empty()) return;
        auto& said = case_.said;
        if (what != What::image && !said.empty() && said.back().what == what)
            said.back().text += text;
        else
            said.push_back({.what = what, .text = text});
    }

    void call(const std::string& id, const std::string& name, std::string arguments) {
        ids_.push_back(id);
        answered_.push_back(false);
        names_.push_back(name);
        case_.said.push_back({.what = What::call, .text = name, .arguments = std::move(arguments)});
    }

    void result(int call, std::string text, bool failed) {
        if (call >= 0) answered_[static_cast<std::size_t>(call)] = true;
        case_.said.push_back(
            {.what = What::result, .text = std::move(text), .call = call, .failed = failed});
    }

    int call_of_id(const std::string& id) const {
        const auto found = std::ranges::find(ids_, id);
        return found == ids_.end() ? -1 : static_cast<int>(found - ids_.begin());
    }

    // Without ids, results answer the calls of their name in turn.
    int next_call_of(const std::string& name) const {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (!answered_[i] && names_[i] == name) return static_cast<int>(i);
        return -1;
    }

    void tool(const Json& function, const char* schema) {
        case_.tools.push_back({text_field(function, "name"), text_field(function, "description"),
                               field(function, schema)});
    }

    void take_field(const Json& object, const char* own, const char* name) {
        if (object.contains(own)) case_.fields[name] = object[own];
    }

    RequestCase case_;

private:
    std::vector<std::string> ids_, names_;
    std::vector<bool> answered_;
};

class OpenAiReading : public Reading {
public:
    explicit OpenAiReading(const Json& body) {
        for (const Json& message : field(body, "messages")) read_message(message);
        for (const Json& one : field(body, "tools")) tool(field(one, "function"), "parameters");
        const Json& choice = field(body, "tool_choice");
        case_.choice =
            choice.is_object() ? text_field(field(choice, "function"), "name") : text_of(choice);
        case_.one_call_only = field(body, "parallel_tool_calls") == false;
        case_.output_schema = field(field(field(body, "response_format"), "json_schema"), "schema");
        for (const char* name : {"temperature", "top_p", "top_k", "min_p", "seed",
                                 "presence_penalty", "frequency_penalty", "stop", "logit_bias",
                                 "verbosity", "prompt_cache_key", "service_tier", "user"})
            take_field(body, name, name);
        take_field(body, "max_completion_tokens", "max_tokens");
    }

private:
    void read_message(const Json& message) {
        const std::string role = text_field(message, "role");
        const Json& content = field(message, "content");
        if (role == "tool") {
            std::string text = text_of(content);
            const bool failed = text.starts_with("Error: ");
            if (failed) text.erase(0, 7);
            return result(call_of_id(text_field(message, "tool_call_id")), text, failed);
        }
        const What what = role == "assistant" ? What::assistant
                          : role == "user"    ? What::user
                                              : What::system;
        if (content.is_string()) say(what, text_of(content));
        if (content.is_array())
            for (const Json& part : content) {
                const std::string url = text_field(field(part, "image_url"), "url");
                say(what, text_field(part, "text"));
                say(What::image, url.substr(std::min(url.size(), url.find(',') + 1)));
            }
        for (const Json& one : field(message, "tool_calls"))
            call(text_field(one, "id"), text_field(field(one, "function"), "name"),
                 text_field(field(one, "function"), "arguments"));
    }
};

class AnthropicReading : public Reading {
public:
    explicit AnthropicReading(const Json& body) {
        for (const Json& block : field(body, "system"))
            say(What::system, text_field(block, "text"));
        for (const Json& message : field(body, "messages")) {
            const bool user = field(message, "role") == "user";
            for (const Json& block : field(message, "content"))
                read_block(block, user ? What::user : What::assistant);
        }
        for (const Json& one : field(body, "tools"))
            if (field(one, "name") != "unavailable") tool(one, "input_schema");
        const Json& choice = field(body, "tool_choice");
        const std::string type = text_field(choice, "type");
        case_.choice = type == "tool"  ? text_field(choice, "name")
                       : type == "any" ? "required"
                                       : type;
        if (case_.tools.empty()) case_.choice.clear();
        case_.one_call_only = field(choice, "disable_parallel_tool_use") == true;
        case_.output_schema = field(field(field(body, "output_config"), "format"), "schema");
        for (const char* name : {"temperature", "top_p", "top_k", "max_tokens"})
            take_field(body, name, name);
        take_field(body, "stop_sequences", "stop");
        take_field(field(body, "metadata"), "user_id", "user");
        if (field(body, "service_tier") == "standard_only")
            case_.fields["service_tier"] = "default";
    }

private:
    void read_block(const Json& block, What what) {
        const std::string type = text_field(block, "type");
        if (type == "text") say(what, text_field(block, "text"));
        if (type == "image") say(What::image, text_field(field(block, "source"), "data"));
        if (type == "tool_use")
            call(text_field(block, "id"), text_field(block, "name"), field(block, "input").dump());
        if (type == "tool_result")
            result(call_of_id(text_field(block, "tool_use_id")), text_field(block, "content"),
                   field(block, "is_error") == true);
    }
};

class GeminiReading : public Reading {
public:
    explicit GeminiReading(const Json& body) {
        for (const Json& part : field(field(body, "systemInstruction"), "parts"))
            say(What::system, text_field(part, "text"));
        for (const Json& content : field(body, "contents"))
            for (const Json& part : field(content, "parts"))
                read_part(part, field(content, "role") == "user" ? What::user : What::assistant);
        for (const Json& one : field(body, "tools"))
            for (const Json& function : field(one, "functionDeclarations"))
                tool(function, "parameters");
        const Json& choice = field(field(body, "toolConfig"), "functionCallingConfig");
        const std::string mode = text_field(choice, "mode");
        case_.choice = mode == "ANY"    ? "required"
                       : mode == "NONE" ? "none"
                       : mode == "AUTO" ? "auto"
                                        : "";
        if (choice.contains("allowedFunctionNames"))
            case_.choice = text_of(choice["allowedFunctionNames"][0]);
        const Json& config = field(body, "generationConfig");
        case_.output_schema = field(config, "responseSchema");
        take_field(config, "temperature", "temperature");
        take_field(config, "topP", "top_p");
        take_field(config, "topK", "top_k");
        take_field(config, "seed", "seed");
        take_field(config, "maxOutputTokens", "max_tokens");
        take_field(config, "stopSequences", "stop");
        take_field(config, "presencePenalty", "presence_penalty");
        take_field(config, "frequencyPenalty", "frequency_penalty");
    }

private:
    void read_part(const Json& part, What what) {
        say(what, text_field(part, "text"));
        say(What::image, text_field(field(part, "inlineData"), "data"));
        if (part.contains("functionCall"))
            call("", text_field(part["functionCall"], "name"),
                 field(part["functionCall"], "args").dump());
        if (!part.contains("functionResponse")) return;
        const Json& response = field(part["functionResponse"], "response");
        const bool failed = response.contains("error");
        result(next_call_of(text_field(part["functionResponse"], "name")),
               text_field(response, failed ? "error" : "output"), failed);
    }
};

class OllamaReading : public Reading {
public:
    explicit OllamaReading(const Json& body) {
        for (const Json& message : field(body, "messages")) read_message(message);
        for (const Json& one : field(body, "tools")) tool(field(one, "function"), "parameters");
        case_.output_schema = field(body, "format");
        const Json& options = field(body, "options");
        for (const char* name : {"temperature", "top_p", "top_k", "min_p", "seed",
                                 "presence_penalty", "frequency_penalty", "stop"})
            take_field(options, name, name);
        take_field(options, "num_predict", "max_tokens");
    }

private:
    void read_message(const Json& message) {
        const std::string role = text_field(message, "role");
        std::string text = text_field(message, "content");
        if (role == "tool") {
            const bool failed = text.starts_with("Error: ");
            if (failed) text.erase(0, 7);
            return result(next_call_of(text_field(message, "tool_name")), text, failed);
        }
        say(role == "user" ? What::user : role == "system" ? What::system : What::assistant, text);
        for (const Json& image : field(message, "images")) say(What::image, text_of(image));
        for (const Json& one : field(message, "tool_calls"))
            call("", text_field(field(one, "function"), "name"),
                 field(field(one, "function"), "arguments").dump());
    }
};

}  // namespace

RequestCase read_from(std::string_view provider, const Json& body) {
    if (provider == "anthropic") return AnthropicReading(body).take();
    if (provider == "gemini") return GeminiReading(body).take();
    return provider == "ollama" ? OllamaReading(body).take() : OpenAiReading(body).take();
}

}  // namespace runnel::conformance
