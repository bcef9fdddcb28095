#include "timeline/recording.hpp"

namespace runnel::timeline {
namespace {

std::size_t text_bytes(std::span<const TokenLogprob> tokens) {
    std::size_t bytes = 0;
    for (const TokenLogprob& token : tokens)
        bytes += token.token.size() + token.logprob_raw.size() + token.bytes_raw.size() +
                 text_bytes(token.top);
    return bytes;
}

}  // namespace

void Recording::keep(std::string_view& text) {
    if (text.empty()) return;
    kept_bytes_ += sizeof(std::string) + text.size();
    text = texts_.emplace_back(text);
}

// There are many tokens with little text each, so all of it is one string.
void Recording::keep(std::span<const TokenLogprob>& tokens) {
    if (tokens.empty()) return;
    std::string& text = texts_.emplace_back();
    text.reserve(text_bytes(tokens));
    keep_in(text, tokens);
    kept_bytes_ += sizeof(std::string) + text.size();
}

void Recording::keep_in(std::string& text, std::span<const TokenLogprob>& tokens) {
    if (tokens.empty()) return;
    const auto add = [&](std::string_view& part) {
        const std::size_t begin = text.size();
        text += part;
        part = std::string_view(text).substr(begin);
    };
    std::vector<TokenLogprob>& kept = tokens_.emplace_back(tokens.begin(), tokens.end());
    kept_bytes_ += kept.size() * sizeof(TokenLogprob);
    for (TokenLogprob& token : kept) {
        add(token.token);
        add(token.logprob_raw);
        add(token.bytes_raw);
        keep_in(text, token.top);
    }
    tokens = kept;
}

void Recording::on(const Event& event) {
    Event kept = event;
    std::visit(Overload{
                   [&](Text& e) { keep(e.text); },
                   [&](Reasoning& e) { keep(e.text); },
                   [&](ReasoningSigned& e) {
                       keep(e.signature);
                       keep(e.issuer);
                   },
                   [&](ReasoningEncrypted& e) {
                       keep(e.data);
                       keep(e.issuer);
                       keep(e.id);
                   },
                   [&](Refusal& e) { keep(e.text); },
                   [&](ToolStarted& e) {
                       keep(e.id);
                       keep(e.name);
                   },
                   [&](ToolArguments& e) { keep(e.fragment); },
                   [&](ServerTool& e) {
                       keep(e.id);
                       keep(e.name);
                       keep(e.arguments_raw);
                       keep(e.result_raw);
                       keep(e.explanation_raw);
                   },
                   [&](Native& e) {
                       keep(e.json.api);
                       keep(e.json.raw);
                   },
                   [&](Citation& e) {
                       keep(e.native.api);
                       keep(e.native.raw);
                       keep(e.url);
                       keep(e.title);
                       keep(e.cited_text);
                       keep(e.file_id);
                       keep(e.reference);
                   },
                   [&](Media& e) {
                       keep(e.media_type);
                       keep(e.data);
                       keep(e.url);
                       keep(e.id);
                       keep(e.transcript);
                   },
                   [&](Logprobs& e) { keep(e.tokens); },
                   [&](ProviderState& e) {
                       keep(e.call_id);
                       keep(e.raw);
                   },
                   [&](Finished& e) {
                       keep(e.native);
                       keep(e.stop_sequence);
                   },
                   [](Started&) {},
                   [](ItemEnded&) {},
                   [](ToolEnded&) {},
                   [](HoldOver&) {},
                   [](UsageReported&) {},
                   [](Failed&) {},
                   [](Ended&) {},
               },
               kept);
    events_.push_back(std::move(kept));
}

void Recording::replay(Sink* to) const {
    for (const Event& event : events_) to->on(event);
}

void Recording::clear() {
    events_.clear();
    texts_.clear();
    tokens_.clear();
    kept_bytes_ = 0;
}

}  // namespace runnel::timeline
