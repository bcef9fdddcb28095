#include "tools/builtin/fetch_url.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"
#include "http/timed_stop.hpp"
#include "json/writer.hpp"
#include "tools/arguments.hpp"
#include "tools/builtin/html_entities.hpp"
#include "tools/builtin/html_text.hpp"
#include "tools/outcome.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

namespace runnel::tools {

using boost::asio::awaitable;
using http::ClientRequest;
using http::ClientResponse;
using http::Stop;
using http::Url;

namespace {

constexpr std::size_t page_bytes_max = limits::mib;
constexpr std::size_t title_bytes_max = 512;
constexpr int redirects_max = 5;

bool is_html(std::string_view type) {
    return type == "text/html" || type == "application/xhtml+xml";
}

bool is_readable(std::string_view type) {
    return type.empty() || type.starts_with("text/") || type == "application/json" ||
           type == "application/xml" || type.ends_with("+json") || type.ends_with("+xml");
}

bool is_success(int status) { return status >= 200 && status <= 299; }
bool is_redirect(const ClientResponse& answer) {
    return answer.status >= 300 && answer.status <= 399 && answer.headers.has("location");
}

std::string type_of(const ClientResponse& answer) {
    return http::media_type(answer.headers.get("content-type"));
}

bool wants_body(const ClientResponse& head) {
    return is_success(head.status) && is_readable(type_of(head));
}

}  // namespace

FetchUrl::FetchUrl(ToolLimits limits, MayConnectTo may_connect_to, http::Client* client)
    : limits_(limits),
      may_connect_to_(may_connect_to),
      client_(client) {}

awaitable<Result<std::vector<ToolSpec>>> FetchUrl::list(Stop*) {
    co_return std::vector{
        ToolSpec{"fetch_url", "Fetches a public web page or text file and returns its text.",
                 R"({"type":"object","properties":{"url":{"type":"string","description":)"
                 R"("The whole URL, with http:// or https://"}},"required":["url"]})"}};
}

awaitable<ToolOutcome> FetchUrl::run(ToolCall call, Stop* stop) {
    const auto arguments = Arguments::read(std::move(call.arguments_json));
    if (!arguments) co_return failed_with(arguments.error().message);
    const auto text = arguments->text("url");
    if (!text) co_return failed_with(text.error().message);
    auto url = http::read_url(*text);
    if (!url) co_return failed_with(url.error().message);
    http::TimedStop timed(co_await boost::asio::this_coro::executor, stop, limits_.time);
    auto page = co_await fetch(std::move(*url), timed.get());
    if (!page) co_return failed_because(page.error(), *timed.get(), limits_);
    co_return outcome_of(std::move(*page));
}

awaitable<Result<FetchUrl::Page>> FetchUrl::fetch(Url url, Stop* stop) {
    for (int redirects = 0; redirects <= redirects_max; ++redirects) {
        ClientRequest request{.url = url, .response_bytes_max = page_bytes_max};
        request.headers.emplace_back("Accept", "text/html, text/*, application/json;q=0.9");
        request.may_connect_to = may_connect_to_;
        request.wants_body = wants_body;
        auto answer = co_await client_->fetch(std::move(request), stop);
        if (!answer) co_return propagate(answer);
        if (!is_redirect(*answer)) co_return Page{std::move(url), std::move(*answer)};
        auto next = http::resolve_url(url, answer->headers.get("location"));
        if (!next) co_return propagate(next);
        url = std::move(*next);
    }
    co_return fail(ErrorKind::upstream_rejected,
                   fmt::format("the page redirects more than {} times", redirects_max));
}

ToolOutcome FetchUrl::outcome_of(Page page) const {
    ClientResponse& answer = page.answer;
    if (!is_success(answer.status))
        return failed_with(fmt::format("the page answered with status {}", answer.status));
    const std::string type = type_of(answer);
    if (!is_readable(type) || answer.body.contains('\0'))
        return failed_with(
            fmt::format("the page is not text but {}", type.empty() ? "binary data" : type));
    // A cut may have gone through the last character.
    if (answer.end == ClientResponse::Body::cut)
        answer.body.resize(utf8_prefix(answer.body, answer.body.size() - 1).size());
    std::string body =
        is_utf8(answer.body) ? std::move(answer.body) : windows_1252_to_utf8(answer.body);
    PageText text = is_html(type) ? html_to_text(body) : PageText{"", std::move(body)};
    text.title.resize(utf8_prefix(text.title, title_bytes_max).size());
    if (answer.end == ClientResponse::Body::cut)
        text.text += "\n[the page is longer than 1 MiB; this is its beginning]";

    std::string shown = page.url.text() + '\n';
    if (!text.title.empty()) shown += text.title + '\n';
    ToolOutcome outcome = completed_with_text(shown + '\n' + text.text, limits_);
    outcome.result_json.clear();
    json::Writer writer(outcome.result_json);
    writer.begin_object().key("url").string(page.url.text());
    writer.key("title").string(text.title);
    writer.key("text").string(completed_with_text(std::move(text.text), limits_).text);
    writer.end_object();
    return outcome;
}

}  // namespace runnel::tools
