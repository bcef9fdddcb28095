#include "guardrail/filter.hpp"

#include "base/letters.hpp"
#include "base/limits.hpp"
#include "guardrail/transcript.hpp"
#include "json/text.hpp"

#include <algorithm>
#include <array>

namespace runnel::guardrail {

using timeline::Choice;
using timeline::Event;

namespace {

constexpr std::size_t gathered_bytes_max = 16 * limits::kib;
// Of what waits until it is whole, or until somebody has seen it: as much as an answer may have
// that comes as a whole.
constexpr std::size_t waiting_bytes_max = limits::upstream_body_bytes;

bool is_speech(const Event& event) {
    return std::holds_alternative<timeline::Text>(event) ||
           std::holds_alternative<timeline::Reasoning>(event) ||
           std::holds_alternative<timeline::Refusal>(event);
}

}  // namespace

struct GuardrailFilter::Speech {
    Speech(Channel said_in, Choice said_by, std::shared_ptr<Scanner> scanner, GuardrailBits rules)
        : channel(said_in),
          choice(said_by),
          text(std::move(scanner), rules, GuardrailText::Blocks::cut) {}

    Channel channel;
    Choice choice;
    GuardrailText text;
    bool may_hold = false;   // something of it, since it was last paused
    bool changed = false;    // by a rule, since it was last signed or an item ended
    std::uint64_t said = 0;  // bytes, as they came
    struct Logprobs {
        std::uint64_t begin;  // of the text they belong to
        std::uint64_t end;
        timeline::Recording told;
    };
    std::vector<Logprobs> held_logprobs{};

