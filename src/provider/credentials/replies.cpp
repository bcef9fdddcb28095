#include "provider/credentials/replies.hpp"

#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "base/utc_time.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>

namespace runnel::provider {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t token_seconds_max = 7 * 86'400;
constexpr std::size_t token_bytes_max = 64 * 1024;
constexpr std::size_t code_bytes_max = 64;

// A word for programs: what else stands in a service's error may have been asked with.
bool is_code(std::string_view text) {
    return !text.empty() && text.size() <= code_bytes_max && std::ranges::all_of(text, [](char c) {
        return ascii::is_alphanumeric(c) || std::string_view("_.-").contains(c);
    });
}

std::string error_code(std::string_view body) {
    for (const std::string_view name : {"error", "code", "Code", "__type"})
        if (std::string code = text_in(body, name); is_code(code)) return code;
    return {};
}

ErrorKind kind_of_refusal(int status) {
    if (status == 429) return ErrorKind::upstream_rate_limited;
    return status >= 400 && status < 500 ? ErrorKind::upstream_auth : ErrorKind::upstream_failed;
}

std::unexpected<Error> unreadable(std::string_view service) {
    return fail(ErrorKind::upstream_malformed, fmt::format("{} gave no credentials", service));
}

std::optional<std::int64_t> seconds_in(dom::object object, std::string_view name) {
    dom::element value;
    if (object[name].get(value)) return std::nullopt;
    std::int64_t number = 0;
    double real = 0;
    std::string_view text;
    if (!value.get(number)) return number;
    if (!value.get(real)) return static_cast<std::int64_t>(std::clamp(real, 0.0, 1e12));
    if (value.get(text)) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

}  // namespace

Result<OutsideReply> ask_service(Outside& outside, const OutsideRequest& request,
                                 std::string_view service) {
    return taken_reply(outside.ask(request), service);
}

Result<OutsideReply> taken_reply(Result<OutsideReply> reply, std::string_view service) {
    if (!reply)
        return fail({ErrorKind::upstream_unreachable,
                     fmt::format("{} could not be reached", service),
                     {},
                     reply.error().message});
    if (reply->status == 200) return reply;
    const std::string code = error_code(reply->body);
    Error error{kind_of_refusal(reply->status),
                fmt::format("{} gave no credentials: status {}", service, reply->status)};
    if (!code.empty()) error.message += fmt::format(" {}", code);
    return fail(std::move(error));
}

Result<Grant> read_token_reply(std::string_view body, Outside::Time now, std::string_view service) {
    dom::parser parser;
    dom::object object;
    std::string_view token;
    if (parser.parse(body.data(), body.size()).get(object)) return unreadable(service);
    if (object["access_token"].get(token) && object["accessToken"].get(token))
        return unreadable(service);
    if (!is_header_token(token)) return unreadable(service);
    Grant grant{.secret = Secret(std::string(token))};
    if (const auto seconds = seconds_in(object, "expires_in")) {
        grant.expires =
            now + std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 0, token_seconds_max));
    } else if (std::string_view time; !object["expireTime"].get(time)) {
        if (const auto end = read_utc_time(time)) grant.expires = *end;
    }
    return grant;
}

Result<Grant> read_aws_reply(std::string_view body, std::string_view service) {
    std::string session = text_in(body, "Token");
    if (session.empty()) session = text_in(body, "SessionToken");
    return aws_grant({text_in(body, "AccessKeyId"), Secret(text_in(body, "SecretAccessKey")),
                      Secret(std::move(session))},
                     text_in(body, "Expiration"), service);
}

Result<Grant> aws_grant(AwsKeys keys, std::string_view expiration, std::string_view service) {
    const std::string& session = keys.session_token.reveal();
    if (!is_header_token(keys.id) || keys.secret.empty() ||
        (!session.empty() && !is_header_token(session)))
        return unreadable(service);
    Grant grant{std::move(keys.id), std::move(keys.secret), std::move(keys.session_token)};
    if (const auto end = read_utc_time(expiration)) grant.expires = *end;
    return grant;
}

std::string text_in(std::string_view object, std::string_view name) {
    dom::parser parser;
    dom::object root;
    std::string_view text;
    if (parser.parse(object.data(), object.size()).get(root) || root[name].get(text)) return {};
    return std::string(text);
}

std::string member_in(std::string_view object, std::string_view name) {
    dom::parser parser;
    dom::object root;
    dom::element value;
    if (parser.parse(object.data(), object.size()).get(root) || root[name].get(value)) return {};
    return simdjson::minify(value);
}

bool is_header_token(std::string_view text) {
    return !text.empty() && text.size() <= token_bytes_max &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

std::string form_of(const std::vector<FormField>& fields) {
    std::string form;
    for (const auto& [name, value] : fields) {
        if (value.empty()) continue;
        if (!form.empty()) form += '&';
        form += fmt::format("{}={}", name, percent_encoded(value));
    }
    return form;
}

OutsideRequest form_request(std::string url, const std::vector<FormField>& fields) {
    return {"POST",
            std::move(url),
            {{"content-type", "application/x-www-form-urlencoded"}, {"accept", "application/json"}},
            form_of(fields)};
}

}  // namespace runnel::provider
