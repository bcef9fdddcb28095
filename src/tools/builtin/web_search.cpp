#include "tools/builtin/web_search.hpp"

#include "base/limits.hpp"
#include "http/timed_stop.hpp"
#include "json/writer.hpp"
#include "tools/arguments.hpp"
#include "tools/builtin/search_api.hpp"
#include "tools/outcome.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::tools {

using boost::asio::awaitable;
using http::Stop;

namespace {

constexpr std::size_t answer_bytes_max = 2 * limits::mib;
constexpr int hits_usual = 5;
constexpr int hits_max = 20;

std::string written(const std::vector<SearchHit>& hits) {
    std::string json;
    json::Writer writer(json);
    writer.begin_array();
    for (const SearchHit& hit : hits) {
        writer.begin_object().key("title").string(hit.title);
        writer.key("url").string(hit.url).key("snippet").string(hit.snippet).end_object();
    }
    writer.end_array();
    return json;
}

}  // namespace

WebSearch::WebSearch(SearchConfig config, ToolLimits limits, http::Client* client)
    : config_(std::move(config)),
      limits_(limits),
      client_(client) {}

awaitable<Result<std::vector<ToolSpec>>> WebSearch::list(Stop*) {
    co_return std::vector{ToolSpec{
        std::string(web_search_tool), "Searches the web and returns titles, URLs and snippets.",
        R"({"type":"object","properties":{"query":{"type":"string"},"count":{"type":)"
        R"("integer","minimum":1,"maximum":20,"description":"How many results; 5 if )"
        R"(left out"}},"required":["query"]})"}};
}

awaitable<ToolOutcome> WebSearch::run(ToolCall call, Stop* stop) {
    const auto arguments = Arguments::read(std::move(call.arguments_json));
    if (!arguments) co_return failed_with(arguments.error().message);
    const auto query = arguments->text("query");
    if (!query) co_return failed_with(query.error().message);
    const int count = static_cast<int>(std::clamp<std::int64_t>(
        arguments->optional_integer("count").value_or(hits_usual), 1, hits_max));
    auto request = write_search(config_, *query, count);
    if (!request) co_return failed_with(request.error().message);
    request->response_bytes_max = answer_bytes_max;
    http::TimedStop timed(co_await boost::asio::this_coro::executor, stop, limits_.time);
    auto answer = co_await client_->fetch(std::move(*request), timed.get());
    if (!answer) co_return failed_because(answer.error(), *timed.get(), limits_);
    if (answer->status < 200 || answer->status > 299)
        co_return failed_with(
            fmt::format("the search engine answered with status {}", answer->status));
    const auto hits = read_hits(config_, answer->body, count);
    if (!hits) co_return failed_with(hits.error().message);
    co_return completed_with_json(written(*hits), limits_);
}

}  // namespace runnel::tools
