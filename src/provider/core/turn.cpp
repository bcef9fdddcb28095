#include "provider/core/turn.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"
#include "provider/core/think_tags.hpp"
#include "provider/core/tool_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace runnel::provider {

using timeline::Choice;

struct Turn::Call {
    CallKey key;
    int index = -1;           // the client's number; -1 until it is announced
    std::string native_id{};  // the provider's, to tell calls apart
    std::string id{};         // the client's, once announced
    std::string name{};
    std::string waiting{};  // arguments that came before id and name
    std::string unclear{};  // white space or null, as far as they have come
    bool has_told = false;  // some of its arguments
    std::size_t arguments_bytes = 0;
    json::Joiner joiner{};
    std::string state{};
    bool ended = false;
    bool dropped = false;  // one call too many
};

struct Turn::ChoiceState {
    json::Joiner text{};
    json::Joiner reasoning{};
    json::Joiner refusal{};
    ThinkTags think{};
    std::vector<Call> calls{};
    int calls_announced = 0;
    int extras = 0;             // citations, media, signatures
    bool item_is_open = false;  // text or reasoning was told since an item ended
    bool begun = false;
    bool spoke = false;
    std::optional<timeline::Finish> finish{};
    std::string native{};
    std::string stop_sequence{};

    // Choices are kept by index: one that only fills a gap is nobody's answer.
    bool exists() const { return spoke || finish.has_value(); }
};

namespace {

// Of citations, media and signatures of one choice: each takes more memory than the fewest bytes
// that make it.
constexpr int extras_max = 10'000;

// A number no provider was asked for must not decide how much memory is used.
Choice in_range(Choice choice) {
    return std::clamp<Choice>(choice, 0, static_cast<Choice>(limits::choices) - 1);
}

// Makes texts clean that come whole, and keeps them until the event is told.
template <std::size_t count>
class CleanTexts {
public:
    void clean(std::string_view& text) { text = json::cleaned(text, scratch_[used_++]); }

private:
    std::array<std::string, count> scratch_{};
    std::size_t used_ = 0;
};

// White space between JSON's tokens may be line ends, which would end an event of a stream.
std::string_view on_one_line(std::string_view raw, std::string& scratch) {
    raw = raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1);
    const bool breaks = raw.find_first_of("\r\n") != std::string_view::npos;
    if (breaks) json::append_compact(scratch, raw);
    const std::string_view line = breaks ? std::string_view(scratch) : raw;
    if (json::find_invalid_utf8(line) == std::string_view::npos) return line;
    return scratch = with_valid_utf8(line);
}

// What a data: URL says stands in the event's own words.
void take_data_out_of_url(timeline::Media& media) {
    const chat::Source source = chat::source_of_url(media.url);
    if (source.data_escaped.empty() || source.media_type_escaped.contains('\\')) return;
    media.media_type = source.media_type_escaped;
    media.data = source.data_escaped;
    media.url = {};
}

}  // namespace

void answer_in(std::string_view api, TurnOptions& options) {
    if (options.native_api != api) {
        options.native_api = {};
    } else if (api == chat::name_of(chat::Api::messages)) {
        options.tool_id_prefix.clear();
    }
}

Turn::Turn(TurnOptions options, timeline::Sink* sink, IdSource* ids)
    : options_(std::move(options)),
      sink_(sink),
      ids_(ids) {}

Turn::~Turn() = default;

Turn::ChoiceState& Turn::state(Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    while (index >= choices_.size()) {
        choices_.emplace_back();
        choices_.back().think.enable(options_.think_tags);
    }
    return choices_[index];
}

Turn::Call* Turn::find(ChoiceState& choice, CallKey key) {
    // From the back: a key may have been used again for a later call.
    const auto found = std::find_if(choice.calls.rbegin(), choice.calls.rend(),
                                    [&](const Call& call) { return call.key == key; });
    return found == choice.calls.rend() ? nullptr : &*found;
}

void Turn::emit(const timeline::Event& event) {
    if (ended_) return;
    if (timeline::is_visible(event)) ++output_count_;
    sink_->on(event);
}

void Turn::started() { emit(timeline::Started{}); }

void Turn::begun(Choice choice) { state(in_range(choice)).begun = true; }

void Turn::text(Choice choice, std::string_view escaped) {
    if (escaped.empty()) return;
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    talks_on_ = talks_on_ || here.finish;
    if (!here.calls.empty()) announce_waiting(choice, here);
    const std::string_view clean = here.text.join(escaped, scratch_);
    if (clean.empty()) return;
    here.spoke = here.item_is_open = true;
    if (!here.think.active()) {
        emit(timeline::Text{choice, clean});
        return;
    }
    here.think.split(
        clean, [&](std::string_view t) { emit(timeline::Reasoning{choice, t}); },
        [&](std::string_view t) { emit(timeline::Text{choice, t}); });
}

