#include "exchange/operations/operation_exchange.hpp"

#include "access/key_check.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "exchange/admission/model_access.hpp"
#include "exchange/attempts/whole_attempts.hpp"
#include "exchange/shutting_down.hpp"
#include "exchange/whole_reply.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "timeline/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;
using guardrail::InputScan;

OperationExchange::OperationExchange(std::shared_ptr<const Gateway> gateway, Worker* worker,
                                     SharedState* shared, http::Transaction* transaction,
                                     telemetry::RequestRecord* record, access::Caller caller,
                                     const api::Api* api, std::unique_ptr<WholeOperation> operation,
                                     api::Incoming incoming)
    : gateway_(std::move(gateway)),
      worker_(worker),
      shared_(shared),
      transaction_(transaction),
      record_(record),
      caller_(std::move(caller)),
      api_(api),
      operation_(std::move(operation)),
      incoming_(std::move(incoming)),
      guard_(gateway_->guardrails, &worker->guardrails, &worker->client, record),
      account_(gateway_, shared->meter, worker->journal, record, &caller_),
      memory_(&shared->memory) {}

awaitable<void> OperationExchange::run() {
    auto answered = co_await answer();
    if (answered)
        co_await tell();
    else
        co_await refuse(std::move(answered.error()));
}

awaitable<Result<void>> OperationExchange::answer() {
    auto ready = read();
    if (ready) ready = route();
    if (ready) ready = co_await guard();
    if (!ready) co_return ready;
    record_->completion_id = worker_->ids.next("op_");
    std::optional<Admission::Ticket> ticket;
    if (Admission* model = shared_->admissions.for_model.find(route_.name)) {
        auto entered = co_await model->enter(transaction_->stop);
        if (!entered) co_return propagate(entered);
        ticket = std::move(*entered);
    }
    auto passed = co_await guard_.ask_about_words(transaction_->stop);
    if (passed && *passed == InputScan::Outcome::decline) passed = fail(guardrail::blocked({}));
    if (!passed) {
        asked_.clear();
        record_->metadata_json.clear();
        co_return propagate(passed);
    }
    const chat::Operation operation = operation_->operation();
    estimated_tokens_ = operation.input_tokens;
    auto opened = co_await account_.open(operation, &route_, &transaction_->responder->headers());
    if (!opened) co_return opened;
    auto answered = co_await ask();
    note_usage();
    account_.settle();
    co_return answered;
}

Result<void> OperationExchange::read() {
    incoming_.body = std::move(transaction_->request.body);
    record_->dialect = operation_->name();
    record_->operation = operation_->kind_name();
    if (auto read = operation_->read(std::move(incoming_), &worker_->parser); !read) return read;
    record_->model_asked = redacted(operation_->asked().model);
    return {};
}

Result<void> OperationExchange::route() {
    const chat::Request& asked = operation_->asked();
    if (auto allowed = check_models(*gateway_, caller_, asked); !allowed) return allowed;
    auto route = gateway_->router.resolve(operation_->operation());
    if (!route) return propagate(route);
    route_ = std::move(*route);
    record_->model_asked = asked.model.empty() ? route_.name : asked.model;
    if (auto left = leave_out_others(); !left) return left;
    record_->warnings = route_.warnings;
    const std::string_view metadata = asked.metadata_raw;
    if (metadata.size() <= limits::logged_metadata_bytes)
        record_->metadata_json = metadata;
    else
        record_->warnings.emplace_back("metadata_not_logged");
    const std::vector<std::string>* of_key =
        caller_.key != nullptr ? &caller_.key->guardrails : nullptr;
    return guard_.select(asked, route_, of_key, transaction_->request.headers);
}

// Whoever can't be asked this, and whoever would answer with something else.
Result<void> OperationExchange::leave_out_others() {
    const auto provider_of = [this](const router::Target& target) -> const provider::Provider& {
        return *gateway_->providers[target.provider].provider;
    };
    const std::size_t count = route_.targets.size();
    const std::string first(provider_of(route_.targets.front()).display_name());
    std::erase_if(route_.targets, [&](const router::Target& target) {
        return !operation_->is_served_by(provider_of(target));
    });
    if (route_.targets.empty())
        return fail_at(ErrorKind::unsupported_parameter, "model",
                       fmt::format("{} has no {}; ask a model of a provider that has", first,
                                   record_->operation));
    if (operation_->wants_same_model() && route_.same_model == router::SameModel::by_name) {
        const std::string model = route_.targets.front().model;
        std::erase_if(route_.targets,
                      [&](const router::Target& target) { return target.model != model; });
    }
    if (route_.targets.size() < count) route_.warnings.emplace_back("fallback_skipped");
    return {};
}

