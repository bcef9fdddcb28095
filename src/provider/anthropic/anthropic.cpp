#include "base/ascii.hpp"
#include "provider/anthropic/ids.hpp"
#include "provider/anthropic/request.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/anthropic/wire.hpp"
#include "provider/core/base_url.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/repairs.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::provider {
namespace {

constexpr std::string_view anthropic_base_url = "https://api.anthropic.com";
constexpr std::string_view api_version = "2023-06-01";

bool is_called(const Header& header, std::string_view name) {
    return ascii::equal_ignoring_case(header.name, name);
}

// Adds those of a list that are not there yet.
void add_betas(std::vector<std::string>& betas, std::string_view list) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string beta(list.substr(0, comma));
        std::erase(beta, ' ');
        if (!beta.empty() && std::ranges::find(betas, beta) == betas.end())
            betas.push_back(std::move(beta));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

class Anthropic final : public Provider {
public:
    Anthropic(const ProviderConfig& config, BaseUrl base)
        : origin_(std::move(base.origin)),
          // Some people's base URL has the version in it, some people's has not.
          path_(base.path + (base.path.ends_with("/v1") ? "/messages" : "/v1/messages")),
          headers_(config.headers) {}

    std::string_view origin() const override { return origin_; }
    std::string_view display_name() const override { return "Anthropic"; }
    KeyHeader key_header() const override { return {"x-api-key", ""}; }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        auto draft = anthropic::write_body(request, model);
        if (!draft) return propagate(draft);
        Outgoing out;
        out.path = path_;
        out.headers = headers_for(request, draft->betas());
        out.body = std::move(draft->body());
        out.warnings = std::move(draft->warnings());
        out.form = draft->form();
        out.turn = turn_options(model);
        out.turn.renamed_tools = ToolNames(anthropic::tool_name_rule).renamed(request.tools);
        answer_in(chat::name_of(request.api), out.turn);
        // Without tools there is no call whose result the thinking would have to go back with.
        if (request.tools.empty()) out.turn.state = TurnOptions::State::drop;
        return out;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return std::make_unique<anthropic::MessagesWire>(parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        return to_error(display_name(), read_error_facts(reply),
                        chat::name_of(chat::Api::messages));
    }

    // Signatures are bound to an account, and those of newer models to the system text and the
    // tools beside them; a client that changes these knows nothing of it.
    bool repair(const ErrorReply& reply, Outgoing* outgoing) const override {
        return complains_of(reply, {"`signature` in `thinking` block"}) &&
               remove_signed_thinking(outgoing->body);
    }

    TurnOptions turn_options(std::string_view model) const override {
        TurnOptions options;
        options.display_name = display_name();
        options.tool_id_prefix = "call_";
        options.model = model;
        options.issuer = anthropic::state_owner(model);
        options.native_api = chat::name_of(chat::Api::messages);
        return options;
    }

private:
    // What a client of this API says in headers of its own goes on; the config has the last word.
    std::vector<Header> headers_for(const chat::Request& request,
                                    std::vector<std::string> betas) const {
        std::vector<Header> headers{
            {"content-type", "application/json"},
            {"accept", request.streams() ? "text/event-stream" : "application/json"},
            {"accept-encoding", "identity"},
            {"anthropic-version", std::string(api_version)},
        };
        const auto add = [&](const Header& header) {
            if (is_called(header, "anthropic-beta")) return add_betas(betas, header.value);
            std::erase_if(headers, [&](const Header& h) { return is_called(h, header.name); });
            headers.push_back(header);
        };
        if (request.api == chat::Api::messages) std::ranges::for_each(request.headers, add);
        std::ranges::for_each(headers_, add);
        if (!betas.empty())
            headers.push_back({"anthropic-beta", fmt::format("{}", fmt::join(betas, ","))});
        return headers;
    }

    std::string origin_;
    std::string path_;
    std::vector<Header> headers_;
};

}  // namespace

std::unique_ptr<Provider> make_anthropic(const ProviderConfig& config) {
    const std::string url =
        config.base_url.empty() ? std::string(anthropic_base_url) : config.base_url;
    // The config's reader has already refused what is no URL.
    return std::make_unique<Anthropic>(config, read_base_url(url).value_or(BaseUrl{}));
}

}  // namespace runnel::provider
