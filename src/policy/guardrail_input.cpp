#include "policy/guardrail_input.hpp"

#include "json/text.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"
#include "policy/guardrail_json.hpp"
#include "policy/guardrail_rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace runnel::policy {
namespace {

using Action = GuardrailRule::Action;
using chat::Message;
using chat::Part;

bool is_inside(std::string_view part, std::string_view whole) {
    const std::less_equal<const char*> before;
    return before(whole.data(), part.data()) &&
           before(part.data() + part.size(), whole.data() + whole.size());
}

// Parameters: what they say is the gateway's or the provider's business, and nobody's words. What
// is described to the model (tools, schemas) is the application's.
constexpr std::array<std::string_view, 29> no_words{"model",
                                                    "messages",
                                                    "prompt",
                                                    "stream",
                                                    "stream_options",
                                                    "stream_dialect",
                                                    "tools",
                                                    "tool_choice",
                                                    "functions",
                                                    "function_call",
                                                    "response_format",
                                                    "response_schema",
                                                    "logit_bias",
                                                    "reasoning",
                                                    "reasoning_effort",
                                                    "thinking",
                                                    "metadata",
                                                    "idempotency_key",
                                                    "fallback",
                                                    "guardrails",
                                                    "builtin_tools",
                                                    "tool_events",
                                                    "hold",
                                                    "healing_options",
                                                    "service_tier",
                                                    "prompt_cache_key",
                                                    "modalities",
                                                    "audio",
                                                    "verbosity"};

// What the message says besides what was shown already: names of files, addresses of pictures, what
// clients add of their own. Providers get it as it stands.
template <class Visitor>
void visit_rest(const Message& message, Visitor& visitor) {
    std::vector<std::string_view> seen{message.reasoning_escaped, message.reasoning_details_raw,
                                       message.thinking_blocks_raw};
    for (const Part& part : message.parts) {
        if (part.kind == Part::Kind::other) seen.push_back(part.raw);
        seen.push_back(part.text_escaped);
        seen.push_back(part.data_escaped);
        if (part.url_escaped.starts_with("data:")) seen.push_back(part.url_escaped);
    }
    for (const chat::ToolCall& tool_call : message.tool_calls) {
        seen.push_back(tool_call.arguments_escaped);
        seen.push_back(tool_call.extra_content_raw);
    }
    RestOfJson(message.sent, std::move(seen)).for_each([&](std::string_view escaped) {
        visitor.text(escaped);
    });
}

// Shows the visitor each text (escaped), what is JSON inside of a string (`call`) or may be
// (`result`), raw JSON, other fields, and the names of speakers and tools; and where the parts of a
// message end.
template <class Visitor>
void for_each_text(const chat::Request& request, Visitor& visitor) {
    for (const Message& message : request.messages) {
        if (!message.name.empty()) visitor.name(message.name);
        for (const Part& part : message.parts) {
            if (!part.text_escaped.empty() && message.role == chat::Role::tool) {
                visitor.result(part.text_escaped);
            } else if (!part.text_escaped.empty()) {
                visitor.part(part.text_escaped);
            }
            if (part.kind == Part::Kind::other) visitor.raw(part.raw);
        }
        visitor.end_of_parts();
        if (!message.reasoning_escaped.empty()) visitor.text(message.reasoning_escaped);
        for (const std::string_view thoughts :
             {message.reasoning_details_raw, message.thinking_blocks_raw})
            if (!thoughts.empty()) visitor.raw(thoughts);
        for (const chat::ToolCall& tool_call : message.tool_calls) {
            visitor.name(tool_call.name);
            if (!tool_call.arguments_escaped.empty()) visitor.call(tool_call.arguments_escaped);
        }
        visit_rest(message, visitor);
    }
    for (const chat::Field& field : request.fields)
        // Numbers say nothing, either.
        if (field.raw.find('"') != std::string_view::npos &&
            std::ranges::find(no_words, field.name) == no_words.end())
            visitor.field(field);
}

class Scan {
public:
    Scan(std::shared_ptr<MatcherSeat> seat, GuardrailBits rules, const chat::Request& request)
        : seat_(std::move(seat)),
          rules_(rules),
          body_(*request.body) {}

    // As it may be sent.
    std::string text(std::string_view escaped) {
        std::string plain = json::unescaped(escaped);
        auto replaced = look_at_text(plain);
        if (!replaced) return plain;
        replace(escaped, *replaced);
        return std::move(*replaced);
    }

    void part(std::string_view escaped) {
        joined_ += text(escaped);
        ++parts_;
    }