void Turn::reasoning(Choice choice, std::string_view escaped) {
    if (escaped.empty()) return;
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    if (!here.calls.empty()) announce_waiting(choice, here);
    const std::string_view clean = here.reasoning.join(escaped, scratch_);
    if (clean.empty()) return;
    here.spoke = here.item_is_open = true;
    emit(timeline::Reasoning{choice, clean});
}

void Turn::reasoning_signed(Choice choice, std::string_view escaped) {
    if (escaped.empty() || ended_) return;
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    if (!takes_another(here)) return;
    here.item_is_open = true;
    CleanTexts<1> texts;
    texts.clean(escaped);
    emit(timeline::ReasoningSigned{choice, escaped, options_.issuer});
}

void Turn::reasoning_encrypted(Choice choice, std::string_view escaped) {
    if (escaped.empty() || ended_) return;
    choice = in_range(choice);
    if (!takes_another(state(choice))) return;
    CleanTexts<1> texts;
    texts.clean(escaped);
    emit(timeline::ReasoningEncrypted{choice, escaped, options_.issuer});
}

void Turn::item_ended(Choice choice) {
    choice = in_range(choice);
    if (std::exchange(state(choice).item_is_open, false)) emit(timeline::ItemEnded{choice});
}

void Turn::refusal(Choice choice, std::string_view escaped) {
    if (escaped.empty()) return;
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    const std::string_view clean = here.refusal.join(escaped, scratch_);
    if (clean.empty()) return;
    here.spoke = true;
    emit(timeline::Refusal{choice, clean});
}

bool Turn::takes_another(ChoiceState& here) {
    if (++here.extras <= extras_max) return true;
    fail({ErrorKind::upstream_malformed,
          fmt::format("{} sent more than {} citations, media and signatures", options_.display_name,
                      extras_max)});
    return false;
}

void Turn::citation(timeline::Citation citation) {
    if (ended_) return;
    citation.choice = in_range(citation.choice);
    ChoiceState& here = state(citation.choice);
    here.spoke = true;
    if (!takes_another(here)) return;
    CleanTexts<5> texts;
    texts.clean(citation.url);
    texts.clean(citation.title);
    texts.clean(citation.cited_text);
    texts.clean(citation.file_id);
    texts.clean(citation.reference);
    std::string line;
    if (!tells_natives() || !json::is_whole(citation.native.raw)) citation.native = {};
    if (!citation.native.raw.empty())
        citation.native = {options_.native_api, on_one_line(citation.native.raw, line)};
    emit(citation);
}

void Turn::media(timeline::Media media) {
    if (ended_) return;
    media.choice = in_range(media.choice);
    ChoiceState& here = state(media.choice);
    here.spoke = true;
    if (!takes_another(here)) return;
    CleanTexts<5> texts;
    texts.clean(media.media_type);
    texts.clean(media.data);
    texts.clean(media.url);
    texts.clean(media.id);
    texts.clean(media.transcript);
    take_data_out_of_url(media);
    emit(media);
}

void Turn::native(Choice choice, timeline::Native::What what, std::string_view raw) {
    using What = timeline::Native::What;
    if (ended_ || !tells_natives() || raw.empty()) return;
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    // Only items are something that the model said.
    if (what != What::addition && what != What::usage && !takes_another(here)) return;
    if (what == What::item) {
        if (!here.calls.empty()) announce_waiting(choice, here);
        here.spoke = here.item_is_open = true;
    }
    std::string line;
    if (!json::is_whole(raw)) return malformed();
    emit(timeline::Native{choice, what, {options_.native_api, on_one_line(raw, line)}});
}

void Turn::logprobs(timeline::Logprobs logprobs) {
    logprobs.choice = in_range(logprobs.choice);
    emit(logprobs);
}

