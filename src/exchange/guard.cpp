#include "exchange/guard.hpp"

#include "base/ascii.hpp"
#include "exchange/shutting_down.hpp"
#include "guardrail/json.hpp"
#include "guardrail/registry.hpp"
#include "http/timed_stop.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::exchange {

using boost::asio::awaitable;
using guardrail::GuardrailBits;
using guardrail::GuardrailFilter;
using guardrail::GuardrailFindings;
using guardrail::GuardrailPlace;
using guardrail::GuardrailRule;
using guardrail::InputScan;
using http::Stop;

namespace {

constexpr std::size_t check_answer_bytes = 64 * limits::kib;
constexpr std::chrono::milliseconds ready_interval{5};

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

Guard::Guard(std::shared_ptr<const guardrail::GuardrailSet> set,
             guardrail::GuardrailWorkspace* workspace, http::Client* client,
             telemetry::RequestRecord* record)
    : set_(std::move(set)),
      workspace_(workspace),
      client_(client),
      record_(record) {}

Result<void> Guard::select(const chat::Request& request, const router::Route& route,
                           const std::vector<std::string>* of_key,
                           const http::HeaderList& headers) {
    std::vector<std::string> asked = request.gateway.guardrails;
    for (std::size_t i = 0; i < headers.size(); ++i)
        if (ascii::equal_ignoring_case(headers.at(i).name, "X-Guardrails"))
            add_names(headers.at(i).value, &asked);
    guardrail::GuardrailSet::Asked all{.by_request = asked, .by_model = route.guardrails};
    if (of_key != nullptr) all.by_key = *of_key;
    auto rules = set_->select(all);
    if (!rules) return propagate(rules);
    rules_ = *rules;
    return {};
}

awaitable<void> Guard::wait_until_ready() const {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    while (!is_ready()) {
        timer.expires_after(ready_interval);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

Result<InputScan> Guard::look_at(chat::Request* request) {
    auto scan = guardrail::scan_input(*set_, rules_, workspace_, request);
    if (!scan) return scan;
    note(scan->findings);
    if (scan->outcome == InputScan::Outcome::block) return fail(std::move(scan->error));
    return scan;
}

void Guard::take_words(const chat::Request& request) {
    if (set_->checks_at(GuardrailPlace::input, rules_) != 0) words_ = guardrail::text_of(request);
}

awaitable<Result<InputScan::Outcome>> Guard::ask_about_words(Stop* stop) {
    const guardrail::GuardrailSet& set = *set_;
    auto outcome = InputScan::Outcome::pass;
    for (const std::size_t rule :
         guardrail::indexes_of(set.checks_at(GuardrailPlace::input, rules_))) {
        Opinion said = co_await opinion(rule, words_, stop);
        if (said.kind == Opinion::Kind::none) continue;
        if (said.kind != Opinion::Kind::objects ||
            set.rule(rule).action == GuardrailRule::Action::block)
            co_return fail(std::move(said.error));
        outcome = InputScan::Outcome::decline;
    }
    co_return outcome;
}

awaitable<void> Guard::look_at_call(std::string* arguments, Stop* stop) {
    auto allowed = co_await look_at_tool(*arguments, stop);
    if (allowed) {
        *arguments = std::move(*allowed);
    } else if (!stop->requested()) {
        filter_->cut_off();
    }
}

awaitable<Result<std::string>> Guard::look_at_tool(std::string json, Stop* stop) {
    const guardrail::GuardrailSet& set = *set_;
    constexpr auto place = GuardrailPlace::tool_arguments;
    auto scanned = guardrail::scan_json_at(place, set, rules_, workspace_, json);
    if (!scanned) co_return propagate(scanned);
    note(scanned->findings);
    using Outcome = guardrail::ScannedJson::Outcome;
    if (scanned->outcome == Outcome::replaced) {
        json = std::move(scanned->json);
    } else if (scanned->outcome != Outcome::pass) {
        co_return fail(guardrail::blocked(scanned->findings));
    }
    for (const std::size_t rule : guardrail::indexes_of(set.checks_at(place, rules_))) {
        Opinion said = co_await opinion(rule, guardrail::readable(json), stop);
        if (said.kind != Opinion::Kind::none) co_return fail(std::move(said.error));
    }
    co_return json;
}

awaitable<void> Guard::look_at_result(std::string* text, Stop* stop) {
    const guardrail::GuardrailSet& set = *set_;
    GuardrailFindings findings;
    auto scanned = guardrail::scan_result(set, rules_, workspace_, *text, &findings);
    note(findings);
    if (!scanned) {
        *text = scanned.error().message;
    } else if (*scanned) {
        *text = std::move(**scanned);
    }
    for (const std::size_t rule :
         guardrail::indexes_of(set.checks_at(GuardrailPlace::input, rules_))) {
        const Opinion said = co_await opinion(rule, guardrail::readable(*text), stop);
        if (said.kind == Opinion::Kind::none) continue;
        *text = guardrail::result_withheld;
        co_return;
    }
}

Result<void> Guard::open(timeline::Sink* to) {
    auto made = GuardrailFilter::make(set_, rules_, workspace_, to);
    if (!made) return propagate(made);
    filter_ = std::move(*made);
    return {};
}

awaitable<Result<void>> Guard::close(Stop* stop) {
    filter_->end();
    const GuardrailBits asking = filter_->checks();
    using Checked = GuardrailFilter::Checked;
    Checked checked = Checked::passed;
    for (const std::size_t rule : guardrail::indexes_of(asking)) {
        Opinion said = co_await opinion(rule, filter_->text_for(rule), stop);
        if (said.kind == Opinion::Kind::stopped) {
            filter_->settle_checks(Checked::given_up);
            co_return fail(std::move(said.error));
        }
        if (said.kind != Opinion::Kind::none) checked = Checked::blocked;
    }
    if (asking != 0) filter_->settle_checks(checked);
    co_return Result<void>{};
}

void Guard::note_findings() {
    if (filter_) note(filter_->findings());
}

awaitable<Guard::Opinion> Guard::opinion(std::size_t rule, std::string text, Stop* stop) {
    const GuardrailRule* asked = &set_->rule(rule);
    const bool logs = asked->action == GuardrailRule::Action::log;
    auto answer = co_await ask(asked, std::move(text), stop);
    if (!answer && stop->requested()) co_return Opinion{Opinion::Kind::stopped, shutting_down()};
    if (!answer) record_->error_detail = answer.error().detail;
    if (answer ? !answer->flagged : logs) co_return Opinion{};
    GuardrailFindings findings;
    if (answer)
        for (const std::string& category : answer->categories) findings.add(rule, category);
    if (findings.categories.empty()) findings.add(rule, asked->name);
    note(findings);
    if (logs) co_return Opinion{};
    if (!answer) co_return Opinion{Opinion::Kind::unknown, std::move(answer.error())};
    co_return Opinion{Opinion::Kind::objects, guardrail::blocked(findings)};
}

awaitable<Result<guardrail::Verdict>> Guard::ask(const GuardrailRule* rule, std::string text,
                                                 Stop* stop) {
    const GuardrailRule::Check& check = *rule->check;
    const guardrail::Check& kind = *guardrail::check_of(check.key);
    guardrail::Check::Call call = kind.call(check.address, text);
    http::ClientRequest request;
    request.method = "POST";
    auto url = http::read_url(call.url);
    if (!url) co_return fail(guardrail::check_failed(*rule, url.error().message));
    request.url = std::move(*url);
    request.headers.emplace_back("Content-Type", "application/json");
    for (const auto& [name, value] : check.headers)
        request.headers.emplace_back(name, value.reveal());
    request.body = std::move(call.body);
    request.response_bytes_max = check_answer_bytes;
    request.repeatable = true;
    http::TimedStop timed(co_await boost::asio::this_coro::executor, stop, check.timeout);
    auto answer = co_await client_->fetch(std::move(request), timed.get());
    if (!answer) {
        const bool late = timed.get()->reason() == Stop::Reason::total_timeout;
        co_return fail(guardrail::check_failed(
            *rule, late ? fmt::format("no answer within {} ms", check.timeout.count())
                        : answer.error().message));
    }
    if (answer->status < 200 || answer->status > 299)
        co_return fail(guardrail::check_failed(*rule, fmt::format("status {}", answer->status)));
    auto read = kind.read(answer->body);
    if (!read) co_return fail(guardrail::check_failed(*rule, read.error().message));
    co_return read;
}

void Guard::note(const GuardrailFindings& findings) {
    for (std::string& line : set_->notes(findings.rules))
        if (std::ranges::find(record_->guardrails, line) == record_->guardrails.end())
            record_->guardrails.push_back(std::move(line));
}

}  // namespace runnel::exchange
