#include "provider/core/embeddings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace runnel::provider {
namespace {

bool is_base64(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

bool read_numbers(json::ondemand::array array, std::string& text) {
    text = "[";
    for (auto element : array) {
        double number = 0;
        std::string_view raw;
        json::ondemand::value value;
        if (element.get(value) || value.get_double().get(number)) return false;
        raw = value.raw_json_token();
        while (raw.ends_with(' ') || raw.ends_with('\n') || raw.ends_with('\r') ||
               raw.ends_with('\t'))
            raw.remove_suffix(1);
        if (text.size() > 1) text += ',';
        text += raw;
    }
    text += ']';
    return text.size() > 2;
}

}  // namespace

bool read_embedding(json::ondemand::value value, operation::Embedding& embedding) {
    std::string_view escaped;
    if (json::escaped_string(value, escaped)) {
        // As it is pasted into the client's answer, nothing in it may need an escape.
        embedding = {operation::Embedding::Form::base64, std::string(escaped)};
        return !escaped.empty() && std::ranges::all_of(escaped, is_base64);
    }
    json::ondemand::array array;
    if (value.get_array().get(array)) return false;
    embedding.form = operation::Embedding::Form::numbers;
    return read_numbers(array, embedding.text);
}

Error unreadable_embeddings(std::string_view display_name) {
    return {ErrorKind::upstream_malformed,
            fmt::format("{} sent an answer with no embeddings that can be read", display_name)};
}

Result<void> check_is_text(const operation::EmbeddingBatch& batch, std::string_view display_name) {
    const auto& inputs = batch.request->inputs;
    const auto tokens = std::ranges::find_if(
        inputs, [](const operation::EmbeddingInput& input) { return !input.is_text(); });
    if (tokens == inputs.end()) return {};
    return fail_at(ErrorKind::invalid_value, "input",
                   fmt::format("{} takes text, not tokens: input[{}] is an array of numbers",
                               display_name, tokens - inputs.begin()));
}

}  // namespace runnel::provider
