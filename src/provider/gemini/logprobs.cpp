#include "provider/gemini/logprobs.hpp"

#include "json/text.hpp"
#include "provider/core/json_fields.hpp"

namespace runnel::provider::gemini {

using json::ondemand::value;

void Logprobs::read(value result) {
    for_each_field(result, [&](std::string_view key, value list) {
        if (key == "chosenCandidates") read_tokens(list, chosen_);
        if (key != "topCandidates") return;
        for_each_element(list, [&](value step) {
            Tokens& tokens = top_.emplace_back();
            for_each_field(step, [&](std::string_view name, value inside) {
                if (name == "candidates") read_tokens(inside, tokens);
            });
        });
    });
}

void Logprobs::read_tokens(value list, Tokens& out) {
    for_each_element(list, [&](value element) {
        timeline::TokenLogprob token{"", "0"};
        for_each_field(element, [&](std::string_view key, value inside) {
            double number = 0;
            if (key == "token" && json::escaped_string(inside, token.token)) {
                if (token.token.contains('\\'))
                    token.token = json::cleaned(token.token, made_.emplace_back());
            } else if (key == "logProbability" && !inside.get_double().get(number)) {
                json::raw_value(inside, token.logprob_raw);
            }
        });
        out.push_back(token);
    });
}

void Logprobs::tell(timeline::Choice choice, Turn& turn) {
    auto top = top_.begin();
    for (timeline::TokenLogprob& token : chosen_)
        if (top != top_.end()) token.top = *top++;
    if (!chosen_.empty()) turn.logprobs({choice, timeline::Logprobs::Of::text, chosen_});
    chosen_.clear();
    top_.clear();
    made_.clear();
}

}  // namespace runnel::provider::gemini