    // Where it is JSON, that has escapes of its own, which hide nothing. JSON that was cut off
    // can't be replaced as such.
    void result(std::string_view escaped) {
        const std::string plain = json::unescaped(escaped);
        if (!plain.contains('\\') || !is_like_json(plain)) return part(escaped);
        if (json::read_tree(plain)) {
            ScannedJson scanned = look_at(plain);
            const bool replaced = scanned.outcome == ScannedJson::Outcome::replaced;
            if (replaced) replace(escaped, scanned.json);
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

    void name(std::string_view plain) { look_at_fixed(plain); }

    void call(std::string_view escaped) {
        const ScannedJson scanned = look_at(json::unescaped(escaped));
        if (scanned.outcome == ScannedJson::Outcome::replaced) replace(escaped, scanned.json);
    }

    void raw(std::string_view json) {
        ScannedJson scanned = look_at(json);
        if (scanned.outcome == ScannedJson::Outcome::replaced) edit(json, std::move(scanned.json));
    }

    void field(const chat::Field& field) { raw(field.raw); }

    InputScan outcome(const GuardrailSet& set) {
        InputScan scan;
        scan.findings = std::move(findings_);
        using Outcome = InputScan::Outcome;
        const auto found = [&](Action action) {
            return std::ranges::any_of(places_of(scan.findings.rules), [&](std::size_t rule) {
                return set.rule(rule).action == action;
            });
        };
        if (found(Action::block) || in_the_way_) {
            scan.outcome = Outcome::block;
            scan.error = blocked(scan.findings);
        } else if (found(Action::decline)) {
            scan.outcome = Outcome::decline;
        } else if (!edits_.empty()) {
            scan.outcome = Outcome::redact;
            scan.body = edited_body();
        }
        return scan;
    }

private:
    struct Edit {
        std::size_t at;  // in the body
        std::size_t size;
        std::string text;
    };

    // What it becomes, if it must be replaced.
    std::optional<std::string> look_at_text(std::string_view plain) {
        GuardrailText text(seat_, rules_, GuardrailText::Blocks::note);
        text.add_whole(plain);
        findings_.add(text, seat_->matcher());
        if (text.gave_up()) in_the_way_ = true;
        if (!text.replaced()) return std::nullopt;
        return std::string(text.released());
    }

    // What can't be replaced.
    void look_at_fixed(std::string_view plain) {
        if (look_at_text(plain)) in_the_way_ = true;
    }

    ScannedJson look_at(std::string_view json) {
        ScannedJson scanned = scan_json(seat_, rules_, json);
        findings_.add(scanned.findings);
        if (scanned.outcome == ScannedJson::Outcome::unsure) in_the_way_ = true;
        return scanned;
    }

    void replace(std::string_view escaped, std::string_view plain) {
        std::string text;
        json::append_escaped(text, plain);
        edit(escaped, std::move(text));
    }

    // What was not in the client's own bytes can't be changed there: then nothing goes on.
    void edit(std::string_view old, std::string text) {
        if (!is_inside(old, body_)) {
            in_the_way_ = true;
            return;
        }
        edits_.push_back(
            {static_cast<std::size_t>(old.data() - body_.data()), old.size(), std::move(text)});
    }

    std::string edited_body() {
        std::ranges::sort(edits_, {}, &Edit::at);
        std::string body;
        std::size_t copied = 0;
        for (const Edit& edit : edits_) {
            body.append(body_, copied, edit.at - copied);
            body += edit.text;
            copied = edit.at + edit.size;
        }
        return body.append(body_, copied);
    }

    std::shared_ptr<MatcherSeat> seat_;
    GuardrailBits rules_;
    std::string_view body_;
    GuardrailFindings findings_;
    std::vector<Edit> edits_;
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
    // Who asks is nobody else's business.
    void field(const chat::Field& field) {
        if (field.name != "user" && field.name != "safety_identifier") raw(field.raw);
    }
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

constexpr std::string_view refusal_instruction =
    "The user's message was withheld from you, because it is about something that you can't help "
    "with here. Say so, in one or two friendly sentences of your own. Do not guess what it was "
    "about, and do not ask for it again.";
constexpr std::string_view withheld = "(This message was withheld.)";

Message message_of(chat::Request* request, chat::Role role, std::string_view plain) {
    std::string escaped;
    json::append_escaped(escaped, plain);
    Message message{.role = role};
    const std::string_view kept = request->keep(std::move(escaped));
    message.parts.push_back({.kind = Part::Kind::text, .text_escaped = kept});
    std::string raw;
    json::Writer(raw)
        .begin_object()
        .key("role")
        .string(chat::name_of(role))
        .key("content")
        .escaped(kept)
        .end_object();
    message.raw = request->keep(std::move(raw));
    return message;
}

}  // namespace

Result<InputScan> scan_input(const GuardrailSet& set, GuardrailBits rules,
                             GuardrailWorkspace* workspace, const chat::Request& request) {
    const GuardrailBits looking = set.local_at(GuardrailPlace::input, rules);
    if (looking == 0) return InputScan{};
    auto seat = workspace->seat_for(set, rules);
    if (!seat) return propagate(seat);
    Scan scan(std::move(*seat), looking, request);
    for_each_text(request, scan);
    return scan.outcome(set);
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
    for_each_text(request, everything);
    return everything.take();
}

void decline(chat::Request* request) {
    request->messages.clear();
    request->messages.push_back(message_of(request, chat::Role::system, refusal_instruction));
    request->messages.push_back(message_of(request, chat::Role::user, withheld));
    request->tools.clear();
    request->tool_choice = {};
    request->parallel_tool_calls.reset();
    request->output = {};
    request->gateway.json_only = false;
    request->gateway.response_schema_raw = {};
    request->gateway.heal_attempts.reset();
    request->sampling.stop.clear();
    request->sampling.logit_bias_raw = {};
    request->user.clear();
    // Nothing else goes on: any field may quote the conversation.
    constexpr std::array<std::string_view, 9> harmless{"model",
                                                       "stream",
                                                       "stream_options",
                                                       "max_tokens",
                                                       "max_completion_tokens",
                                                       "temperature",
                                                       "top_p",
                                                       "n",
                                                       "seed"};
    std::erase_if(request->fields, [&](const chat::Field& field) {
        return std::ranges::find(harmless, field.name) == harmless.end();
    });
    std::string messages;
    json::Writer writer(messages);
    writer.begin_array();
    for (const Message& message : request->messages) writer.raw(message.raw);
    writer.end_array();
    request->fields.push_back({"messages", request->keep(std::move(messages))});
}

Error blocked(const GuardrailFindings& findings) {
    return {ErrorKind::guardrail_blocked,
            findings.categories.empty()
                ? std::string("the request was blocked: a guardrail could not be applied to it")
                : fmt::format("the request was blocked by a guardrail: {}",
                              joined(findings.categories)),
            "messages"};
}

}  // namespace runnel::policy
