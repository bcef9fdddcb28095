#include "provider/anthropic/resold.hpp"

#include "base/ascii.hpp"
#include "provider/anthropic/ids.hpp"
#include "provider/anthropic/request.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/core/repairs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider::anthropic {
namespace {

const chat::Source* source_of(const chat::Part& part) {
    if (const auto* image = part.as<chat::Image>()) return &image->source;
    if (const auto* file = part.as<chat::File>()) return &file->source;
    return nullptr;
}

bool is_elsewhere(const chat::Source& source) {
    return source.url_escaped.starts_with("http") || !source.file_id_escaped.empty();
}

// Clouds fetch no addresses, and know none of Anthropic's files.
Result<void> refuse_what_is_elsewhere(const chat::Request& request, std::string_view display_name) {
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        const auto& parts = request.messages[i].parts;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const chat::Source* source = source_of(parts[k]);
            if (source == nullptr || !is_elsewhere(*source)) continue;
            const std::string param = fmt::format("messages[{}].content[{}]", i, k);
            return fail_at(ErrorKind::unsupported_parameter, param,
                           fmt::format("{} must have its bytes with it, as a data: URL in base64: "
                                       "{} fetches no addresses",
                                       param, display_name));
        }
    }
    return {};
}

// "a, b" of one header are two betas.
void add_betas(std::string_view value, std::vector<std::string>& betas) {
    while (!value.empty()) {
        const std::size_t comma = std::min(value.find(','), value.size());
        std::string_view name = value.substr(0, comma);
        value.remove_prefix(std::min(comma + 1, value.size()));
        while (name.starts_with(' ')) name.remove_prefix(1);
        while (name.ends_with(' ')) name.remove_suffix(1);
        if (!name.empty()) betas.emplace_back(name);
    }
}

}  // namespace

ResoldClaude::ResoldClaude(std::string_view version, std::string_view display_name,
                           std::vector<Header>& headers)
    : version_(version),
      display_name_(display_name) {
    std::erase_if(headers, [this](const Header& header) {
        if (!ascii::equal_ignoring_case(header.name, "anthropic-beta")) return false;
        add_betas(header.value, betas_);
        return true;
    });
}

Result<Outgoing> ResoldClaude::write_request(const chat::Request& request,
                                             std::string_view model) const {
    if (auto here = refuse_what_is_elsewhere(request, display_name_); !here) return propagate(here);
    const Reseller reseller{version_, betas_};
    auto draft = write_body(request, model, &reseller);
    if (!draft) return propagate(draft);
    Outgoing out;
    out.body = std::move(draft->body());
    out.warnings = std::move(draft->warnings());
    out.form = draft->form();
    out.turn = turn_options(model);
    out.turn.renamed_tools = ToolNames(tool_name_rule).renamed(request.tools);
    answer_in(chat::name_of(request.api), out.turn);
    // Without tools there is no call whose result the thinking would have to go back with.
    if (request.tools.empty()) out.turn.state = TurnOptions::State::drop;
    return out;
}

TurnOptions ResoldClaude::turn_options(std::string_view model) const {
    TurnOptions options;
    options.display_name = display_name_;
    options.tool_id_prefix = "call_";
    options.model = model;
    options.issuer = state_owner(model);
    options.native_api = chat::name_of(chat::Api::messages);
    return options;
}

bool ResoldClaude::repair(const ErrorReply& reply, Outgoing* outgoing) {
    return complains_of(reply, {"`signature` in `thinking` block"}) &&
           remove_signed_thinking(outgoing->body);
}

}  // namespace runnel::provider::anthropic
