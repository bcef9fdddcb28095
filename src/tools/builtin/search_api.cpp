#include "tools/builtin/search_api.hpp"

#include "base/percent_encoding.hpp"
#include "json/writer.hpp"
#include "tools/builtin/html_text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

namespace runnel::tools {
namespace {

using Provider = SearchConfig::Provider;

// How each of them is asked, and where in its answer the hits are.
struct Api {
    std::string_view origin;
    std::string_view path;
    std::string_view hits;  // a JSON pointer
    std::string_view snippet;
};

const Api& api_of(Provider provider) {
    static constexpr Api searxng{"", "/search", "/results", "content"};
    static constexpr Api brave{"https://api.search.brave.com", "/res/v1/web/search", "/web/results",
                               "description"};
    static constexpr Api tavily{"https://api.tavily.com", "/search", "/results", "content"};
    return provider == Provider::searxng ? searxng : provider == Provider::brave ? brave : tavily;
}

// The config may name the service, or the very endpoint.
std::string endpoint(const SearchConfig& config, const Api& api) {
    std::string url = config.url.empty() ? std::string(api.origin) : config.url;
    while (url.ends_with('/')) url.pop_back();
    return url.ends_with(api.path) ? url : url + std::string(api.path);
}

// Snippets have tags and character references in them.
std::string field(simdjson::dom::element hit, std::string_view name) {
    std::string_view text;
    if (hit[name].get(text)) return {};
    return html_to_text(text).text;
}

}  // namespace

Result<http::ClientRequest> write_search(const SearchConfig& config, std::string_view query,
                                         int count) {
    const Api& api = api_of(config.provider);
    auto url = http::read_url(endpoint(config, api));
    if (!url) return propagate(url);
    http::ClientRequest request{.url = std::move(*url)};
    request.headers.emplace_back("Accept", "application/json");
    const std::string& key = config.api_key.reveal();
    switch (config.provider) {
        case Provider::searxng:
            request.url.target += fmt::format("?q={}&format=json", percent_encoded(query));
            if (!key.empty()) request.headers.emplace_back("Authorization", "Bearer " + key);
            break;
        case Provider::brave:
            request.url.target += fmt::format("?q={}&count={}", percent_encoded(query), count);
            request.headers.emplace_back("X-Subscription-Token", key);
            break;
        case Provider::tavily:
            request.method = "POST";
            request.headers.emplace_back("Authorization", "Bearer " + key);
            request.headers.emplace_back("Content-Type", "application/json");
            json::Writer writer(request.body);
            writer.begin_object().key("query").string(query);
            writer.key("max_results").number(count).end_object();
            break;
    }
    return request;
}

Result<std::vector<SearchHit>> read_hits(const SearchConfig& config, const std::string& body,
                                         int count) {
    const Api& api = api_of(config.provider);
    simdjson::dom::parser parser;
    simdjson::dom::element answer;
    if (parser.parse(body).get(answer) || !answer.is_object())
        return fail(ErrorKind::upstream_malformed,
                    config.provider == Provider::searxng
                        ? "the search engine did not answer with JSON; its settings must allow "
                          "the format json"
                        : "the search engine did not answer with JSON");
    std::vector<SearchHit> hits;
    simdjson::dom::array results;
    if (answer.at_pointer(api.hits).get(results)) return hits;
    for (const simdjson::dom::element result : results) {
        if (hits.size() == static_cast<std::size_t>(count)) break;
        std::string_view url;
        if (result["url"].get(url)) continue;
        hits.push_back({field(result, "title"), std::string(url), field(result, api.snippet)});
    }
    return hits;
}

}  // namespace runnel::tools
