#include "guardrail/input.hpp"

#include "base/is_in.hpp"
#include "guardrail/json.hpp"
#include "guardrail/json_strings.hpp"
#include "json/text.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace runnel::guardrail {
namespace {

using Action = GuardrailRule::Action;

// --- Where a request says something
//
// Parameters do not: what they say is the gateway's or the provider's business, and nobody's words.
// What is described to the model (tools, schemas) is the application's. Of the typed places that
// are not visited here, this holds for all; of the extras, for these.
constexpr std::array<std::string_view, 6> no_words{"stream_options",  "reasoning",  "thinking",
                                                   "idempotency_key", "modalities", "audio"};

// Numbers say nothing, either.
bool has_words(const chat::Extra& extra) {
    return extra.raw.contains('"') && !is_in(extra.name, no_words);
}

// Calls look(escaped) for those strings of an extra that are words.
template <class Look>
void for_each_word(const chat::Extra& extra, Look look) {
    const bool is_string = extra.raw.starts_with('"');
    for_each_string(extra.raw, [&](const JsonString& string) {
        const std::string_view key = is_string ? extra.name : string.key;
        if (!string.is_key && names_words(key)) look(string.escaped);
    });
}

// What a visitor is shown, by reference wherever the request is its own to change:
//   part(escaped)      a text of a message
//   result(escaped)    the same of a tool's answer, which may be JSON
//   text(escaped)      any other text
//   call(escaped)      JSON in a string
//   raw(json)          JSON
//   words(extra)       JSON of which only those strings count that are words
//   thought(reasoning) what a model thought
//   name(plain)        of a speaker or a tool
//   end_of_parts()     the texts of a message have been shown
//   stop(plain)        a text that ends the answer
//   asker(plain)       who asks

template <class Source, class Visitor>
void visit_source(Source& source, Visitor& visitor) {
    // An address says something; data is no text.
    if (!source.url_escaped.empty() && !source.url_escaped.starts_with("data:"))
        visitor.text(source.url_escaped);
}

template <class Part, class Visitor>
void visit_content(Part& part, chat::Role role, Visitor& visitor) {
    const auto say = [&](auto& escaped) {
        if (escaped.empty()) return;
        role == chat::Role::tool ? visitor.result(escaped) : visitor.part(escaped);
    };
    if (auto* text = part.template as<chat::Text>()) {
        say(text->text_escaped);
    } else if (auto* refusal = part.template as<chat::Refusal>()) {
        say(refusal->text_escaped);
    } else if (auto* image = part.template as<chat::Image>()) {
        visit_source(image->source, visitor);
    } else if (auto* audio = part.template as<chat::Audio>()) {
        visit_source(audio->source, visitor);
    } else if (auto* video = part.template as<chat::Video>()) {
        visit_source(video->source, visitor);
    } else if (auto* file = part.template as<chat::File>()) {
        visit_source(file->source, visitor);
        say(file->text_escaped);
        if (!file->filename_escaped.empty()) visitor.text(file->filename_escaped);
        if (!file->context_escaped.empty()) visitor.text(file->context_escaped);
    } else if (auto* reasoning = part.template as<chat::Reasoning>()) {
        if (!reasoning->text_escaped.empty()) visitor.thought(*reasoning);
    } else if (auto* call = part.template as<chat::ToolCall>()) {
        visitor.name(call->name);
        if (!call->arguments_escaped.empty()) visitor.call(call->arguments_escaped);
        if (!call->arguments_raw.empty()) visitor.raw(call->arguments_raw);
    } else if (auto* other = part.template as<chat::Other>()) {
        visitor.raw(other->raw);
    }
}

template <class Mark, class Visitor>
void visit_mark(Mark& mark, Visitor& visitor) {
    if (mark && !mark->ttl_escaped.empty()) visitor.text(mark->ttl_escaped);
}

// What only the client's API has a word for may hold identifiers of it, which say nothing.
template <class Extras, class Visitor>
void visit_extras(Extras& extras, Visitor& visitor) {
    for (auto& extra : extras) visitor.words(extra);
}

template <class Message, class Visitor>
void visit_message(Message& message, Visitor& visitor) {
    if (!message.name.empty()) visitor.name(message.name);
    for (auto& part : message.parts) {
        visit_content(part, message.role, visitor);
        visit_mark(part.cache, visitor);
        visit_extras(part.extras, visitor);
    }
    visitor.end_of_parts();
    visit_mark(message.cache, visitor);
    visit_extras(message.extras, visitor);
}

template <class Request, class Visitor>
void visit_request(Request& request, Visitor& visitor) {
    for (auto& message : request.messages) visit_message(message, visitor);
    for (auto& stop : request.sampling.stop) visitor.stop(stop);
    for (auto* asker : {&request.user, &request.safety_identifier})
        if (!asker->empty()) visitor.asker(*asker);
    visit_mark(request.cache, visitor);
    for (auto& extra : request.extras)
        if (has_words(extra)) visitor.raw(extra.raw);
}

// --- Looking at it

std::string escaped_of(std::string_view plain) {
    std::string escaped;
    json::append_escaped(escaped, plain);
    return escaped;
}

class Scan {
public:
    Scan(std::shared_ptr<Scanner> scanner, GuardrailBits rules, chat::Request* request)
        : scanner_(std::move(scanner)),
          rules_(rules),
          request_(request) {}

