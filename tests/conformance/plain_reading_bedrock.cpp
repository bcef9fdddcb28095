#include "plain_json.hpp"
#include "plain_reading.hpp"

#include <array>
#include <map>

// Bedrock's answers: Converse, whose stream is binary, and the models' own formats, which come from
// InvokeModel and in a stream as base64 inside its events.
namespace runnel::conformance {
namespace {

struct Message {
    std::map<std::string, std::string> headers;
    std::string payload;
};

std::size_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
    std::size_t number = 0;
    for (std::size_t i = at; i < at + size; ++i)
        number = 256 * number + static_cast<unsigned char>(bytes[i]);
    return number;
}

// Bit by bit, as the polynomial says.
std::size_t sum_of(std::string_view bytes) {
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = sum % 2 == 1 ? sum / 2 ^ 0xEDB88320 : sum / 2;
    }
    return sum ^ 0xFFFFFFFF;
}

// The whole messages; `broken` where one has a wrong sum.
std::vector<Message> messages_of(std::string_view bytes, bool& broken) {
    std::vector<Message> messages;
    while (bytes.size() >= 12) {
        if (sum_of(bytes.substr(0, 8)) != number_at(bytes, 8, 4)) broken = true;
        const std::size_t total = number_at(bytes, 0, 4);
        const std::size_t headers_end = 12 + number_at(bytes, 4, 4);
        if (broken || bytes.size() < total) break;
        if (sum_of(bytes.substr(0, total - 4)) != number_at(bytes, total - 4, 4)) {
            broken = true;
            break;
        }
        Message message;
        for (std::size_t at = 12; at < headers_end;) {
            const std::size_t name_size = number_at(bytes, at, 1);
            const std::string name(bytes.substr(at + 1, name_size));
            at += 1 + name_size + 1;  // all of them are strings
            const std::size_t size = number_at(bytes, at, 2);
            message.headers[name] = bytes.substr(at + 2, size);
            at += 2 + size;
        }
        message.payload = bytes.substr(headers_end, total - 4 - headers_end);
        messages.push_back(std::move(message));
        bytes.remove_prefix(total);
    }
    return messages;
}

std::string from_base64(const std::string& text) {
    static const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned buffer = 0;
    int bits = 0;
    for (const char c : text) {
        if (c == '=') break;
        buffer = buffer << 6 | static_cast<unsigned>(digits.find(c));
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(buffer >> bits & 0xFF);
    }
    return bytes;
}

std::string converse_finish(const std::string& native) {
    if (native == "tool_use") return "tool_calls";
    if (native == "max_tokens" || native == "model_context_window_exceeded") return "length";
    if (native == "guardrail_intervened" || native == "content_filtered") return "content_filter";
    return native.empty() ? "" : "stop";
}

class Reading {
public:
    Answer read_stream(std::string_view bytes) {
        bool broken = false;
        std::string native;  // the events of a model's own format, as its own API has them
        for (const Message& message : messages_of(bytes, broken)) {
            const auto header = [&](const char* name) {
                const auto found = message.headers.find(name);
                return found == message.headers.end() ? std::string() : found->second;
            };
            if (header(":message-type") != "event") {
                fail(header(":exception-type") + message.payload);
                return std::move(answer_);
            }
            Json payload = parse_or_null(message.payload);
            if (header(":event-type") != "chunk") {
                on(header(":event-type"), payload);
                continue;
            }
            const std::string inside = from_base64(text_field(payload, "bytes"));
            payload = parse_or_null(inside);
            if (!field(payload, "type").is_null() || !field(payload, "choices").is_null()) {
                native += "data: " + inside + "\n\n";
            } else {
                for (const auto& [name, value] : payload.items()) on(name, value);
            }
        }
        if (native.contains("\"choices\"")) {
            Answer answer = read_openai_plainly("openai", native);
            // Here all ids have the same beginning, whoever made them.
            for (auto& [number, choice] : answer.choices)
                for (ToolCall& call : choice.tool_calls) call.id = "call_" + call.id;
            return answer;
        }
        if (!native.empty()) return read_anthropic_plainly(native);
        if (broken) fail("a wrong checksum");
        finish();
        return std::move(answer_);
    }

