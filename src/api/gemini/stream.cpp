#include "api/gemini/stream.hpp"

#include "api/gemini/answer.hpp"

#include <utility>

namespace runnel::api::gemini {

Stream::Stream(const Envelope& envelope, Framing framing, std::string* out)
    : out_(*out),
      envelope_(envelope),
      framing_(framing) {
    set_usage({});
}

void Stream::on(const timeline::Event& event) {
    using namespace timeline;
    const bool hides_thoughts = envelope_.reasoning == Envelope::Reasoning::hidden;
    // Adds to a candidate, and shows what came of it.
    const auto add = [&](Choice choice, auto write) {
        write(candidates_[choice]);
        show(choice);
    };
    std::visit(
        Overload{
            [&](const Text& e) { add(e.choice, [&](Candidate& c) { c.text(e.text); }); },
            [&](const Reasoning& e) {
                if (!hides_thoughts) add(e.choice, [&](Candidate& c) { c.thought(e.text); });
            },
            [&](const ReasoningSigned& e) {
                add(e.choice, [&](Candidate& c) { c.sign(e.signature, e.issuer); });
            },
            [&](const ReasoningEncrypted& e) {
                add(e.choice, [&](Candidate& c) { c.encrypted(e.data, e.issuer); });
            },
            [&](const Refusal& e) { add(e.choice, [&](Candidate& c) { c.text(e.text); }); },
            [&](const ToolStarted& e) { candidates_[e.choice].begin_call(e.index, e.id, e.name); },
            [&](const ToolArguments& e) {
                candidates_[e.choice].add_arguments(e.index, e.fragment);
            },
            [&](const ToolEnded& e) { add(e.choice, [&](Candidate& c) { c.end_call(e.index); }); },
            [&](const Media& e) { add(e.choice, [&](Candidate& c) { c.media(e); }); },
            [&](const Citation& e) { candidates_[e.choice].cite(e); },
            [&](const Logprobs& e) { candidates_[e.choice].logprobs(e); },
            [&](const Native& e) { on_native(e); },
            [&](const UsageReported& e) {
                usage_ = e.usage;
                set_usage({});
            },
            [&](const Finished& e) { candidates_[e.choice].finish(e.finish, e.native); },
            [&](const Failed& e) { fail(e.error); },
            [&](const Ended&) { end(); },
            // Not in this API, or the gateway's own business.
            [](const Started&) {},
            [](const ItemEnded&) {},
            [](const ServerTool&) {},
            [](const HoldOver&) {},
            [](const ProviderState&) {},
        },
        event);
}

void Stream::show(timeline::Choice choice) {
    scratch_.clear();
    if (!candidates_[choice].write_more(scratch_, choice)) return;
    begin_candidates();
    out_ += scratch_;
    out_ += '}';
    out_ += tail_;
    end_object();
}

void Stream::begin_candidates() {
    begin_object();
    out_ += '{';
    out_ += std::exchange(fields_, {});
    out_ += R"("candidates":[)";
}

// Parts, and what else only this API has words for, as Gemini said it.
void Stream::on_native(const timeline::Native& event) {
    using What = timeline::Native::What;
    if (event.what == What::item) {
        candidates_[event.choice].part(event.json);
        show(event.choice);
    } else if (event.what == What::finish) {
        candidates_[event.choice].fields(event.json);
    } else if (event.what == What::answer) {
        append_fields(fields_, event.json);
    } else if (event.what == What::usage) {
        set_usage(event.json);
    }
}

void Stream::begin_object() {
    if (framing_ == Framing::events) {
        out_ += "data: ";
    } else {
        out_ += any_ ? ",\n" : "[";
    }
    any_ = true;
}

void Stream::end_object() {
    if (framing_ == Framing::events) out_ += "\n\n";
}

void Stream::set_usage(const timeline::NativeJson& native) {
    tail_.clear();
    append_tail(tail_, envelope_, usage_, native);
}

void Stream::fail(const Error& error) {
    failed_ = true;
    begin_object();
    out_ += error_body(error);
    end_object();
}

void Stream::end() {
    if (!failed_) {
        // An answer without any is an empty one, unless Gemini says why there is none.
        if (any_ || !is_blocked(fields_))
            candidates_[0];
        else
            candidates_.clear();
        begin_candidates();
        for (auto& [choice, candidate] : candidates_) {
            if (!out_.ends_with('[')) out_ += ',';
            candidate.write_last(out_, choice);
        }
        out_ += tail_;
        end_object();
    }
    if (framing_ == Framing::array) out_ += "]\n";
}

std::size_t Stream::held_bytes() const {
    std::size_t bytes = fields_.size();
    for (const auto& [_, candidate] : candidates_) bytes += candidate.held_bytes();
    return bytes;
}

}  // namespace runnel::api::gemini