awaitable<Result<void>> OperationExchange::guard() {
    const bool kept = keeps_content();
    std::string edited;
    if (guard_.is_on()) {
        co_await guard_.wait_until_ready();
        operation_->show_words();
        auto scan = guard_.look_at(&operation_->asked());
        // There is nothing that could be said in place of an answer.
        if (scan && scan->outcome == InputScan::Outcome::decline)
            scan = fail(guardrail::blocked(scan->findings));
        if (!scan) {
            scan.error().param.clear();  // there are no messages
            co_return propagate(scan);
        }
        if (kept && scan->outcome == InputScan::Outcome::redact)
            edited = guardrail::edited_body(*scan, operation_->asked());
        guard_.take_words(operation_->asked());
        operation_->take_words_back();
    }
    if (kept) asked_ = redacted(edited.empty() ? *operation_->asked().body : edited);
    // A mask where a number stood is no JSON any more.
    if (kept && !json::is_whole(asked_)) asked_ = "null";
    co_return memory_.hold(asked_.size() + guard_.held_bytes());
}

// Question by question, until all of it is answered.
awaitable<Result<void>> OperationExchange::ask() {
    AttemptCourse::Budget budget;
    const AttemptCourse::Means means{gateway_, worker_, &shared_->health, &shared_->admissions,
                                     &shared_->memory};
    const AttemptCourse::Asker asker{transaction_, record_, &route_, &operation_->asked().gateway,
                                     &budget};
    while (!operation_->is_done()) {
        WholeAttempts attempts(means, asker, operation_.get());
        if (auto answered = co_await attempts.run(); !answered) co_return answered;
        const std::size_t kept = asked_.size() + guard_.held_bytes() + operation_->held_bytes();
        if (auto fits = memory_.hold(kept); !fits) co_return fits;
    }
    co_return Result<void>{};
}

// What has been answered is paid for, also where the rest could not be had.
void OperationExchange::note_usage() {
    if (operation_->held_bytes() == 0) return;
    using enum telemetry::RequestRecord::Provenance;
    const auto counted = operation_->input_tokens();
    record_->usage = timeline::Usage{.fresh_input = counted.value_or(estimated_tokens_)};
    record_->usage_provenance = counted ? reported : estimated;
}

bool OperationExchange::keeps_content() const {
    return gateway_->access.logs.keeps_content ||
           (caller_.key != nullptr && caller_.key->keeps_content);
}

std::string OperationExchange::content() const {
    if (asked_.empty()) return {};
    std::string text;
    json::Writer out(text);
    out.begin_object().key("id").string(record_->completion_id);
    out.key("created").number(std::time(nullptr)).key("model").string(record_->model_served);
    out.key("request").raw(asked_).key("answer");
    out.raw(timeline::write_archive(timeline::TimedRecording{}, limits::answer_copy_bytes))
        .end_object();
    return text;
}

awaitable<void> OperationExchange::tell() {
    http::HeaderList& headers = transaction_->responder->headers();
    headers.add("Content-Type", "application/json");
    headers.add("X-Completion-Id", record_->completion_id);
    add_served_fields(*record_, &headers);
    const chat::Request& asked = operation_->asked();
    const bool echo = asked.gateway.echo_model == chat::Wish::yes && !asked.model.empty();
    const WholeOperation::Told told{echo ? asked.model : record_->model_served,
                                    record_->usage ? record_->usage->input() : 0};
    co_await send_whole(transaction_, 200, operation_->write_answer(told));
}

awaitable<void> OperationExchange::refuse(Error error) {
    const http::Stop::Reason reason = transaction_->stop->reason();
    if (reason == http::Stop::Reason::client_gone || transaction_->responder->error()) co_return;
    if (reason == http::Stop::Reason::shutdown) error = shutting_down();
    record_->error_kind = name_of(error.kind);
    record_->error_detail = error.detail.empty() ? error.message : error.detail;
    co_await send_refusal(transaction_, record_, api_, std::move(error));
}

}  // namespace runnel::exchange
