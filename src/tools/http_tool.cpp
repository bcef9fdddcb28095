#include "tools/http_tool.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "base/percent_encoding.hpp"
#include "base/utf8.hpp"
#include "http/timed_stop.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tools/hook_nonce.hpp"
#include "tools/outcome.hpp"
#include "tools/url_template.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::tools {

using boost::asio::awaitable;
using http::Stop;

namespace {

constexpr std::size_t error_text_bytes = limits::kib;  // of what a failing endpoint says

bool is_placeholder(std::span<const UrlPiece> pieces, std::string_view name) {
    return std::ranges::any_of(pieces, [&](const UrlPiece& piece) {
        return piece.kind == UrlPiece::Kind::placeholder && piece.text == name;
    });
}

Result<std::string> fill_in(std::span<const UrlPiece> pieces, const Arguments& arguments) {
    std::string url;
    for (const UrlPiece& piece : pieces) {
        if (piece.kind == UrlPiece::Kind::text) {
            url += piece.text;
            continue;
        }
        const Arguments::Argument* argument = arguments.find(piece.text);
        const std::string text =
            argument && argument->json != "null" ? plain_text(argument->json) : "";
        if (text.empty())
            return fail(ErrorKind::invalid_value,
                        fmt::format("the argument '{}' is missing", piece.text));
        // Dots are not encoded, so that these would lead to another path.
        if (text == "." || text == "..")
            return fail(ErrorKind::invalid_value,
                        fmt::format("the argument '{}' cannot be '{}'", piece.text, text));
        url += percent_encoded(text);
    }
    return url;
}

void add_to_query(std::string& target, std::string_view name, std::string_view value) {
    target += target.contains('?') ? '&' : '?';
    target += fmt::format("{}={}", percent_encoded(name), percent_encoded(value));
}

// A list is its items, one by one.
void add_query(std::string& target, std::span<const Arguments::Argument> arguments) {
    for (const Arguments::Argument& argument : arguments) {
        if (argument.json == "null") continue;
        if (!argument.json.starts_with('[')) {
            add_to_query(target, argument.name, plain_text(argument.json));
            continue;
        }
        for (const std::string& item : items_of(argument.json))
            add_to_query(target, argument.name, plain_text(item));
    }
}

std::string object_of(std::span<const Arguments::Argument> arguments) {
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    for (const Arguments::Argument& argument : arguments)
        writer.key(argument.name).raw(argument.json);
    writer.end_object();
    return body;
}

bool has_header(const http::ClientRequest& request, std::string_view name) {
    return std::ranges::any_of(request.headers, [&](const HeaderField& header) {
        return ascii::equal_ignoring_case(header.name, name);
    });
}

Result<http::ClientRequest> begin_request(const HttpToolConfig& config,
                                          std::span<const UrlPiece> pieces,
                                          const Arguments& arguments) {
    http::ClientRequest request{.method = config.method};
    const auto text = fill_in(pieces, arguments);
    if (!text) return fail(text.error());
    auto url = http::read_url(*text);
    if (!url) return propagate(url);
    request.url = std::move(*url);
    for (const auto& [name, value] : config.headers)
        request.headers.emplace_back(name, value.reveal());
    return request;
}

void set_body(http::ClientRequest& request, std::string body) {
    request.body = std::move(body);
    if (!has_header(request, "content-type"))
        request.headers.emplace_back("Content-Type", "application/json");
}

std::string iso_time_now() {
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

Result<http::ClientRequest> write_tool_request(const HttpToolConfig& config,
                                               const Arguments& arguments) {
    const auto pieces = split_url_template(config.url).value_or(std::vector<UrlPiece>());
    auto request = begin_request(config, pieces, arguments);
    if (!request) return request;
    std::vector<Arguments::Argument> rest = arguments.all();
    std::erase_if(rest, [&](const Arguments::Argument& argument) {
        return is_placeholder(pieces, argument.name);
    });
    if (config.method == "GET" || config.method == "DELETE") {
        add_query(request->url.target, rest);
    } else {
        set_body(*request, object_of(rest));
    }
    return request;
}

Result<http::ClientRequest> write_callback(const HttpToolConfig& config, const Arguments& arguments,
                                           const ToolCall& call, std::string_view moment) {
    const auto pieces = split_url_template(config.url).value_or(std::vector<UrlPiece>());
    auto request = begin_request(config, pieces, arguments);
    if (!request) return request;
    std::string body;
    json::Writer writer(body);
    writer.begin_object().key("type").string("tool_call");
    writer.key("function").begin_object();
    writer.key("name").string(call.name);
    writer.key("content").raw(object_of(arguments.all()));
    writer.end_object();
    writer.key("context").begin_object().key("externalUserId");
    call.user.empty() ? writer.null() : writer.string(call.user);
    writer.key("metadata").raw(call.metadata_json.empty() ? "null" : call.metadata_json);
    writer.key("callSource").string("inference");
    writer.key("conversationToken").null();
    writer.key("moment").string(moment);
    writer.end_object().end_object();
    set_body(*request, std::move(body));
    return request;
}

HttpTool::HttpTool(std::string name, HttpToolConfig config, ToolLimits limits, Secret hook_key,
                   http::Client* client)
    : name_(std::move(name)),
      config_(std::move(config)),
      limits_(limits),
      hook_key_(std::move(hook_key)),
      client_(client) {}

awaitable<Result<std::vector<ToolSpec>>> HttpTool::list(Stop*) {
    co_return std::vector{ToolSpec{name_, config_.description, config_.parameters_json}};
}

awaitable<ToolOutcome> HttpTool::run(ToolCall call, Stop* stop) {
    auto arguments = Arguments::read(call.arguments_json);
    if (!arguments) co_return failed_with(arguments.error().message);
    auto request = config_.form == HttpToolConfig::Form::callback
                       ? write_callback(config_, *arguments, call, iso_time_now())
                       : write_tool_request(config_, *arguments);
    if (!request) co_return failed_with(request.error().message);
    if (!hook_key_.empty()) request->headers.emplace_back("X-Request-Nonce", hook_nonce(hook_key_));
    if (!call.traceparent.empty()) request->headers.emplace_back("traceparent", call.traceparent);
    request->response_bytes_max =
        limits_.result_bytes + 1;  // so that what is too long is seen to be
    http::TimedStop timed(co_await boost::asio::this_coro::executor, stop, limits_.time);
    auto answer = co_await client_->fetch(std::move(*request), timed.get());
    if (!answer) co_return failed_because(answer.error(), *timed.get(), limits_);
    co_return outcome_of(std::move(*answer));
}

ToolOutcome HttpTool::outcome_of(http::ClientResponse answer) const {
    std::string body = with_valid_utf8(answer.body);
    if (answer.status >= 300 && answer.status < 400)
        return failed_with(fmt::format("the tool answered with status {}, a redirect, which is not "
                                       "followed",
                                       answer.status));
    if (answer.status < 200 || answer.status > 299)
        return failed_with(fmt::format("the tool failed with status {}{}{}", answer.status,
                                       body.empty() ? "" : ": ",
                                       utf8_prefix(body, error_text_bytes)));
    if (json::is_whole(body)) {
        std::string compact;
        json::append_compact(compact, body);
        return completed_with_json(std::move(compact), limits_);
    }
    if (body.empty()) body = fmt::format("(status {}, and nothing else)", answer.status);
    return completed_with_text(std::move(body), limits_);
}

}  // namespace runnel::tools
