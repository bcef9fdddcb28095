#include "timeline/answer.hpp"

#include "timeline/base64.hpp"

#include <algorithm>
#include <utility>

namespace runnel::timeline {

Media Answer::Media::view() const {
    return {.choice = 0,
            .kind = kind,
            .media_type = media_type,
            .data = data,
            .url = url_escaped,
            .id = id_escaped,
            .transcript = transcript_escaped,
            .expires_at = expires_at};
}

std::vector<Answer::ToolCall> Answer::Choice::tool_calls() const {
    std::vector<ToolCall> calls;
    for_each<ToolCall>([&](const ToolCall& call) { calls.push_back(call); });
    return calls;
}

std::string_view Answer::Choice::fields_of(std::size_t item, std::string_view api) const {
    const auto found = std::ranges::find(item_fields, item, &ItemFields::item);
    return found != item_fields.end() && found->json.api == api ? found->json.raw
                                                                : std::string_view();
}

Answer::Choice& Fold::at(Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    if (index >= answer_.choices.size()) {
        answer_.choices.resize(index + 1);
        progress_.resize(index + 1);
    }
    return answer_.choices[index];
}

Fold::Progress& Fold::progress_of(Choice choice) {
    at(choice);
    return progress_[static_cast<std::size_t>(choice)];
}

template <class Kind>
Kind& Fold::add_item(Choice choice, Kind item) {
    bytes_ += sizeof(Answer::Item);
    Progress& progress = progress_of(choice);
    progress.item_is_open = true;
    Answer::Choice& here = at(choice);
    bytes_ += progress.fields_of_next.raw.size();
    if (!progress.fields_of_next.raw.empty())
        here.item_fields.push_back(
            {here.items.size(), std::exchange(progress.fields_of_next, Answer::NativeJson{})});
    return std::get<Kind>(here.items.emplace_back(std::move(item)));
}

// The last item where it is of that kind and may go on, or a new one.
template <class Kind>
Kind& Fold::open_item(Choice choice) {
    auto& items = at(choice).items;
    if (progress_of(choice).item_is_open && !items.empty())
        if (Kind* last = std::get_if<Kind>(&items.back())) return *last;
    return add_item(choice, Kind{});
}

void Fold::add(std::string& text, std::string_view piece) {
    text += piece;
    bytes_ += piece.size();
}

void Fold::keep(Recording& recording, const Event& event) {
    const std::size_t before = recording.bytes();
    recording.on(event);
    bytes_ += recording.bytes() - before;
}

void Fold::on(const Event& event) {
    std::visit(Overload{
                   [](const Started&) {},
                   [&](const Text& e) { add_text(e); },
                   [&](const Reasoning& e) {
                       add(open_item<Answer::Reasoning>(e.choice).text_escaped, e.text);
                   },
                   [&](const ReasoningSigned& e) { sign(e); },
                   [&](const ReasoningEncrypted& e) {
                       auto& item = add_item(e.choice, Answer::EncryptedReasoning{});
                       add(item.data_escaped, e.data);
                       add(item.issuer, e.issuer);
                       add(item.id, e.id);
                   },
                   [&](const Refusal& e) { add_refusal(e); },
                   [&](const ItemEnded& e) { progress_of(e.choice).item_is_open = false; },
                   [&](const ToolStarted& e) { add_call(e); },
                   [&](const ToolArguments& e) {
                       const std::size_t place =
                           progress_of(e.choice).calls.at(static_cast<std::size_t>(e.index));
                       auto& call = std::get<Answer::ToolCall>(at(e.choice).items[place]);
                       add(call.arguments_escaped, e.fragment);
                   },
                   [](const ToolEnded&) {},
                   [&](const ServerTool& e) { add_server_tool(e); },
                   [](const HoldOver&) {},
                   [&](const Native& e) { add_native(e); },
                   [&](const Citation& e) {
                       if (!e.native.raw.empty()) open_text(e.choice);
                       keep(last_text(e.choice).citations, event);
                   },
                   [&](const Media& e) { add_media(e); },
                   [&](const Logprobs& e) { keep(progress_of(e.choice).waiting_logprobs, event); },
                   [](const ProviderState&) {},
                   [&](const UsageReported& e) {
                       answer_.usage = e.usage;
                       set_native_usage({});
                   },
                   [&](const Finished& e) { finish(e); },
                   [&](const Failed& e) { answer_.error = e.error; },
                   [&](const Ended&) {
                       if (answer_.choices.empty()) at(0);
                   },
               },
               event);
}

Answer::Text& Fold::open_text(Choice choice) {
    auto& item = open_item<Answer::Text>(choice);
    progress_of(choice).text = at(choice).items.size() - 1;
    return item;
}

void Fold::add_text(const Text& event) {
    auto& item = open_text(event.choice);
    add(item.text_escaped, event.text);
    place_logprobs(event.choice, item.logprobs);
}

void Fold::add_refusal(const Refusal& event) {
    auto& item = open_item<Answer::Refusal>(event.choice);
    add(item.text_escaped, event.text);
    place_logprobs(event.choice, item.logprobs);
}

void Fold::place_logprobs(Choice choice, Recording& beside) {
    Recording& waiting = progress_of(choice).waiting_logprobs;
    if (waiting.empty()) return;
    bytes_ -= waiting.bytes() + beside.bytes();
    waiting.replay(&beside);
    waiting.clear();
    bytes_ += beside.bytes();
}

// What is signed is complete.
void Fold::sign(const ReasoningSigned& event) {
    auto& item = open_item<Answer::Reasoning>(event.choice);
    add(item.signature_escaped, event.signature);
    add(item.issuer, event.issuer);
    progress_of(event.choice).item_is_open = false;
}

void Fold::add_call(const ToolStarted& event) {
    auto& call = add_item(event.choice, Answer::ToolCall{});
    add(call.id, event.id);
    add(call.name, event.name);
    progress_of(event.choice).calls.push_back(at(event.choice).items.size() - 1);
}

void Fold::add_server_tool(const ServerTool& event) {
    auto& items = at(0).items;
    const auto known = std::ranges::find_if(items, [&](const Answer::Item& item) {
        const auto* tool = std::get_if<Answer::ServerTool>(&item);
        return tool != nullptr && tool->id == event.id;
    });
    auto& tool = known == items.end() ? add_item(0, Answer::ServerTool{})
                                      : std::get<Answer::ServerTool>(*known);
    const auto replace = [&](std::string& text, std::string_view by) {
        bytes_ -= text.size();
        text.clear();
        add(text, by);
    };
    tool.state = event.state;
    replace(tool.id, event.id);
    replace(tool.name, event.name);
    replace(tool.arguments_raw, event.arguments_raw);
    replace(tool.result_raw, event.result_raw);
    replace(tool.explanation_raw, event.explanation_raw);
}

// Other things may have followed it already; there may also be none.
Answer::Text& Fold::last_text(Choice choice) {
    std::optional<std::size_t>& text = progress_of(choice).text;
    if (!text) {
        add_item(choice, Answer::Text{});
        text = at(choice).items.size() - 1;
    }
    return std::get<Answer::Text>(at(choice).items[*text]);
}

void Fold::add_native(const Native& event) {
    const std::size_t bytes = event.json.raw.size();
    Answer::NativeJson json{std::string(event.json.api), std::string(event.json.raw)};
    switch (event.what) {
        case Native::What::item:
            bytes_ += bytes;
            add_item(event.choice, Answer::Native{.json = std::move(json)});
            return;
        case Native::What::addition: {
            auto& items = at(event.choice).items;
            auto* last = items.empty() ? nullptr : std::get_if<Answer::Native>(&items.back());
            if (last == nullptr) return;
            bytes_ += bytes;
            last->additions_raw.push_back(std::move(json.raw));
            return;
        }
        case Native::What::item_fields:
            progress_of(event.choice).fields_of_next = std::move(json);
            return;
        case Native::What::answer:
            bytes_ += bytes;
            answer_.native_fields.push_back(std::move(json));
            return;
        case Native::What::finish:
            bytes_ += bytes;
            at(event.choice).finish_fields.push_back(std::move(json));
            return;
        case Native::What::usage: set_native_usage(std::move(json)); return;
        case Native::What::event: return;
    }
}

void Fold::set_native_usage(Answer::NativeJson json) {
    bytes_ += json.raw.size();
    bytes_ -= answer_.native_usage.raw.size();
    answer_.native_usage = std::move(json);
}

void Fold::add_media(const Media& event) {
    if (event.kind == Media::Kind::audio) return add_audio(event);
    auto& image = add_item(event.choice, Answer::Media{.kind = event.kind});
    add(image.media_type, event.media_type);
    add(image.data, event.data);
    add(image.url_escaped, event.url);
}

void Fold::add_audio(const Media& event) {
    std::optional<std::size_t>& place = progress_of(event.choice).audio;
    if (!place) {
        add_item(event.choice, Answer::Media{.kind = event.kind});
        place = at(event.choice).items.size() - 1;
    }
    auto& audio = std::get<Answer::Media>(at(event.choice).items[*place]);
    const auto set = [&](std::string& text, std::string_view told) {
        if (text.empty()) add(text, told);
    };
    set(audio.media_type, event.media_type);
    set(audio.id_escaped, event.id);
    set(audio.url_escaped, event.url);
    add(audio.transcript_escaped, event.transcript);
    bytes_ -= audio.data.size();
    append_base64(audio.data, event.data);
    bytes_ += audio.data.size();
    if (event.expires_at) audio.expires_at = event.expires_at;
}

void Fold::finish(const Finished& event) {
    if (!progress_of(event.choice).waiting_logprobs.empty())
        place_logprobs(event.choice, last_text(event.choice).logprobs);
    Answer::Choice& choice = at(event.choice);
    choice.finish = event.finish;
    choice.native_finish = event.native;
    bytes_ -= choice.stop_sequence_escaped.size();
    choice.stop_sequence_escaped.clear();
    add(choice.stop_sequence_escaped, event.stop_sequence);
}

}  // namespace runnel::timeline
