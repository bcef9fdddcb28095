#include "api/ollama/stream.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/writer.hpp"

#include <utility>

namespace runnel::api::ollama {
namespace {

// Appends JSON, or what is inside of a string of it, so that it is on one line for readers that
// know of more line ends than the line feed, as httpx does.
void append_on_one_line(std::string& out, std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> line_ends[] = {
        {"\u0085", R"(\u0085)"}, {"\u2028", R"(\u2028)"}, {"\u2029", R"(\u2029)"}};
    while (!text.empty()) {
        std::size_t at = text.size();
        std::pair<std::string_view, std::string_view> next;
        for (const auto& line_end : line_ends) {
            const std::size_t found = text.substr(0, at).find(line_end.first);
            if (found == std::string_view::npos) continue;
            at = found;
            next = line_end;
        }
        out.append(text.substr(0, at)).append(next.second);
        text.remove_prefix(at + next.first.size());
    }
}

}  // namespace

Stream::Stream(const Envelope& envelope, Form form, std::string* out)
    : out_(*out),
      show_thoughts_(envelope.reasoning),
      took_(envelope.took),
      begin_(object_begin(envelope)),
      form_(form),
      ending_{.asked = what_was_asked(envelope)} {
    if (form == Form::chat) {
        const std::string message = begin_ + R"(,"message":{"role":"assistant","content":")";
        text_begin_ = message;
        thought_begin_ = message + R"(","thinking":")";
        text_end_ = "\"}";
        nothing_ = message + "\"}";
    } else {
        text_begin_ = begin_ + R"(,"response":")";
        thought_begin_ = text_begin_ + R"(","thinking":")";
        text_end_ = "\"";
        nothing_ = text_begin_ + '"';
    }
}

void Stream::on(const timeline::Event& event) {
    using namespace timeline;
    const bool hides_thoughts = show_thoughts_ == Envelope::Reasoning::hidden;
    // There is one answer to a request.
    const auto first = [](const auto& e) { return e.choice == 0; };
    std::visit(Overload{
                   [&](const Text& e) {
                       if (first(e)) tell(text_begin_, e.text);
                   },
                   [&](const Refusal& e) {
                       if (first(e)) tell(text_begin_, e.text);
                   },
                   [&](const Reasoning& e) {
                       if (first(e) && !hides_thoughts) tell(thought_begin_, e.text);
                   },
                   [&](const Logprobs& e) {
                       if (first(e)) keep_tokens(e);
                   },
                   [&](const ToolStarted& e) {
                       if (first(e)) begin_call(e);
                   },
                   [&](const ToolArguments& e) {
                       if (first(e)) add_arguments(e);
                   },
                   [&](const ToolEnded& e) {
                       if (first(e)) end_call(e.index);
                   },
                   [&](const UsageReported& e) { ending_.usage = e.usage; },
                   [&](const Finished& e) {
                       if (first(e)) ending_.finish = e.finish;
                   },
                   [&](const Failed& e) { fail(e.error); },
                   [&](const Ended&) { end(); },
                   [](const auto&) {},
               },
               event);
}

void Stream::tell(std::string_view begin, std::string_view text) {
    out_ += begin;
    append_on_one_line(out_, text);
    out_ += text_end_;
    end_line();
}

void Stream::end_line() {
    if (!tokens_.empty()) {
        out_ += R"(,"logprobs":[)";
        append_on_one_line(out_, tokens_);
        out_ += ']';
        tokens_.clear();
    }
    out_ += ",\"done\":false}\n";
}

void Stream::keep_tokens(const timeline::Logprobs& event) {
    if (event.of != timeline::Logprobs::Of::reasoning) append_tokens(tokens_, event);
}

void Stream::begin_call(const timeline::ToolStarted& event) {
    call_bytes_ += event.id.size() + event.name.size() + sizeof(Call);
    calls_[event.index] = {.id = std::string(event.id), .name = std::string(event.name)};
}

void Stream::add_arguments(const timeline::ToolArguments& event) {
    const auto call = calls_.find(event.index);
    if (call == calls_.end()) return;
    call->second.arguments_escaped += event.fragment;
    call_bytes_ += event.fragment.size();
}

void Stream::end_call(int index) {
    const auto call = calls_.find(index);
    if (call == calls_.end()) return;
    write_call(index, call->second);
    calls_.erase(call);
    if (calls_.empty()) call_bytes_ = 0;
}

// Who has one text answered has no tools.
void Stream::write_call(int index, const Call& call) {
    if (form_ == Form::generate) return;
    std::string object;
    append_call(object, index, call.id, call.name, call.arguments_escaped);
    out_ += text_begin_;
    out_ += R"(","tool_calls":[)";
    append_on_one_line(out_, object);
    out_ += "]}";
    end_line();
}

void Stream::fail(const Error& error) {
    failed_ = true;
    append_on_one_line(out_, error_body(error));
    out_ += '\n';
}

void Stream::end() {
    if (failed_) return;
    for (const auto& [index, call] : calls_) write_call(index, call);
    calls_.clear();
    call_bytes_ = 0;
    out_ += nothing_;
    append_end(out_, ending_, took_);
    out_ += '\n';
}

std::size_t Stream::held_bytes() const { return call_bytes_ + tokens_.size(); }

}  // namespace runnel::api::ollama
