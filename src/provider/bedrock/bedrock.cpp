#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "provider/anthropic/resold.hpp"
#include "provider/bedrock/model.hpp"
#include "provider/bedrock/reasoning_state.hpp"
#include "provider/bedrock/request.hpp"
#include "provider/bedrock/wire.hpp"
#include "provider/core/base_url.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/headers.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::provider {
namespace {

constexpr std::string_view bedrock_name = "Bedrock";
constexpr std::string_view bedrock_claude_version = "bedrock-2023-05-31";
constexpr std::string_view event_stream_type = "application/vnd.amazon.eventstream";

// "ThrottlingException:http://…" and "…#ThrottlingException" name the class.
std::string aws_error_class(const ErrorReply& reply) {
    const auto found = std::ranges::find(reply.headers, "x-amzn-errortype", &Header::name);
    if (found == reply.headers.end()) return {};
    std::string_view name = found->value;
    name = name.substr(0, name.find(':'));
    const std::size_t hash = name.rfind('#');
    return std::string(hash == std::string_view::npos ? name : name.substr(hash + 1));
}

class Bedrock final : public Provider {
public:
    Bedrock(const ProviderConfig& config, BaseUrl base)
        : origin_(std::move(base.origin)),
          path_(base.path + "/model/"),
          settings_(config.cloud),
          headers_(config.headers),
          claude_(bedrock_claude_version, bedrock_name, headers_) {
        if (settings_.guardrail_version.empty()) settings_.guardrail_version = "DRAFT";
    }

    std::string_view origin() const override { return origin_; }
    std::string_view display_name() const override { return bedrock_name; }
    Identity identity() const override { return Identity::aws; }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        const bool invokes = is_invoked(model);
        auto out = invokes ? claude_.write_request(request, model) : converse(request, model);
        if (!out) return out;
        const bool streams = request.streams();
        out->path = path_ + percent_encoded(model);
        if (invokes) {
            out->path += streams ? "/invoke-with-response-stream" : "/invoke";
        } else {
            out->path += streams ? "/converse-stream" : "/converse";
        }
        out->headers = json_headers(request.streaming, event_stream_type);
        if (invokes && !settings_.guardrail.empty()) {
            out->headers.push_back({"x-amzn-bedrock-guardrailidentifier", settings_.guardrail});
            out->headers.push_back(
                {"x-amzn-bedrock-guardrailversion", settings_.guardrail_version});
        }
        add_configured(out->headers, headers_);
        return out;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return std::make_unique<bedrock::BedrockWire>(parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        ErrorFacts facts = read_error_facts(reply);
        if (std::string name = aws_error_class(reply); !name.empty()) facts.type = std::move(name);
        return to_error(bedrock_name, facts);
    }

    bool repair(const ErrorReply& reply, Outgoing* outgoing) const override {
        return anthropic::ResoldClaude::repair(reply, outgoing);
    }

    TurnOptions turn_options(std::string_view model) const override {
        TurnOptions options = claude_.turn_options(model);
        if (!is_invoked(model)) options.issuer = bedrock::state_owner(model);
        return options;
    }

private:
    // Claude has words that Converse has not.
    bool is_invoked(std::string_view model) const {
        if (settings_.api == "converse") return false;
        return settings_.api == "invoke" || bedrock::model_named(model).is_claude();
    }

    Result<Outgoing> converse(const chat::Request& request, std::string_view model) const {
        auto body = bedrock::write_converse_body(request, model, settings_);
        if (!body) return propagate(body);
        Outgoing out;
        out.body = std::move(body->text);
        out.warnings = std::move(body->warnings);
        out.form = body->form;
        out.turn = turn_options(model);
        out.turn.renamed_tools = ToolNames(bedrock::tool_name_rule).renamed(request.tools);
        // There is no way to ask for one call at a time.
        if (request.parallel_tool_calls == false) out.turn.tool_calls_max = 1;
        if (request.tools.empty()) out.turn.state = TurnOptions::State::drop;
        return out;
    }

    std::string origin_;
    std::string path_;
    CloudSettings settings_;
    std::vector<Header> headers_;
    anthropic::ResoldClaude claude_;
};

// Letters, digits and hyphens: it becomes a part of a host's name.
bool is_region(std::string_view text) {
    return !text.empty() && text.size() <= 32 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || ascii::is_digit(c) || c == '-';
    });
}

std::string bedrock_url(const std::string& region) {
    const std::string_view domain =
        region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return fmt::format("https://bedrock-runtime.{}.{}", region, domain);
}

}  // namespace

Result<std::unique_ptr<Provider>> make_bedrock(const ProviderConfig& config) {
    const std::string& region = config.cloud.region;
    if (region.empty())
        return fail_at(ErrorKind::missing_required_field, "region",
                       "a provider of kind 'bedrock' needs a region, e.g. region: us-east-1");
    if (!is_region(region))
        return fail_at(ErrorKind::invalid_value, "region",
                       fmt::format("'{}' is no region of AWS; one is us-east-1", region));
    const std::string& api = config.cloud.api;
    if (!api.empty() && api != "converse" && api != "invoke")
        return fail_at(
            ErrorKind::invalid_value, "api",
            fmt::format("'{}' is no API of Bedrock; there are converse and invoke", api));
    auto base = read_base_url(config.base_url.empty() ? bedrock_url(region) : config.base_url);
    if (!base) return fail_at(base.error().kind, "base_url", base.error().message);
    return std::make_unique<Bedrock>(config, std::move(*base));
}

}  // namespace runnel::provider
