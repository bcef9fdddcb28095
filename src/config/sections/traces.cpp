#include "config/addresses.hpp"
#include "config/sections/sections.hpp"
#include "provider/core/base_url.hpp"

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_traces[] = {"endpoint", "headers", "sample", "service_name"};
constexpr std::string_view usual_path = "/v1/traces";

// Whoever names the collector alone means the place where it takes spans.
std::optional<std::string> read_endpoint(const Value& value) {
    auto url = value.text_that(is_web_url, "a URL such as http://127.0.0.1:4318/v1/traces");
    if (!url) return std::nullopt;
    if (const auto parts = provider::read_base_url(*url); parts && parts->path.empty())
        return parts->origin + std::string(usual_path);
    return url;
}

}  // namespace

std::optional<Traces> read_traces(const Value& value) {
    const auto section = value.section(keys_of_traces);
    if (!section) return std::nullopt;
    if (section->find("endpoint") == nullptr) {
        value.complain("endpoint is missing: where the collector takes spans over HTTP, such as "
                       "http://127.0.0.1:4318/v1/traces; leave traces out for none");
        return std::nullopt;
    }
    Traces traces;
    const auto share = [](const Value& number) { return number.number(0, 1); };
    section->read("endpoint", read_endpoint, traces.endpoint);
    section->read("sample", share, traces.sample);
    section->read("service_name", &Value::some_text, traces.service_name);
    if (const Value* headers = section->find("headers")) traces.headers = read_headers(*headers);
    return traces;
}

}  // namespace runnel::config
