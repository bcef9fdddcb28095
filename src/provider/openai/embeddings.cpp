#include "provider/openai/embeddings.hpp"

#include "base/is_in.hpp"
#include "json/writer.hpp"
#include "provider/core/embeddings.hpp"
#include "provider/core/json_fields.hpp"

#include <algorithm>
#include <utility>

namespace runnel::provider {
namespace {

using operation::EmbeddingAnswer;
using operation::EmbeddingBatch;
using operation::EmbeddingInput;
using operation::EmbeddingPurpose;
using operation::EmbeddingRequest;

void write_inputs(const EmbeddingBatch& batch, json::Writer& out) {
    out.key("input").begin_array();
    for (const EmbeddingInput& input : batch.inputs)
        input.is_text() ? out.escaped(input.text_escaped) : out.raw(input.tokens_raw);
    out.end_array();
}

std::string_view word_for(std::span<const PurposeWord> words, EmbeddingPurpose purpose) {
    const auto found = std::ranges::find(words, purpose, &PurposeWord::purpose);
    return found == words.end() ? std::string_view() : found->word;
}

void write_extras(const Preset& preset, const EmbeddingRequest& request, json::Writer& out) {
    if (request.asked.api != chat::Api::chat_completions) return;
    for (const chat::Extra& extra : request.asked.extras)
        if (!is_in(extra.name, preset.request.dropped)) out.key(extra.name).raw(extra.raw);
}

// By the index that each has; one that has none has the place where it stands.
class Entries {
public:
    void add(json::ondemand::value entry) {
        auto index = static_cast<std::int64_t>(entries_.size());
        operation::Embedding embedding;
        bool readable = false;
        for_each_field(entry, [&](std::string_view name, json::ondemand::value value) {
            if (name == "index") json::integer(value, index);
            if (name == "embedding") readable = read_embedding(value, embedding);
        });
        all_readable_ = all_readable_ && readable;
        entries_.emplace_back(index, std::move(embedding));
    }

    // False where one is missing, or there twice.
    bool move_to(std::vector<operation::Embedding>& out) {
        std::ranges::sort(entries_, {}, &Entry::first);
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (entries_[i].first != static_cast<std::int64_t>(i)) return false;
        for (Entry& entry : entries_) out.push_back(std::move(entry.second));
        return all_readable_ && !out.empty();
    }

private:
    using Entry = std::pair<std::int64_t, operation::Embedding>;
    std::vector<Entry> entries_;
    bool all_readable_ = true;
};

}  // namespace

std::string write_openai_embeddings(const Preset& preset, const EmbeddingBatch& batch,
                                    std::string_view model) {
    const EmbeddingRequest& request = *batch.request;
    const EmbeddingQuirks& quirks = preset.embeddings;
    std::string body;
    json::Writer out(body);
    out.begin_object().key("model").string(model);
    write_inputs(batch, out);
    if (request.dimensions) out.key(quirks.dimensions_field).number(*request.dimensions);
    // What the client wants otherwise is made of it here. Of many, the numbers are too long: 3,072
    // of them are 60 KB, and 16 KB in base64.
    const bool shorter = batch.inputs.size() > EmbeddingQuirks::inputs_in_numbers;
    if (quirks.base64 == EmbeddingQuirks::Base64::yes &&
        (shorter || request.form == operation::Embedding::Form::base64))
        out.key("encoding_format").string("base64");
    if (!request.asked.user.empty() && quirks.user == EmbeddingQuirks::User::keep)
        out.key("user").string(request.asked.user);
    const std::string_view purpose = word_for(quirks.purposes, request.purpose);
    if (!purpose.empty() && chat::find(request.asked.extras, quirks.purpose_field).empty())
        out.key(quirks.purpose_field).string(purpose);
    write_extras(preset, request, out);
    out.end_object();
    return body;
}

Result<EmbeddingAnswer> read_openai_embeddings(Padded body, std::string_view display_name,
                                               json::Parser* parser) {
    EmbeddingAnswer answer;
    Entries entries;
    std::optional<std::int64_t> total;
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser->parse(body, document) || document.get_object().get(root))
        return fail(unreadable_embeddings(display_name));
    const auto broken =
        for_each_field(root, [&](std::string_view name, json::ondemand::value value) {
            if (name == "data")
                for_each_element(value, [&](json::ondemand::value entry) { entries.add(entry); });
            if (name == "usage")
                for_each_field(value, [&](std::string_view field, json::ondemand::value count) {
                    if (field == "prompt_tokens") read_count(count, answer.input_tokens);
                    if (field == "total_tokens") read_count(count, total);
                });
        });
    if (broken || !entries.move_to(answer.embeddings))
        return fail(unreadable_embeddings(display_name));
    if (!answer.input_tokens) answer.input_tokens = total;
    return answer;
}

}  // namespace runnel::provider
