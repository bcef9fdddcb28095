#include "api/completions/stream.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace runnel::api::completions {

Stream::Stream(const Envelope& envelope, std::string* out)
    : out_(*out),
      prompt_(echoed_prompt(envelope)),
      show_usage_(envelope.usage),
      no_usage_(envelope.usage == Envelope::Usage::shown ? R"(,"usage":null)" : "") {
    json::Writer begin(chunk_begin_);
    begin.raw("data: ").begin_object().key("id").string(envelope.id);
    begin.key("object").string("text_completion").key("created").number(envelope.created);
    begin.key("model").string(envelope.model).key("choices").begin_array();
    text_begin_ = chunk_begin_ + R"({"index":0,"text":")";
    text_end_ = fmt::format("\",\"logprobs\":null,\"finish_reason\":null}}]{}}}\n\n", no_usage_);
}

void Stream::on(const timeline::Event& event) {
    using namespace timeline;
    std::visit(Overload{
                   [&](const Text& e) { tell(e.choice, e.text); },
                   [&](const Refusal& e) { tell(e.choice, e.text); },
                   [&](const Logprobs& e) { begun(e.choice).tokens.add(e); },
                   [&](const UsageReported& e) { usage_ = e.usage; },
                   [&](const Finished& e) { finish(e); },
                   [&](const Failed& e) {
                       failed_ = true;
                       append_error_frame(out_, e.error);
                   },
                   [&](const Ended&) { end(); },
                   [](const auto&) {},
               },
               event);
}

// The choice, of which the prompt has been told.
Stream::Choice& Stream::begun(timeline::Choice index) {
    const auto at = static_cast<std::size_t>(index);
    if (at >= choices_.size()) choices_.resize(at + 1);
    Choice& choice = choices_[at];
    if (std::exchange(choice.has_begun, true) || prompt_.empty()) return choice;
    choice.tokens.skip(prompt_);
    begin_chunk(index);
    out_ += prompt_;
    out_ += text_end_;
    return choice;
}

void Stream::tell(timeline::Choice index, std::string_view text) {
    Choice& choice = begun(index);
    begin_chunk(index);
    out_ += text;
    if (choice.tokens.held_bytes() == 0) {
        out_ += text_end_;
        return;
    }
    out_ += R"(","logprobs":)";
    choice.tokens.write(out_);
    out_ += R"(,"finish_reason":null}])";
    out_ += no_usage_;
    out_ += "}\n\n";
}

void Stream::begin_chunk(timeline::Choice index) {
    if (index == 0) {
        out_ += text_begin_;
        return;
    }
    out_ += chunk_begin_;
    fmt::format_to(std::back_inserter(out_), R"({{"index":{},"text":")", index);
}

void Stream::finish(const timeline::Finished& event) {
    Choice& choice = begun(event.choice);
    begin_chunk(event.choice);
    out_ += R"(","logprobs":)";
    choice.tokens.write(out_);
    out_ += R"(,"finish_reason":")";
    out_ += finish_reason(event.finish);
    out_ += "\"}]";
    out_ += no_usage_;
    out_ += "}\n\n";
}

void Stream::end() {
    if (usage_ && !failed_ && show_usage_ == Envelope::Usage::shown) {
        out_ += chunk_begin_;
        out_ += R"(],"usage":)";
        json::Writer writer(out_);
        write_usage(writer, *usage_, ChatStyle::PromptTokens::all);
        out_ += "}\n\n";
    }
    out_ += "data: [DONE]\n\n";
}

std::size_t Stream::held_bytes() const {
    std::size_t bytes = prompt_.size();
    for (const Choice& choice : choices_) bytes += choice.tokens.held_bytes();
    return bytes;
}

}  // namespace runnel::api::completions