    // As it may be sent.
    std::string text(std::string_view& escaped) {
        std::string plain = json::unescaped(escaped);
        auto replaced = look_at_text(plain);
        if (!replaced) return plain;
        edit(escaped, escaped_of(*replaced));
        return std::move(*replaced);
    }

    void part(std::string_view& escaped) {
        joined_ += text(escaped);
        ++parts_;
    }

    // Where it is JSON, that has escapes of its own, which hide nothing. JSON that was cut off
    // can't be replaced as such.
    void result(std::string_view& escaped) {
        const std::string plain = json::unescaped(escaped);
        if (!plain.contains('\\') || !is_like_json(plain)) return part(escaped);
        if (json::read_tree(plain)) {
            ScannedJson scanned = look_at(plain);
            const bool replaced = scanned.outcome == ScannedJson::Outcome::replaced;
            if (replaced) edit(escaped, escaped_of(scanned.json));
            joined_ += replaced ? scanned.json : plain;
        } else {
            const std::string said = text(escaped);
            look_at_fixed(json::unescaped(said));
            joined_ += said;
        }
        ++parts_;
    }

    // Whoever reads them may read them as one.
    void end_of_parts() {
        if (parts_ > 1) look_at_fixed(joined_);
        joined_.clear();
        parts_ = 0;
    }

    // Whoever thought it would find that it is not what was signed.
    void thought(chat::Reasoning& reasoning) {
        const std::string_view before = reasoning.text_escaped;
        text(reasoning.text_escaped);
        if (reasoning.text_escaped.data() == before.data()) return;
        reasoning.signature_escaped = {};
        reasoning.encrypted_escaped = {};
    }

    void name(std::string_view plain) { look_at_fixed(plain); }

    void call(std::string_view& escaped) {
        const ScannedJson scanned = look_at(json::unescaped(escaped));
        if (scanned.outcome == ScannedJson::Outcome::replaced)
            edit(escaped, escaped_of(scanned.json));
    }

    void raw(std::string_view& json) {
        ScannedJson scanned = look_at(json);
        if (scanned.outcome == ScannedJson::Outcome::replaced) edit(json, std::move(scanned.json));
    }

    void words(chat::Extra& extra) {
        std::string replaced;
        std::size_t copied = 0;
        for_each_word(extra, [&](std::string_view escaped) {
            const auto allowed = look_at_text(json::unescaped(escaped));
            if (!allowed) return;
            const auto at = static_cast<std::size_t>(escaped.data() - extra.raw.data());
            replaced.append(extra.raw, copied, at - copied);
            json::append_escaped(replaced, *allowed);
            copied = at + escaped.size();
        });
        if (copied > 0) edit(extra.raw, replaced.append(extra.raw, copied));
    }

    void stop(std::string& plain) { held_text(plain); }
    void asker(std::string& plain) { held_text(plain); }