    bool holds() const { return text.released_until() < said; }
};

struct GuardrailFilter::Call {
    Choice choice;
    int index;
    std::string id;
    std::string name;
    std::string arguments_escaped{};
    bool ended = false;
};

GuardrailFilter::GuardrailFilter(std::shared_ptr<const GuardrailSet> set, GuardrailBits rules,
                                 timeline::Sink* to)
    : set_(std::move(set)),
      on_text_(set_->local_at(GuardrailPlace::output, rules)),
      looks_at_output_(on_text_ != 0 || set_->checks_at(GuardrailPlace::output, rules) != 0),
      on_reasoning_(set_->local_at(GuardrailPlace::reasoning, rules)),
      on_arguments_(set_->local_at(GuardrailPlace::tool_arguments, rules)),
      checks_(set_->checks_at(GuardrailPlace::output, rules) |
              set_->checks_at(GuardrailPlace::reasoning, rules) |
              set_->checks_at(GuardrailPlace::tool_arguments, rules)),
      to_(to),
      out_(checks_ != 0 ? &held_ : to) {}

GuardrailFilter::~GuardrailFilter() = default;

Result<std::unique_ptr<GuardrailFilter>>
GuardrailFilter::make(std::shared_ptr<const GuardrailSet> set, GuardrailBits rules,
                      GuardrailWorkspace* workspace, timeline::Sink* to) {
    auto scanner = workspace->scanner_for(*set, rules);
    if (!scanner) return propagate(scanner);
    std::unique_ptr<GuardrailFilter> filter(new GuardrailFilter(std::move(set), rules, to));
    filter->scanner_ = std::move(*scanner);
    return filter;
}

void GuardrailFilter::on(const Event& event) {
    if (!is_speech(event)) settle();
    if (cut_) {
        if (std::holds_alternative<timeline::UsageReported>(event)) tell(event);
        if (std::holds_alternative<timeline::Ended>(event)) end();
        return;
    }
    std::visit(
        timeline::Overload{
            [&](const timeline::Text& e) { on_speech(Channel::text, e.choice, e.text, event); },
            [&](const timeline::Refusal& e) {
                on_speech(Channel::refusal, e.choice, e.text, event);
            },
            [&](const timeline::Reasoning& e) {
                on_speech(Channel::reasoning, e.choice, e.text, event);
            },
            [&](const timeline::ReasoningSigned& e) { on_reasoning_signed(e); },
            // Nobody here can read it.
            [&](const timeline::ReasoningEncrypted&) { tell(event); },
            [&](const timeline::ItemEnded& e) { on_item_ended(e); },
            [&](const timeline::Logprobs& e) { on_logprobs(e); },
            [&](const timeline::ToolStarted& e) { on_tool_started(e); },
            [&](const timeline::ToolArguments& e) { on_tool_arguments(e); },
            [&](const timeline::ToolEnded& e) { on_tool_ended(e); },
            [&](const timeline::ServerTool& e) { on_server_tool(e); },
            [&](const timeline::Finished& e) { on_finished(e); },
            [&](const timeline::Ended&) { on_ended(); },
            [&](const timeline::Started&) {
                forget_answer();
                to_->on(event);
            },
            [&](const timeline::HoldOver& e) {
                if (e.why == timeline::HoldOver::Why::tool_called) pause_all(Whose::everybody, 0);
                if (!cut_) tell(event);
            },
            [&](const timeline::Failed&) {
                flush();
                if (!cut_) tell(event);
            },
            [&](const timeline::Native& e) { on_native(e); },
            [&](const timeline::Citation& e) { on_citation(e); },
            [&](const timeline::Media& e) { on_media(e); },
            [&](const timeline::ProviderState&) { tell(event); },
            [&](const timeline::UsageReported&) { tell(event); },
        },
        event);
    limit_waiting();
}

// What can't be looked at any more is not shown.
void GuardrailFilter::limit_waiting() {
    if (ended_ || whole_bytes_ + held_.bytes() <= waiting_bytes_max) return;
    gave_up_ = true;
    cut_off();
}

std::size_t GuardrailFilter::held_bytes() const {
    std::size_t bytes = whole_bytes_ + held_.bytes() + calls_.size() * sizeof(Call);
    bytes += gathered_.escaped.size() + gathered_.plain.size() + logprobs_.bytes();
    for (const auto& speech : speeches_)
        for (const Speech::Logprobs& one : speech->held_logprobs) bytes += one.told.bytes();
    return bytes;
}

GuardrailBits GuardrailFilter::rules_for(Channel channel) const {
    return channel == Channel::reasoning ? on_reasoning_ : on_text_;
}

GuardrailFilter::Speech& GuardrailFilter::speech_of(Channel channel, Choice choice) {
    for (const auto& speech : speeches_)
        if (speech->channel == channel && speech->choice == choice) return *speech;
    return *speeches_.emplace_back(
        std::make_unique<Speech>(channel, choice, scanner_, rules_for(channel)));
}

void GuardrailFilter::on_speech(Channel channel, Choice choice, std::string_view escaped,
                                const Event& event) {
    if (rules_for(channel) == 0) {
        settle();
        note_choice(choice);
        pause_all(Whose::choice, choice);
        if (!cut_) tell(event);
        return;
    }
    if (expects_json_ && channel == Channel::text) return on_json(choice, escaped);
    Speech& speech = speech_of(channel, choice);
    if (gathered_.speech != &speech) {
        settle();
        note_choice(choice);
        pause_all(Whose::choice, choice, &speech);
        gathered_.speech = &speech;
    }
    if (cut_) return gathered_.clear();
    const std::size_t before = gathered_.plain.size();
    gathered_.escaped += escaped;
    if (escaped.contains('\\')) {
        json::append_unescaped(gathered_.plain, escaped);
    } else {
        gathered_.plain += escaped;
    }
    if (!escaped.empty())
        gathered_.ends.push_back({gathered_.escaped.size(), gathered_.plain.size()});
    const std::uint64_t began =
        std::exchange(speech.said, speech.said + gathered_.plain.size() - before);
    // Providers tell them before the message, whose thoughts they are not about.
    if (channel != Channel::reasoning && has_logprobs_of(choice))
        speech.held_logprobs.push_back({began, speech.said, std::exchange(logprobs_, {})});
    if (gathered_.plain.size() > gathered_bytes_max) settle();
}

void GuardrailFilter::Gathered::clear() {
    speech = nullptr;
    escaped.clear();
    plain.clear();
    ends.clear();
}

void GuardrailFilter::settle() {
    Speech* const speech = std::exchange(gathered_.speech, nullptr);
    if (speech == nullptr) return;
    speech->may_hold = true;
    speech->text.add(gathered_.plain);
    pass_on(*speech);
    gathered_.clear();
}

void GuardrailFilter::on_json(Choice choice, std::string_view escaped) {
    note_choice(choice);
    const auto at = static_cast<std::size_t>(choice);
    if (json_escaped_.size() <= at) json_escaped_.resize(at + 1);
    json_escaped_[at] += escaped;
    whole_bytes_ += escaped.size();
}

void GuardrailFilter::release_json(Choice choice) {
    const auto at = static_cast<std::size_t>(choice);
    if (cut_ || at >= json_escaped_.size() || json_escaped_[at].empty()) return;
    const std::string escaped = std::exchange(json_escaped_[at], {});
    whole_bytes_ -= escaped.size();
    const ScannedJson scanned = scan_json(scanner_, on_text_, json::unescaped(escaped));
    if (!may_show(scanned)) return;
    scratch_ = escaped;
    if (scanned.outcome == ScannedJson::Outcome::replaced) {
        scratch_.clear();
        json::append_escaped(scratch_, scanned.json);
    }
    tell(timeline::Text{choice, scratch_});
}

// Shows what the text has released.
void GuardrailFilter::pass_on(Speech& speech) {
    const GuardrailText& text = speech.text;
    speech.changed = speech.changed || text.replaced();
    if (text.released_as_added() || !text.released().empty()) pass_logprobs_on(speech);
    if (text.released_as_added()) {
        pass_on_as_it_came(speech);
    } else if (!text.released().empty()) {
        pass_on_released(speech);
    }
    if (!text.found().empty()) findings_.add(text, scanner_->matcher());
    gave_up_ = gave_up_ || text.gave_up();
    if (text.is_cut()) cut_off();
}

void GuardrailFilter::pass_on_as_it_came(const Speech& speech) {
    std::size_t begin = 0;
    for (const Gathered::End& end : gathered_.ends) {
        say(speech, std::string_view(gathered_.escaped).substr(begin, end.escaped - begin));
        begin = end.escaped;
    }
}

// In the pieces in which it came, as far as it is what came.
void GuardrailFilter::pass_on_released(const Speech& speech) {
    std::string_view rest = speech.text.released();
    const auto say_first = [&](std::size_t bytes) {
        std::string_view escaped = rest.substr(0, bytes);
        if (find_other<Letters::unescaped>(escaped, 0) < bytes) {
            scratch_.clear();
            json::append_escaped(scratch_, escaped);
            escaped = scratch_;
        }
        say(speech, escaped);
        rest.remove_prefix(bytes);
    };
    if (!speech.text.replaced()) {
        const std::uint64_t gathered_from = speech.said - gathered_.plain.size();
        for (const Gathered::End& end : gathered_.ends) {
            const std::uint64_t begin = speech.text.released_until() - rest.size();
            if (gathered_from + end.plain > begin &&
                gathered_from + end.plain - begin < rest.size())
                say_first(static_cast<std::size_t>(gathered_from + end.plain - begin));
        }
    }
    say_first(rest.size());
}

void GuardrailFilter::say(const Speech& speech, std::string_view escaped) {
    switch (speech.channel) {
        case Channel::text: tell(timeline::Text{speech.choice, escaped}); break;
        case Channel::refusal: tell(timeline::Refusal{speech.choice, escaped}); break;
        case Channel::reasoning: tell(timeline::Reasoning{speech.choice, escaped}); break;
    }
}

// They name the tokens: where some of the text is replaced, they are not told.
void GuardrailFilter::pass_logprobs_on(Speech& speech) {
    const std::uint64_t until = speech.text.released_until();
    auto& held = speech.held_logprobs;
    if (speech.text.replaced()) std::erase_if(held, [&](auto& one) { return one.begin < until; });
    const auto later = std::ranges::find_if(held, [&](auto& one) { return one.end > until; });
    for (auto one = held.begin(); one != later; ++one) one->told.replay(out_);
    held.erase(held.begin(), later);
}

void GuardrailFilter::on_logprobs(const timeline::Logprobs& event) {
    note_choice(event.choice);
    // Where thoughts are looked at, so would each of their tokens have to be.
    if (event.of == timeline::Logprobs::Of::reasoning && on_reasoning_ != 0) return;
    if (on_text_ == 0) return tell(event);
    if (!has_logprobs_of(event.choice)) logprobs_.clear();
    logprobs_.on(event);
}

bool GuardrailFilter::has_logprobs_of(Choice choice) const {
    return !logprobs_.empty() &&
           std::get<timeline::Logprobs>(logprobs_.events().front()).choice == choice;
}

// Something else is said now. What is held is said before it, unless it is a match.
void GuardrailFilter::pause_all(Whose whose, Choice choice, const Speech* except) {
    for (const auto& speech : speeches_)
        if (speech.get() != except && (whose == Whose::everybody || speech->choice == choice))
            pause(*speech);
}

void GuardrailFilter::pause(Speech& speech) {
    if (!speech.may_hold || cut_) return;
    speech.may_hold = false;
    speech.text.add_last("");
    pass_on(speech);
}

// A signature is for reasoning as it came: for any other it would be wrong, and would say so.
void GuardrailFilter::on_reasoning_signed(const timeline::ReasoningSigned& event) {
    if (on_reasoning_ != 0) {
        Speech& reasoning = speech_of(Channel::reasoning, event.choice);
        pause(reasoning);
        if (cut_ || std::exchange(reasoning.changed, false)) return;
    }
    tell(event);
}

// A match may lie across two items. So nothing is let go here, and where something is held the two
// become one.
void GuardrailFilter::on_item_ended(const timeline::ItemEnded& event) {
    const auto at = static_cast<std::size_t>(event.choice);
    if (at < json_escaped_.size() && !json_escaped_[at].empty()) return;
    for (const auto& speech : speeches_)
        if (speech->choice == event.choice && speech->holds()) return;
    for (const auto& speech : speeches_)
        if (speech->choice == event.choice) speech->changed = false;
    tell(event);
}

void GuardrailFilter::on_tool_started(const timeline::ToolStarted& event) {
    note_choice(event.choice);
    pause_all(Whose::choice, event.choice);
    if (cut_) return;
    if (on_arguments_ == 0) return tell(event);
    calls_.push_back({event.choice, event.index, std::string(event.id), std::string(event.name)});
}

void GuardrailFilter::on_tool_arguments(const timeline::ToolArguments& event) {
    if (on_arguments_ == 0) return tell(event);
    for (Call& call : calls_)
        if (call.choice == event.choice && call.index == event.index) {
            call.arguments_escaped += event.fragment;
            whole_bytes_ += event.fragment.size();
        }
}

void GuardrailFilter::on_tool_ended(const timeline::ToolEnded& event) {
    if (on_arguments_ == 0) return tell(event);
    for (Call& call : calls_)
        if (call.choice == event.choice && call.index == event.index) call.ended = true;
    release_calls(event.choice);
}

// Calls are shown in the order they were made.
void GuardrailFilter::release_calls(Choice choice) {
    while (!cut_) {
        const auto call = std::ranges::find(calls_, choice, &Call::choice);
        if (call == calls_.end() || !call->ended) return;
        const Call released = std::move(*call);
        calls_.erase(call);
        whole_bytes_ -= released.arguments_escaped.size();
        release_call(released);
    }
}

void GuardrailFilter::release_call(const Call& call) {
    const ScannedJson name = scan_json(scanner_, on_arguments_, call.name);
    if (!may_show(name)) return;
    if (name.outcome == ScannedJson::Outcome::replaced) return cut_off();
    const std::string arguments = json::unescaped(call.arguments_escaped);
    const ScannedJson scanned = scan_json(scanner_, on_arguments_, arguments);
    if (!may_show(scanned)) return;
    std::string_view escaped = call.arguments_escaped;
    if (scanned.outcome == ScannedJson::Outcome::replaced) {
        scratch_.clear();
        json::append_escaped(scratch_, scanned.json);
        escaped = scratch_;
    }
    tell(timeline::ToolStarted{call.choice, call.index, call.id, call.name});
    if (!escaped.empty()) tell(timeline::ToolArguments{call.choice, call.index, escaped});
    tell(timeline::ToolEnded{call.choice, call.index});
}

bool GuardrailFilter::may_show(const ScannedJson& scanned) {
    findings_.add(scanned.findings);
    using Outcome = ScannedJson::Outcome;
    if (scanned.outcome == Outcome::blocked || scanned.outcome == Outcome::unsure) cut_off();
    return !cut_;
}

void GuardrailFilter::on_server_tool(const timeline::ServerTool& event) {
    pause_all(Whose::everybody, 0);
    if (cut_) return;
    if (on_arguments_ == 0) return tell(event);
    timeline::ServerTool shown = event;
    const ScannedJson arguments = scan_json(scanner_, on_arguments_, event.arguments_raw);
    if (!may_show(arguments)) return;
    const ScannedJson result = scan_json(scanner_, on_arguments_, event.result_raw);
    if (!may_show(result)) return;
    const ScannedJson explanation = scan_json(scanner_, on_arguments_, event.explanation_raw);
    if (!may_show(explanation)) return;
    if (arguments.outcome == ScannedJson::Outcome::replaced) shown.arguments_raw = arguments.json;
    if (result.outcome == ScannedJson::Outcome::replaced) shown.result_raw = result.json;
    if (explanation.outcome == ScannedJson::Outcome::replaced)
        shown.explanation_raw = explanation.json;
    tell(shown);
}

// What nobody here can read is not for the client where an answer is looked at; counts are no
// words.
void GuardrailFilter::on_native(const timeline::Native& event) {
    note_choice(event.choice);
    const bool looks = looks_at_output_ || on_reasoning_ != 0 || on_arguments_ != 0;
    if (!cut_ && (!looks || event.what == timeline::Native::What::usage)) tell(event);
}

// Where a source is and what it is called is part of what is said. Its own words are not, and are
// left out where they may not be shown.
void GuardrailFilter::on_citation(const timeline::Citation& event) {
    note_choice(event.choice);
    if (on_text_ == 0) return tell(event);
    const auto look_at = [&](std::string_view escaped) {
        return scan_json(scanner_, on_text_, json::unescaped(escaped));
    };
    const ScannedJson url = look_at(event.url);
    if (!may_show(url)) return;
    const ScannedJson title = look_at(event.title);
    if (!may_show(title)) return;
    const ScannedJson quotation = look_at(event.cited_text);
    findings_.add(quotation.findings);
    using Outcome = ScannedJson::Outcome;
    std::array<std::string, 3> replaced;
    const auto replace = [](std::string_view& text, const ScannedJson& by, std::string& kept) {
        if (by.outcome == Outcome::pass) return;
        if (by.outcome == Outcome::replaced) json::append_escaped(kept, by.json);
        text = kept;
    };
    timeline::Citation shown = event;
    shown.native = {};
    replace(shown.url, url, replaced[0]);
    replace(shown.title, title, replaced[1]);
    replace(shown.cited_text, quotation, replaced[2]);
    tell(shown);
}

// Nobody here can read a picture, only where it is to be had. What is spoken is text, and where
// text is looked at, words that nobody could look at are not for the client.
void GuardrailFilter::on_media(const timeline::Media& event) {
    note_choice(event.choice);
    pause_all(Whose::choice, event.choice);
    if (cut_) return;
    if (event.kind == timeline::Media::Kind::audio && looks_at_output_) return;
    if (on_text_ == 0) return tell(event);
    const std::string url = json::unescaped(event.url);
    if (url.starts_with("data:")) return tell(event);
    const ScannedJson scanned = scan_json(scanner_, on_text_, url);
    if (may_show(scanned) && scanned.outcome == ScannedJson::Outcome::pass) tell(event);
}

void GuardrailFilter::on_finished(const timeline::Finished& event) {
    note_choice(event.choice);
    pause_all(Whose::choice, event.choice);
    release_json(event.choice);
    for (Call& call : calls_)
        if (call.choice == event.choice) call.ended = true;
    release_calls(event.choice);
    if (cut_) return;
    choices_[static_cast<std::size_t>(event.choice)] = Progress::finished;
    tell(event);
}

void GuardrailFilter::on_ended() {
    flush();
    if (ended_) return;
    ended_ = true;
    tell(timeline::Ended{});
}

void GuardrailFilter::flush() {
    settle();
    pause_all(Whose::everybody, 0);
    for (std::size_t i = 0; i < json_escaped_.size(); ++i) release_json(static_cast<Choice>(i));
}

void GuardrailFilter::end() {
    settle();
    if (cut_) {
        if (!ended_) tell(timeline::Ended{});
        ended_ = true;
    } else {
        on_ended();
    }
}

void GuardrailFilter::note_choice(timeline::Choice choice) {
    const auto at = static_cast<std::size_t>(choice);
    if (choices_.size() <= at) choices_.resize(at + 1, Progress::unseen);
    if (choices_[at] == Progress::unseen) choices_[at] = Progress::open;
}

// What waits for a verdict will not be shown either.
void GuardrailFilter::cut_off() {
    if (cut_) return;
    cut_ = true;
    gathered_.clear();
    // What was held had an end; nobody has seen it.
    if (std::exchange(out_, to_) != to_) std::ranges::fill(choices_, Progress::open);
    finish_with_filter(to_);
    tell_held_usage();
    held_.clear();
}

void GuardrailFilter::tell_held_usage() {
    for (const Event& event : held_.events())
        if (std::holds_alternative<timeline::UsageReported>(event)) to_->on(event);
}

void GuardrailFilter::finish_with_filter(timeline::Sink* to) {
    if (choices_.empty()) note_choice(0);
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (choices_[i] != Progress::open) continue;
        choices_[i] = Progress::finished;
        to->on(timeline::Finished{static_cast<timeline::Choice>(i),
                                  timeline::Finish::content_filter,
                                  gave_up_ ? guardrail_gave_up : "guardrail"});
    }
}

void GuardrailFilter::forget_answer() {
    gathered_.clear();
    logprobs_.clear();
    speeches_.clear();
    calls_.clear();
    json_escaped_.clear();
    whole_bytes_ = 0;
    choices_.clear();
    held_.shorten(kept_events_);
}

void GuardrailFilter::keep_answer() {
    settle();
    kept_events_ = held_.events().size();
}

void GuardrailFilter::drop_answer() { forget_answer(); }

std::string GuardrailFilter::text_for(std::size_t rule) const {
    return transcript_for(set_->rule(rule), held_.events());
}

void GuardrailFilter::settle_checks(Checked checked) {
    out_ = to_;
    if (checked == Checked::passed) {
        held_.replay(to_);
        held_.clear();
        return;
    }
    if (checked == Checked::blocked) {
        cut_ = true;
        std::ranges::fill(choices_, Progress::open);
        finish_with_filter(to_);
    }
    tell_held_usage();
    if (checked == Checked::blocked) to_->on(timeline::Ended{});
    held_.clear();
}

}  // namespace runnel::guardrail