void Turn::tool(Choice choice, CallKey key, std::string_view id, std::string_view name) {
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    Call* call = find(here, key);
    // Some upstreams give every parallel call the same index: a new id together with a name is a
    // new call, and so is another name where nobody has ids.
    const bool another = call != nullptr && !name.empty() && !call->name.empty() &&
                         (id.empty() ? call->native_id.empty() && call->name != name
                                     : !call->native_id.empty() && call->native_id != id);
    if (call == nullptr || another) {
        if (here.calls.size() >= limits::tool_calls) {
            fail({ErrorKind::upstream_malformed,
                  fmt::format("{} made more than {} tool calls", options_.display_name,
                              limits::tool_calls)});
            return;
        }
        announce_waiting(choice, here);
        if (another) end_call(choice, *call);
        call = &here.calls.emplace_back(Call{key});
        call_bytes_ += sizeof(Call);
        here.spoke = true;
    }
    if (call->native_id.empty()) {
        call->native_id = id;
        call_bytes_ += 2 * id.size();  // and the client's
    }
    if (call->name.empty()) {
        call->name = name;
        call_bytes_ += name.size();
    }
    if (!call->native_id.empty() && !call->name.empty()) announce(choice, here, *call);
}

void Turn::tool_without_id(Choice choice, CallKey key) {
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    Call* call = find(here, key);
    if (call != nullptr && !call->name.empty()) announce(choice, here, *call);
}

void Turn::tool_arguments(Choice choice, CallKey key, std::string_view escaped) {
    if (escaped.empty()) return;
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    Call* call = find(here, key);
    if (call == nullptr) {
        tool(choice, key, {}, {});
        call = find(here, key);
    }
    if (ended_ || call->ended || call->dropped) return;
    call->arguments_bytes += escaped.size();
    if (call->arguments_bytes > limits::tool_arguments_bytes) {
        fail({ErrorKind::upstream_malformed,
              fmt::format("{} sent tool arguments larger than {} bytes", options_.display_name,
                          limits::tool_arguments_bytes)});
        return;
    }
    if (call->index < 0) {
        call->waiting += escaped;
        call_bytes_ += escaped.size();
        return;
    }
    const std::string_view clean = call->joiner.join(escaped, scratch_);
    tell_arguments(choice, *call, clean);
}

// White space and null are no arguments, once nothing follows.
void Turn::tell_arguments(Choice choice, Call& call, std::string_view clean) {
    if (clean.empty()) return;
    if (!call.has_told) {
        if (!call.unclear.empty() || may_say_nothing(clean)) {
            call.unclear += clean;
            call_bytes_ += clean.size();
            if (may_say_nothing(call.unclear)) return;
            clean = call.unclear;
        }
        call.has_told = true;
    }
    emit(timeline::ToolArguments{choice, call.index, clean});
}

void Turn::tool_ended(Choice choice, CallKey key) {
    choice = in_range(choice);
    ChoiceState& here = state(choice);
    Call* call = find(here, key);
    if (call == nullptr) return;
    announce(choice, here, *call);
    end_call(choice, *call);
}

void Turn::tool_state(Choice choice, CallKey key, std::string_view raw) {
    Call* const call = find(state(in_range(choice)), key);
    if (call == nullptr) return;
    call_bytes_ += raw.size();
    call_bytes_ -= call->state.size();
    call->state = raw;
}

void Turn::announce(Choice choice, ChoiceState& here, Call& call) {
    if (call.index >= 0 || call.dropped) return;
    if (call.name.empty() ||
        (options_.tool_calls_max > 0 && here.calls_announced >= options_.tool_calls_max)) {
        // A call without a name can't be made by anyone.
        trimmed_calls_ = trimmed_calls_ || !call.name.empty();
        call.dropped = true;
        return;
    }
    const auto taken = [&](const std::string& id) {
        return std::ranges::any_of(
            here.calls, [&](const Call& other) { return other.index >= 0 && other.id == id; });
    };
    std::string id =
        call.native_id.empty() ? std::string() : options_.tool_id_prefix + call.native_id;
    if (id.empty() || taken(id)) id = ids_->next("call_");
    call.id = std::move(id);
    call.index = here.calls_announced++;
    here.spoke = true;
    emit(timeline::ToolStarted{choice, call.index, call.id, client_name(call)});
    if (call.waiting.empty()) return;
    const std::string waiting = std::move(call.waiting);
    call_bytes_ -= waiting.size();
    tell_arguments(choice, call, call.joiner.join(waiting, scratch_));
}

std::string_view Turn::client_name(const Call& call) const {
    const auto renamed = std::ranges::find(options_.renamed_tools, call.name, &RenamedTool::sent);
    return renamed == options_.renamed_tools.end() ? call.name : renamed->name;
}

void Turn::announce_waiting(Choice choice, ChoiceState& here) {
    // Something else follows, so a missing id will not come any more.
    for (Call& call : here.calls)
        if (call.index < 0 && !call.name.empty()) announce(choice, here, call);
}

