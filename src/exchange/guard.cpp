#include "exchange/guard.hpp"

#include "agent/timed_stop.hpp"
#include "agent/web_client.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::exchange {

using boost::asio::awaitable;
using http::Stop;
using policy::GuardrailBits;
using policy::GuardrailFilter;
using policy::GuardrailFindings;
using policy::GuardrailPlace;
using policy::GuardrailRule;
using policy::InputScan;

namespace {

constexpr std::size_t check_answer_bytes = 64 * limits::kib;

// "pii, content_moderation"
void add_names(std::string_view header, std::vector<std::string>* names) {
    while (!header.empty()) {
        const std::size_t end = std::min(header.find(','), header.size());
        std::string_view name = header.substr(0, end);
        header.remove_prefix(std::min(end + 1, header.size()));
        while (name.starts_with(' ')) name.remove_prefix(1);
        while (name.ends_with(' ')) name.remove_suffix(1);
        if (!name.empty()) names->emplace_back(name);
    }
}

}  // namespace

Guard::Guard(const Gateway* gateway, Worker* worker, telemetry::RequestRecord* record)
    : gateway_(gateway),
      worker_(worker),
      record_(record) {}

Result<void> Guard::select(const chat::Request& request, const router::Route& route,
                           const std::vector<std::string>* of_key,
                           const http::HeaderList& headers) {
    std::vector<std::string> asked = request.gateway.guardrails;
    add_names(headers.get("X-Guardrails"), &asked);
    policy::GuardrailSet::Asked all{.by_request = asked};
    if (route.guardrails != nullptr) all.by_model = *route.guardrails;
    if (of_key != nullptr) all.by_key = *of_key;
    auto rules = gateway_->guardrails->select(all);
    if (!rules) return propagate(rules);
    rules_ = *rules;
    return {};
}

Result<InputScan> Guard::look_at(const chat::Request& request) {
    auto scan = policy::scan_input(*gateway_->guardrails, rules_, &worker_->guardrails, request);
    if (!scan) return scan;
    note(scan->findings);
    if (scan->outcome == InputScan::Outcome::block) return fail(std::move(scan->error));
    return scan;
}

awaitable<Result<InputScan::Outcome>> Guard::ask_about(chat::Request* request, Stop* stop) {
    const policy::GuardrailSet& set = *gateway_->guardrails;
    const GuardrailBits asking = set.checks_at(GuardrailPlace::input, rules_);
    auto outcome = InputScan::Outcome::pass;
    if (asking == 0) co_return outcome;
    const std::string text = policy::text_of(*request);
    for (std::size_t i = 0; i < set.size(); ++i) {
        if ((asking & policy::guardrail_bit(i)) == 0) continue;
        const GuardrailRule* rule = &set.rule(i);
        auto answer = co_await ask(rule, text, stop);
        if (!answer && rule->action == GuardrailRule::Action::log) continue;
        if (!answer) co_return propagate(answer);
        if (!answer->flagged) continue;
        GuardrailFindings findings;
        for (const std::string& category : answer->categories) findings.add(i, category);
        if (answer->categories.empty()) findings.add(i, rule->name);
        note(findings);
        if (rule->action == GuardrailRule::Action::block) co_return fail(policy::blocked(findings));
        if (rule->action == GuardrailRule::Action::decline) outcome = InputScan::Outcome::decline;
    }
    co_return outcome;
}

void Guard::look_at_result(std::string* text) {
    GuardrailFindings findings;
    auto scanned =
        policy::scan_result(*gateway_->guardrails, rules_, &worker_->guardrails, *text, &findings);
    note(findings);
    if (!scanned) {
        *text = scanned.error().message;
    } else if (*scanned) {
        *text = std::move(**scanned);
    }
}

Result<void> Guard::open(timeline::Sink* to) {
    auto made = GuardrailFilter::make(gateway_->guardrails, rules_, &worker_->guardrails, to);
    if (!made) return propagate(made);
    filter_ = std::move(*made);
    return {};
}

awaitable<void> Guard::close(Stop* stop) {
    filter_->end();
    const policy::GuardrailSet& set = *gateway_->guardrails;
    const GuardrailBits asking = filter_->checks();
    auto checked = GuardrailFilter::Checked::passed;
    for (std::size_t i = 0; i < set.size(); ++i) {
        if ((asking & policy::guardrail_bit(i)) == 0) continue;
        const GuardrailRule* rule = &set.rule(i);
        std::string text = filter_->text_for(i);
        auto answer = co_await ask(rule, std::move(text), stop);
        const bool logs = rule->action == GuardrailRule::Action::log;
        if (answer && !answer->flagged) continue;
        if (!answer) record_->error_detail = answer.error().detail;
        GuardrailFindings findings;
        findings.add(i, rule->name);
        if (answer || !logs) note(findings);
        if (!logs) checked = GuardrailFilter::Checked::blocked;
    }
    if (asking != 0) filter_->settle_checks(checked);
}

void Guard::note_findings() {
    if (filter_) note(filter_->findings());
}

awaitable<Result<policy::CheckAnswer>> Guard::ask(const GuardrailRule* rule, std::string text,
                                                  Stop* stop) {
    const GuardrailRule::Check& check = *rule->check;
    agent::WebRequest request;
    request.method = "POST";
    auto url = agent::read_url(check.url);
    if (!url) co_return fail(policy::check_failed(*rule, url.error().message));
    request.url = std::move(*url);
    request.headers.emplace_back("Content-Type", "application/json");
    for (const auto& [name, value] : check.headers)
        request.headers.emplace_back(name, value.reveal());
    request.body = policy::write_check(text);
    request.answer_bytes_max = check_answer_bytes;
    agent::TimedStop timed(co_await boost::asio::this_coro::executor, stop, check.timeout);
    auto answer = co_await agent::ask_web(&worker_->pool, std::move(request), timed.get());
    if (!answer) {
        const bool late = timed.get()->reason() == Stop::Reason::total_timeout;
        co_return fail(policy::check_failed(
            *rule, late ? fmt::format("no answer within {} ms", check.timeout.count())
                        : answer.error().message));
    }
    if (answer->status < 200 || answer->status > 299)
        co_return fail(policy::check_failed(*rule, fmt::format("status {}", answer->status)));
    auto read = policy::read_check(answer->body);
    if (!read) co_return fail(policy::check_failed(*rule, read.error().message));
    co_return read;
}

void Guard::note(const GuardrailFindings& findings) {
    for (std::string& line : gateway_->guardrails->notes(findings.rules))
        if (std::ranges::find(record_->guardrails, line) == record_->guardrails.end())
            record_->guardrails.push_back(std::move(line));
}

}  // namespace runnel::exchange
