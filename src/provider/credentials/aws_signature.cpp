#include "provider/credentials/aws_signature.hpp"

#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "base/sha256.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace runnel::provider {
namespace {

constexpr std::string_view aws_algorithm = "AWS4-HMAC-SHA256";

using NamedValue = std::pair<std::string, std::string>;

// Without space around it, and with one space for several.
std::string trimmed_value(std::string_view value) {
    std::string out;
    for (const char c : value)
        if (c != ' ' || !out.ends_with(' ')) out += c;
    if (out.ends_with(' ')) out.pop_back();
    if (out.starts_with(' ')) out.erase(0, 1);
    return out;
}

std::string_view host_of(std::string_view origin) {
    const std::size_t scheme = origin.find("://");
    return scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
}

bool is_signed(std::string_view name) {
    return name == "content-type" || name.starts_with("x-amz");
}

// In the order of their names, as they are signed.
std::vector<NamedValue> signed_headers(const FinalRequest& request,
                                       const std::vector<HeaderField>& added) {
    std::vector<NamedValue> headers{{"host", std::string(host_of(request.origin))}};
    const auto add = [&](const HeaderField& header) {
        std::string name = ascii::lowered(header.name);
        if (is_signed(name)) headers.emplace_back(std::move(name), trimmed_value(header.value));
    };
    std::ranges::for_each(request.headers, add);
    std::ranges::for_each(added, add);
    std::ranges::stable_sort(headers, {}, &NamedValue::first);
    return headers;
}

// The query is encoded already; its parts are put in order.
std::string canonical_query(std::string_view query) {
    std::vector<NamedValue> fields;
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view field = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (field.empty()) continue;
        const std::size_t equals = std::min(field.find('='), field.size());
        fields.emplace_back(field.substr(0, equals),
                            field.substr(std::min(equals + 1, field.size())));
    }
    std::ranges::sort(fields);
    std::string out;
    for (const auto& [name, value] : fields)
        out += fmt::format("{}{}={}", out.empty() ? "" : "&", name, value);
    return out;
}

std::string hexadecimal_sum(std::string_view bytes) { return in_hexadecimal(sha256(bytes)); }

Digest signing_key(const AwsKeys& keys, const AwsScope& scope, std::string_view date) {
    Digest key = hmac_sha256("AWS4" + keys.secret.reveal(), date);
    key = hmac_sha256(bytes_of(key), scope.region);
    key = hmac_sha256(bytes_of(key), scope.service);
    return hmac_sha256(bytes_of(key), "aws4_request");
}

}  // namespace

std::vector<HeaderField> aws_signature(const FinalRequest& request, const AwsKeys& keys,
                                       const AwsScope& scope, std::chrono::sys_seconds now) {
    const std::string time = fmt::format("{:%Y%m%dT%H%M%S}Z", now);
    const std::string date = time.substr(0, 8);
    std::vector<HeaderField> added{{"x-amz-date", time}};
    if (!keys.session_token.empty())
        added.push_back({"x-amz-security-token", keys.session_token.reveal()});

    std::string header_lines;
    std::string header_names;
    for (const auto& [name, value] : signed_headers(request, added)) {
        header_lines += fmt::format("{}:{}\n", name, value);
        header_names += fmt::format("{}{}", header_names.empty() ? "" : ";", name);
    }
    const std::size_t mark = std::min(request.path.find('?'), request.path.size());
    const std::string_view path = request.path.substr(0, mark);
    const std::string_view query = request.path.substr(std::min(mark + 1, request.path.size()));
    const std::string canonical = fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}", request.method, path.empty() ? "/" : percent_encoded(path, "/"),
        canonical_query(query), header_lines, header_names, hexadecimal_sum(request.body));

    const std::string full_scope =
        fmt::format("{}/{}/{}/aws4_request", date, scope.region, scope.service);
    const std::string signed_text =
        fmt::format("{}\n{}\n{}\n{}", aws_algorithm, time, full_scope, hexadecimal_sum(canonical));
    const std::string signature =
        in_hexadecimal(hmac_sha256(bytes_of(signing_key(keys, scope, date)), signed_text));
    added.push_back({"authorization",
                     fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                 aws_algorithm, keys.id, full_scope, header_names, signature)});
    return added;
}

}  // namespace runnel::provider
