#pragma once

#include "base/header_field.hpp"
#include "base/padded.hpp"
#include "base/result.hpp"
#include "json/parser.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// JSON-RPC 2.0 as MCP uses it. No IO inside.
namespace runnel::tools::mcp {

// A message from a server.
struct Message {
    enum class Kind { result, error, request, notification } kind = Kind::notification;
    std::int64_t id = 0;    // of a result or error: the request's, which is ours; 0: it names none
    std::string id_json{};  // of a request: the server's own, to be sent back as it came
    std::string method{};   // of a request or notification
    std::string body_json{};  // the result, or the params; empty when there are none
    std::int64_t code = 0;    // of an error
    std::string text{};       // of an error: its message
    std::string data_json{};  // of an error
};

inline constexpr int method_not_found = -32601;  // a code

// What is checked: that it is JSON throughout, and one of the four kinds.
Result<Message> read_message(json::Parser* parser, Padded text);

// What a server answered to a request of ours, and how the answer was carried.
struct Answer {
    Message message;   // a result or an error
    int status = 200;  // HTTP's; pipes have none
};

// A message to a server.
struct Outgoing {
    std::int64_t id = 0;               // 0: nobody answers it
    std::string method;                // empty for an answer of ours
    std::string json;                  // on one line
    std::vector<HeaderField> headers;  // what HTTP repeats in its header
};

// `params_json` is an object on one line.
std::string write_request(std::int64_t id, std::string_view method, std::string_view params_json);
std::string write_notification(std::string_view method, std::string_view params_json);
std::string write_result(std::string_view id_json, std::string_view result_json);
std::string write_error(std::string_view id_json, std::int64_t code, std::string_view text);

}  // namespace runnel::tools::mcp
