#include "api/completions/answer.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <utility>

namespace runnel::api::completions {
namespace {

using timeline::Answer;

// Characters as whoever counts them in text sees them, not bytes.
std::int64_t characters_in(std::string_view escaped) {
    const std::string plain = json::unescaped(escaped);
    return std::ranges::count_if(
        plain, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

void write_choice(json::Writer& writer, std::string& out, const Answer::Choice& choice,
                  std::string_view prompt, std::int64_t index) {
    TokenLists lists;
    lists.skip(prompt);
    writer.begin_object().key("index").number(index).key("text").escaped(prompt);
    out.pop_back();
    const auto tell = [&](const auto& item) {
        out += item.text_escaped;
        for (const timeline::Event& event : item.logprobs.events())
            lists.add(std::get<timeline::Logprobs>(event));
    };
    for (const Answer::Item& item : choice.items) {
        if (const auto* text = std::get_if<Answer::Text>(&item)) tell(*text);
        if (const auto* refusal = std::get_if<Answer::Refusal>(&item)) tell(*refusal);
    }
    out += R"(","logprobs":)";
    lists.write(out);
    const auto finish = choice.finish.value_or(timeline::Finish::stop);
    writer.key("finish_reason").string(finish_reason(finish)).end_object();
}

}  // namespace

std::string_view echoed_prompt(const Envelope& envelope) {
    if (envelope.request == nullptr || chat::find(envelope.request->extras, "echo") != "true")
        return {};
    const auto& messages = envelope.request->messages;
    // Behind what the gateway puts before it.
    const auto prompt = std::ranges::find(messages, 1U, &chat::Message::number);
    return prompt == messages.end() || prompt->parts.empty()
               ? std::string_view()
               : prompt->parts.front().words().value_or(std::string_view());
}

// Clients of this API can't call anything.
std::string_view finish_reason(timeline::Finish finish) {
    switch (finish) {
        case timeline::Finish::length: return "length";
        case timeline::Finish::content_filter: return "content_filter";
        case timeline::Finish::stop:
        case timeline::Finish::tool_calls:
        case timeline::Finish::pause: return "stop";
    }
    return "stop";
}

void TokenLists::skip(std::string_view escaped) { offset_ += characters_in(escaped); }

void TokenLists::add(const timeline::Logprobs& event) {
    if (event.of == timeline::Logprobs::Of::reasoning) return;
    for (const timeline::TokenLogprob& token : event.tokens) {
        json::Writer(tokens_).escaped(token.token);
        json::Writer(chosen_).raw(token.logprob_raw);
        json::Writer top(top_);
        top.begin_object();
        for (const timeline::TokenLogprob& other : token.top) {
            any_top_ = true;
            top.escaped(other.token);
            top_ += ':';
            top.raw(other.logprob_raw);
        }
        top.end_object();
        json::Writer(offsets_).number(offset_);
        offset_ += characters_in(token.token);
    }
}

void TokenLists::write(std::string& out) {
    json::Writer writer(out);
    if (tokens_.empty()) return (void)writer.null();
    writer.begin_object().key("tokens").begin_array().raw(tokens_).end_array();
    writer.key("token_logprobs").begin_array().raw(chosen_).end_array();
    writer.key("top_logprobs");
    any_top_ ? writer.begin_array().raw(top_).end_array() : writer.null();
    writer.key("text_offset").begin_array().raw(offsets_).end_array().end_object();
    for (std::string* list : {&tokens_, &chosen_, &top_, &offsets_}) list->clear();
    any_top_ = false;
}

std::size_t TokenLists::held_bytes() const {
    return tokens_.size() + chosen_.size() + top_.size() + offsets_.size();
}

std::string whole_answer(const Envelope& envelope, const Answer& answer) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("id").string(envelope.id).key("object").string("text_completion");
    writer.key("created").number(envelope.created).key("model").string(envelope.model);
    writer.key("choices").begin_array();
    const std::string_view prompt = echoed_prompt(envelope);
    for (std::size_t i = 0; i < answer.choices.size(); ++i)
        write_choice(writer, out, answer.choices[i], prompt, static_cast<std::int64_t>(i));
    writer.end_array();
    write_usage(writer.key("usage"), answer.usage.value_or(timeline::Usage{}),
                ChatStyle::PromptTokens::all);
    writer.end_object();
    return out;
}

}  // namespace runnel::api::completions