    InputScan outcome(const GuardrailSet& set) {
        InputScan scan;
        scan.findings = std::move(findings_);
        scan.edits = std::move(edits_);
        using Outcome = InputScan::Outcome;
        const auto found = [&](Action action) {
            return std::ranges::any_of(indexes_of(scan.findings.rules), [&](std::size_t rule) {
                return set.rule(rule).action == action;
            });
        };
        if (found(Action::block) || in_the_way_) {
            scan.outcome = Outcome::block;
            scan.error = blocked(scan.findings);
        } else if (found(Action::decline)) {
            scan.outcome = Outcome::decline;
        } else if (!scan.edits.empty()) {
            scan.outcome = Outcome::redact;
        }
        return scan;
    }

private:
    // What it becomes, if it must be replaced.
    std::optional<std::string> look_at_text(std::string_view plain) {
        GuardrailText text(scanner_, rules_, GuardrailText::Blocks::note);
        text.add_whole(plain);
        findings_.add(text, scanner_->matcher());
        if (text.gave_up()) in_the_way_ = true;
        if (!text.replaced()) return std::nullopt;
        return std::string(text.released());
    }

    // What can't be replaced.
    void look_at_fixed(std::string_view plain) {
        if (look_at_text(plain)) in_the_way_ = true;
    }

    // A text that the request holds by itself.
    void held_text(std::string& plain) {
        auto replaced = look_at_text(plain);
        if (!replaced) return;
        std::string_view escaped = request_->keep(escaped_of(plain));
        edit(escaped, escaped_of(*replaced));
        plain = std::move(*replaced);
    }

    ScannedJson look_at(std::string_view json) {
        ScannedJson scanned = scan_json(scanner_, rules_, json);
        findings_.add(scanned.findings);
        if (scanned.outcome == ScannedJson::Outcome::unsure) in_the_way_ = true;
        return scanned;
    }

    void edit(std::string_view& view, std::string text) {
        edits_.push_back({view, text});
        view = request_->keep(std::move(text));
    }

    std::shared_ptr<Scanner> scanner_;
    GuardrailBits rules_;
    chat::Request* request_;
    GuardrailFindings findings_;
    std::vector<InputScan::Edit> edits_;
    std::string joined_;  // the texts of one message
    int parts_ = 0;
    bool in_the_way_ = false;
};

// All that is said, as one text.
class Everything {
public:
    void text(std::string_view escaped) { add(json::unescaped(escaped)); }
    void part(std::string_view escaped) { text(escaped); }
    void call(std::string_view escaped) { add(readable(json::unescaped(escaped))); }
    void result(std::string_view escaped) { call(escaped); }
    void raw(std::string_view json) { add(readable(json)); }
    void words(const chat::Extra& extra) {
        for_each_word(extra, [&](std::string_view escaped) { text(escaped); });
    }
    void thought(const chat::Reasoning& reasoning) { text(reasoning.text_escaped); }
    void stop(std::string_view plain) { add(plain); }
    void asker(std::string_view) {}  // nobody else's business
    void name(std::string_view) {}
    void end_of_parts() {}
    std::string take() { return std::move(all_); }

private:
    void add(std::string_view plain) {
        if (!all_.empty()) all_ += '\n';
        all_ += plain;
    }

    std::string all_;
};

// --- The client's body as it may be logged

bool is_inside(std::string_view part, std::string_view whole) {
    const std::less_equal<const char*> before;
    return before(whole.data(), part.data()) &&
           before(part.data() + part.size(), whole.data() + whole.size());
}

struct PlacedEdit {
    std::size_t at;  // in the body
    std::size_t size;
    std::string_view text;
};

// Texts that the request holds by themselves are found by what they say, as often as they do.
std::vector<PlacedEdit> places_of_text(const InputScan::Edit& edit, std::string_view body) {
    std::vector<PlacedEdit> places;
    const std::string said = json::unescaped(edit.before);
    for_each_string(body, [&](const JsonString& string) {
        if (json::unescaped(string.escaped) == said)
            places.push_back({static_cast<std::size_t>(string.escaped.data() - body.data()),
                              string.escaped.size(), edit.after});
    });
    return places;
}

// Nothing where one of them has no place.
std::optional<std::vector<PlacedEdit>> placed(const std::vector<InputScan::Edit>& edits,
                                              std::string_view body) {
    std::vector<PlacedEdit> all;
    for (const InputScan::Edit& edit : edits) {
        if (is_inside(edit.before, body)) {
            all.push_back({static_cast<std::size_t>(edit.before.data() - body.data()),
                           edit.before.size(), edit.after});
            continue;
        }
        const auto places = places_of_text(edit, body);
        if (places.empty()) return std::nullopt;
        all.insert(all.end(), places.begin(), places.end());
    }
    std::ranges::sort(all, {}, &PlacedEdit::at);
    return all;
}

// --- Asking for a refusal

constexpr json::Literal refusal_instruction =
    "The user's message was withheld from you, because it is about something that you can't help "
    "with here. Say so, in one or two friendly sentences of your own. Do not guess what it was "
    "about, and do not ask for it again.";
constexpr json::Literal withheld = "(This message was withheld.)";

chat::Message message_of(chat::Role role, json::Literal text) {
    chat::Message message{.role = role, .form = chat::Message::Form::string};
    message.parts.push_back({chat::Text{text.text()}});
    return message;
}

}  // namespace