    Answer read_body(std::string_view bytes) {
        const Json body = parse_or_null(std::string(bytes));
        if (text_field(body, "type") == "message") return read_anthropic_plainly(bytes);
        const Json& content = field(field(field(body, "output"), "message"), "content");
        if (!content.is_array()) {
            fail("no message");
            return std::move(answer_);
        }
        int index = 0;
        for (const Json& block : content) {
            const Json& tool = field(block, "toolUse");
            if (!tool.is_null()) begin_tool(index, tool);
            piece(index++, block);
        }
        choice().finish = converse_finish(text_field(body, "stopReason"));
        count(field(body, "usage"));
        finish();
        return std::move(answer_);
    }

private:
    void on(const std::string& name, const Json& event) {
        const auto index = count_field(event, "contentBlockIndex").value_or(0);
        if (name == "messageStart") choice();
        if (name == "contentBlockStart") {
            const Json& start = field(event, "start");
            if (!field(start, "toolUse").is_null()) begin_tool(index, field(start, "toolUse"));
        }
        if (name == "contentBlockDelta") piece(index, field(event, "delta"));
        if (name == "messageStop")
            choice().finish = converse_finish(text_field(event, "stopReason"));
        if (name == "metadata") count(field(event, "usage"));
    }

    // A tool that the provider runs itself is none of the client's.
    void begin_tool(std::int64_t index, const Json& tool) {
        if (!text_field(tool, "type").empty()) return;
        calls_[index] = choice().tool_calls.size();
        choice().tool_calls.push_back({.id = "call_" + text_field(tool, "toolUseId"),
                                       .name = text_field(tool, "name"),
                                       .arguments = "",
                                       .compare = ToolCall::Compare::text});
    }

    void piece(std::int64_t index, const Json& block) {
        choice().text += text_field(block, "text");
        const Json& reasoning = field(block, "reasoningContent");
        choice().reasoning += text_field(reasoning, "text");
        choice().reasoning += text_field(field(reasoning, "reasoningText"), "text");
        for (const Json& part : field(field(block, "citationsContent"), "content"))
            choice().text += text_field(part, "text");
        const Json& input = field(field(block, "toolUse"), "input");
        if (!calls_.contains(index) || input.is_null()) return;
        ToolCall& call = choice().tool_calls[calls_[index]];
        if (input.is_string()) {
            call.arguments += input.get<std::string>();
        } else if (!input.empty()) {
            call.arguments = input.dump();
            call.compare = ToolCall::Compare::value;
        }
    }

    void count(const Json& counts) {
        const auto either = [&](const char* name, const char* other) {
            const auto found = count_field(counts, name);
            return found ? found : count_field(counts, other);
        };
        const auto input = count_field(counts, "inputTokens");
        const auto output = count_field(counts, "outputTokens");
        if (!input && !output) return;
        Usage usage;
        usage.cached = either("cacheReadInputTokens", "cacheReadInputTokenCount");
        usage.cache_write = either("cacheWriteInputTokens", "cacheWriteInputTokenCount");
        usage.prompt = input.value_or(0) + usage.cached.value_or(0) + usage.cache_write.value_or(0);
        usage.completion = output.value_or(0);
        usage.total = usage.prompt + usage.completion;
        answer_.usage = usage;
    }

    void finish() {
        if (!answer_.failed && choice().finish.empty()) fail("ended early");
        if (choice().finish == "stop" && !choice().tool_calls.empty())
            choice().finish = "tool_calls";
    }

    Choice& choice() { return answer_.choices[0]; }

    void fail(std::string why) {
        answer_.failed = true;
        answer_.failure = std::move(why);
    }

    Answer answer_;
    std::map<std::int64_t, std::size_t> calls_;
};

}  // namespace

Answer read_bedrock_plainly(std::string_view bytes) {
    return bytes.starts_with("{") ? Reading().read_body(bytes) : Reading().read_stream(bytes);
}

}  // namespace runnel::conformance
