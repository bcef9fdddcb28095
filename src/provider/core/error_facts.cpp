#include "provider/core/error_facts.hpp"

#include "provider/core/retry_delay.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>

namespace runnel::provider {
namespace {

namespace dom = simdjson::dom;

// Errors are rare, so they are read into a tree: their shapes are many and their fields come in any
// order.
std::string text_of(dom::element value) {
    std::string_view text;
    if (!value.get(text)) return std::string(text);
    if (value.is_int64() || value.is_uint64()) return simdjson::minify(value);
    return {};
}

std::string text_at(dom::object object, std::string_view key) {
    dom::element value;
    return object[key].get(value) ? std::string() : text_of(value);
}

std::string first_text(dom::object object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
        if (std::string text = text_at(object, key); !text.empty()) return text;
    return {};
}

// An HTTP status if `text` is one: 429, "401".
int status_in(std::string_view text) {
    int status = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && status >= 300 && status <= 599 ? status : 0;
}

int status_at(dom::object object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
        if (const int status = status_in(text_at(object, key))) return status;
    return 0;
}

void add_line(std::string& text, std::string_view more) {
    if (more.empty()) return;
    if (!text.empty()) text += "; ";
    text += more;
}

// Google's details[]: the reason of an ErrorInfo, the quota of a QuotaFailure, the delay of a
// RetryInfo.
void read_google_details(dom::array details, ErrorFacts& facts) {
    for (const dom::element element : details) {
        dom::object detail;
        if (element.get(detail)) continue;
        if (std::string reason = text_at(detail, "reason"); !reason.empty()) facts.code = reason;
        if (const auto delay = read_duration(text_at(detail, "retryDelay")))
            facts.retry_after = delay;
        dom::array violations;
        if (detail["violations"].get(violations)) continue;
        for (const dom::element violation : violations) {
            dom::object quota;
            if (violation.get(quota)) continue;
            if (std::string id = text_at(quota, "quotaId"); !id.empty()) facts.code = id;
        }
    }
}

void read_body(std::string_view body, ErrorFacts& facts);

// OpenRouter's metadata: what the model's own host said (a sentence, or an error body of its own),
// why a prompt was stopped, whose limit was hit, its own name for what went wrong.
void read_metadata(dom::object metadata, ErrorFacts& facts) {
    for (const std::string_view name : {"error_type", "limit_source"})
        if (std::string word = text_at(metadata, name); !word.empty()) facts.code = word;
    dom::array reasons;
    if (!metadata["reasons"].get(reasons)) facts.code = "moderation";
    ErrorFacts host;
    read_body(text_at(metadata, "raw"), host);
    add_line(facts.message, host.message);
    if (status_in(facts.code) != 0 && !host.code.empty()) facts.code = host.code;
    if (facts.param.empty()) facts.param = host.param;
}

// FastAPI's detail: a sentence, or a list of {loc, msg, type}.
std::string detail_text(dom::element detail) {
    std::string text = text_of(detail);
    dom::array problems;
    if (detail.get(problems)) return text;
    for (const dom::element element : problems) {
        dom::object problem;
        if (element.get(problem)) continue;
        std::string where;
        dom::array path;
        if (!problem["loc"].get(path))
            for (const dom::element step : path)
                where += (where.empty() ? "" : ".") + text_of(step);
        const std::string what = text_at(problem, "msg");
        add_line(text, where.empty() ? what : fmt::format("{}: {}", where, what));
    }
    return text;
}

// MiniMax' own numbers (base_resp.status_code) in everybody's words.
std::string_view minimax_type(std::int64_t code) {
    switch (code) {
        case 1002:
        case 1041: return "rate_limit_error";
        case 1004:
        case 2049: return "authentication_error";
        case 1008:
        case 2056: return "insufficient_quota";
        case 1026:
        case 1027: return "content_filter";
        case 1039: return "context_length_exceeded";
        case 2013: return "invalid_request_error";
        case 1001: return "timeout_error";
        default: return "server_error";
    }
}

// The message may be an object that holds what a `detail` does (Mistral's of a 422).
std::string message_within(dom::object error) {
    dom::object message;
    dom::element detail;
    if (!error["message"].get(message) && !message["detail"].get(detail))
        return detail_text(detail);
    return error["detail"].get(detail) ? std::string() : detail_text(detail);
}

void read_error_object(dom::object error, ErrorFacts& facts) {
    facts.message = first_text(error, {"message", "Message", "detail", "msg", "error"});
    facts.code = text_at(error, "code");
    facts.type = text_at(error, "type");
    facts.param = text_at(error, "param");
    if (facts.type.empty()) facts.type = text_at(error, "status");
    if (facts.status == 0)
        facts.status = status_at(error, {"status_code", "raw_status_code", "status", "code"});
    dom::array list;
    if (!error["details"].get(list)) read_google_details(list, facts);
    dom::object object;
    if (!error["details"].get(object))
        if (std::string code = text_at(object, "error_code"); !code.empty()) facts.code = code;
    if (!error["metadata"].get(object)) read_metadata(object, facts);
    if (facts.message.empty()) facts.message = message_within(error);
}

bool has_error(dom::object object, dom::element& error) {
    return !object["error"].get(error) && !error.is_null();
}

// Beside an answer, the error may be a choice's (OpenRouter) or Groq's own member's; Cloudflare has
// a list of them.
bool find_error(dom::object document, dom::element& error) {
    dom::object groq;
    dom::array errors;
    dom::array choices;
    if (has_error(document, error)) return true;
    if (!document["errors"].get(errors) && errors.size() > 0) {
        error = *errors.begin();
        return true;
    }
    if (!document["x_groq"].get(groq) && has_error(groq, error)) return true;
    if (document["choices"].get(choices)) return false;
    for (const dom::element element : choices) {
        dom::object choice;
        if (!element.get(choice) && has_error(choice, error)) return true;
    }
    return false;
}

void read_document(dom::object document, ErrorFacts& facts) {
    dom::element error;
    dom::object object;
    if (find_error(document, error)) {
        if (!error.get(object)) {
            read_error_object(object, facts);
            // {"error":{…},"code":…}: what the inner object leaves out stands beside it.
            if (facts.code.empty()) facts.code = text_at(document, "code");
        } else {
            // {"code":"…","error":"…"} (xAI), {"error":"…"} (Ollama, Fireworks).
            facts.message = text_of(error);
            facts.code = text_at(document, "code");
            facts.type = text_at(document, "type");
        }
    } else if (!document["base_resp"].get(object)) {
        std::int64_t code = 0;
        if (object["status_code"].get(code) || code == 0) return;
        facts.code = fmt::format("{}", code);
        facts.type = minimax_type(code);
        facts.message = text_at(object, "status_msg");
    } else {
        // {"message":…} (AWS, Cohere), {"detail":…}, {"object":"error",…} (Mistral, older vLLM).
        read_error_object(document, facts);
    }
    if (facts.status == 0)
        facts.status = status_at(document, {"status_code", "raw_status_code", "status", "code"});
}

void read_body(std::string_view body, ErrorFacts& facts) {
    dom::parser parser;
    dom::element root;
    if (body.empty() || parser.parse(body.data(), body.size()).get(root)) {
        // Plain text speaks for itself; a page of HTML is some proxy's and says nothing.
        const std::size_t begin = body.find_first_not_of(" \t\r\n");
        if (begin == std::string_view::npos) return;
        if (body[begin] == '<') {
            facts.type = "html";
        } else {
            facts.message = body.substr(begin);
        }
        return;
    }
    // Gemini's stream of array elements holds an error as its first one.
    dom::array elements;
    if (!root.get(elements) && elements.begin() != elements.end()) root = *elements.begin();
    dom::object object;
    if (!root.get(object)) {
        read_document(object, facts);
    } else {
        facts.message = text_of(root);
    }
}

}  // namespace

ErrorFacts read_error_facts(const ErrorReply& reply) {
    ErrorFacts facts;
    if (reply.status != 200) facts.status = reply.status;
    read_body(reply.body, facts);
    facts.retry_after = retry_delay(reply.headers, facts.retry_after);
    return facts;
}

ErrorFacts read_error_facts(std::string_view raw_json) {
    ErrorFacts facts;
    read_body(raw_json, facts);
    return facts;
}

}  // namespace runnel::provider
