#include "server/model_prices.hpp"

#include "json/writer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace runnel::server {
namespace {

// Without the last digits of 0.00000025 × 1,000,000.
double per_million(double per_token) { return std::round(per_token * 1e15) / 1e9; }

void write_price(json::Writer& out, std::string_view model, const policy::Price& price) {
    const policy::TokenPrices& tokens = price.tokens;
    const auto write = [&](json::Literal name, const std::optional<double>& per_token) {
        if (per_token) out.key(name).real(per_million(*per_token));
    };
    out.begin_object().key("model").string(model);
    write("input", tokens.input);
    write("output", tokens.output);
    write("cache_read", tokens.cache_read);
    write("cache_write", tokens.cache_write);
    write("reasoning", tokens.reasoning);
    if (price.per_request > 0) out.key("per_request").real(price.per_request);
    out.end_object();
}

}  // namespace

std::string prices_answer(const exchange::Gateway& gateway) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const router::Router::Listed& model : gateway.router.list()) {
        const std::string_view name = model.id;
        const std::size_t slash = std::min(name.find('/'), name.size());
        const auto slot = std::ranges::find(gateway.providers, name.substr(0, slash),
                                            &exchange::ProviderSlot::name);
        if (slash == name.size() || slot == gateway.providers.end()) continue;
        const auto price = gateway.prices.find(slot->name, slot->kind, name.substr(slash + 1));
        if (price) write_price(out, name, *price);
    }
    out.end_array().end_object();
    return body;
}

}  // namespace runnel::server