void Turn::end_call(Choice choice, Call& call) {
    if (call.ended || call.index < 0) return;
    call.ended = true;
    if (call.joiner.holding()) tell_arguments(choice, call, call.joiner.flush(scratch_));
    if (!call.has_told) {
        std::string_view told = call.unclear;
        if (says_nothing(told)) told = "{}";
        emit(timeline::ToolArguments{choice, call.index, told});
    }
    if (options_.state == TurnOptions::State::keep) {
        const std::string& kept = call.state.empty() ? turn_state_ : call.state;
        if (!kept.empty()) emit(timeline::ProviderState{call.id, kept});
    }
    emit(timeline::ToolEnded{choice, call.index});
}

void Turn::usage(const timeline::Usage& usage) {
    // Cloudflare follows the true count with one of zeros.
    if (usage_seen_ && usage.total() == 0) return;
    usage_seen_ = true;
    emit(timeline::UsageReported{usage});
}

void Turn::finish(Choice choice, timeline::Finish finish, std::string_view native,
                  std::string_view stop_sequence) {
    ChoiceState& here = state(in_range(choice));
    here.finish = finish;
    here.native = native;
    here.stop_sequence = stop_sequence;
}

// Those that were begun: a provider may give fewer answers than it was asked for.
bool Turn::all_finished() const {
    const auto open = [](const ChoiceState& c) { return (c.begun || c.spoke) && !c.finish; };
    return std::ranges::any_of(choices_, &ChoiceState::exists) &&
           std::ranges::none_of(choices_, open);
}

bool Turn::finish_seen() const {
    const auto finished = [](const ChoiceState& c) { return c.finish.has_value(); };
    return !talks_on_ && all_finished() &&
           std::ranges::count_if(choices_, finished) >= options_.choices;
}

void Turn::fail(Error error) {
    if (ended_) return;
    // A request that was answered in part was no bad one.
    const bool blames_request = error.kind == ErrorKind::upstream_rejected ||
                                error.kind == ErrorKind::tool_unsupported_for_model;
    if (any_output() && blames_request) error.kind = ErrorKind::upstream_failed;
    emit(timeline::Failed{std::move(error)});
    end();
}

void Turn::finish_choice(Choice choice, ChoiceState& here) {
    here.think.flush([&](std::string_view t) { emit(timeline::Reasoning{choice, t}); },
                     [&](std::string_view t) { emit(timeline::Text{choice, t}); });
    if (here.reasoning.holding()) emit(timeline::Reasoning{choice, here.reasoning.flush(scratch_)});
    if (here.text.holding()) emit(timeline::Text{choice, here.text.flush(scratch_)});
    if (here.refusal.holding()) emit(timeline::Refusal{choice, here.refusal.flush(scratch_)});
    auto reason = here.finish.value_or(timeline::Finish::stop);
    for (Call& call : here.calls) {
        announce(choice, here, call);
        // Arguments cut off by the token limit stay as they are: `{}` would look like a whole call.
        if (reason == timeline::Finish::length) call.has_told = true;
        end_call(choice, call);
    }
    const bool is_stop = reason == timeline::Finish::stop || reason == timeline::Finish::pause;
    if (is_stop && here.calls_announced > 0) reason = timeline::Finish::tool_calls;
    if (reason == timeline::Finish::tool_calls && here.calls_announced == 0)
        reason = timeline::Finish::stop;
    CleanTexts<1> texts;
    std::string_view stop_sequence = here.stop_sequence;
    texts.clean(stop_sequence);
    emit(timeline::Finished{choice, reason, here.native, stop_sequence});
}

void Turn::complete() {
    completed_ = true;
    close();
}

void Turn::close() {
    if (ended_) return;
    if (!completed_ && !all_finished()) {
        fail({ErrorKind::upstream_truncated,
              fmt::format("{}'s stream ended early", options_.display_name)});
        return;
    }
    if (std::ranges::none_of(choices_, &ChoiceState::exists))
        state(0).spoke = true;  // an answer without any output still has its one choice
    // A choice that was asked for is one, though nothing was said in it but in a later one.
    std::size_t count = choices_.size();
    while (!choices_[count - 1].exists()) --count;
    for (std::size_t i = 0; i < count; ++i)
        if (choices_[i].exists() ||
            (options_.choices > 1 && static_cast<int>(i) < options_.choices))
            finish_choice(static_cast<Choice>(i), choices_[i]);
    end();
}

void Turn::end() {
    if (ended_) return;
    emit(timeline::Ended{});
    ended_ = true;
}

}  // namespace runnel::provider