Result<InputScan> scan_input(const GuardrailSet& set, GuardrailBits rules,
                             GuardrailWorkspace* workspace, chat::Request* request) {
    const GuardrailBits looking = set.local_at(GuardrailPlace::input, rules);
    if (looking == 0) return InputScan{};
    auto scanner = workspace->scanner_for(set, rules);
    if (!scanner) return propagate(scanner);
    Scan scan(std::move(*scanner), looking, request);
    visit_request(*request, scan);
    return scan.outcome(set);
}

std::string edited_body(const InputScan& scan, const chat::Request& request) {
    const std::string_view old = *request.body;
    const auto edits = placed(scan.edits, old);
    if (!edits) return "null";
    std::string body;
    std::size_t copied = 0;
    for (const PlacedEdit& edit : *edits) {
        if (edit.at < copied) continue;  // inside of what was replaced as a whole
        body.append(old, copied, edit.at - copied);
        body += edit.text;
        copied = edit.at + edit.size;
    }
    return body.append(old, copied);
}

Result<std::optional<std::string>> scan_result(const GuardrailSet& set, GuardrailBits rules,
                                               GuardrailWorkspace* workspace, std::string_view text,
                                               GuardrailFindings* findings) {
    auto scanned = scan_json_at(GuardrailPlace::input, set, rules, workspace, text);
    if (!scanned) return propagate(scanned);
    findings->add(scanned->findings);
    using Outcome = ScannedJson::Outcome;
    if (scanned->outcome == Outcome::pass) return std::nullopt;
    if (scanned->outcome == Outcome::replaced) return std::move(scanned->json);
    return std::string(result_withheld);
}

std::string text_of(const chat::Request& request) {
    Everything everything;
    visit_request(request, everything);
    return everything.take();
}

// Only numbers and switches go on: any text may quote the conversation.
void decline(chat::Request* request) {
    chat::Request asked = std::move(*request);
    *request = {};
    request->api = asked.api;
    request->model = std::move(asked.model);
    request->streaming = asked.streaming;
    request->include_usage = asked.include_usage;
    request->n = asked.n;
    request->max_tokens = asked.max_tokens;
    request->sampling = std::move(asked.sampling);
    request->sampling.stop.clear();
    request->sampling.logit_bias_raw = {};
    request->reasoning = std::move(asked.reasoning);
    request->reasoning.summary.clear();
    request->gateway = std::move(asked.gateway);
    request->gateway.json_only = chat::Wish::no;
    request->gateway.response_schema_raw = {};
    request->gateway.heal_attempts.reset();
    request->messages.push_back(message_of(chat::Role::system, refusal_instruction));
    request->messages.push_back(message_of(chat::Role::user, withheld));
    // Numbers are views of them.
    request->body = std::move(asked.body);
    request->kept = std::move(asked.kept);
}

Error blocked(const GuardrailFindings& findings) {
    return {ErrorKind::guardrail_blocked,
            findings.categories.empty()
                ? std::string("the request was blocked: a guardrail could not be applied to it")
                : fmt::format("the request was blocked by a guardrail: {}",
                              joined(findings.categories)),
            "messages"};
}

}  // namespace runnel::guardrail
