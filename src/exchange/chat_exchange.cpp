#include "exchange/chat_exchange.hpp"

#include "access/key_check.hpp"
#include "access/ownership.hpp"
#include "api/registry.hpp"
#include "base/ascii.hpp"
#include "base/log.hpp"
#include "base/redact.hpp"
#include "exchange/admission/model_access.hpp"
#include "exchange/attempts/attempts.hpp"
#include "exchange/kept_conversation.hpp"
#include "exchange/operation_of.hpp"
#include "exchange/rounds/reviews.hpp"
#include "exchange/rounds/tool_loop.hpp"
#include "exchange/utc_now.hpp"
#include "http/task_group.hpp"
#include "json/place.hpp"
#include "json/writer.hpp"
#include "timeline/redaction.hpp"
#include "tools/rounds/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <exception>

namespace runnel::exchange {

using boost::asio::awaitable;

ChatExchange::ChatExchange(std::shared_ptr<const Gateway> gateway, Worker* worker,
                           SharedState* shared, http::Transaction* transaction,
                           telemetry::RequestRecord* record, access::Caller caller,
                           const api::Api* api, api::Incoming incoming)
    : gateway_(std::move(gateway)),
      worker_(worker),
      shared_(shared),
      transaction_(transaction),
      record_(record),
      caller_(std::move(caller)),
      api_(api),
      incoming_(std::move(incoming)),
      reply_(transaction, record, &worker->streams, &shared->memory),
      conversation_(&shared->kept_turns),
      guard_(gateway_->guardrails, &worker->guardrails, &worker->client, record),
      account_(gateway_, shared->meter, worker->journal, record, &caller_),
      cache_(gateway_->access.cache ? &*gateway_->access.cache : nullptr, &shared->cache, record),
      copies_(&shared->memory) {
    reply_.set_dialect(api_->dialects().front());
}

awaitable<void> ChatExchange::run() {
    auto ready = read(std::move(transaction_->request.body));
    if (ready && needs_earlier()) return go_on();
    if (ready) ready = route();
    if (ready && !guard_.is_ready()) return prepare_later();
    if (ready) ready = prepare();
    return ready ? answer() : reply_.fail(std::move(ready.error()));
}

// From an earlier answer.
awaitable<void> ChatExchange::go_on() {
    auto ready = co_await recall_conversation();
    if (ready) ready = route();
    co_await (ready ? prepare_later() : reply_.fail(std::move(ready.error())));
}

awaitable<void> ChatExchange::prepare_later() {
    co_await guard_.wait_until_ready();
    auto ready = prepare();
    co_await (ready ? answer() : reply_.fail(std::move(ready.error())));
}

awaitable<void> ChatExchange::answer() {
    if (!asks_a_model_) {
        co_await say_nothing();
        co_return;
    }
    if (background_ != nullptr) {
        auto begun = co_await begin_background();
        if (!begun) {
            co_await reply_.fail(std::move(begun.error()));
            co_return;
        }
    }
    std::optional<Admission::Ticket> ticket;
    if (Admission* model = shared_->admissions.for_model.find(route_.name)) {
        auto entered = co_await model->enter(transaction_->stop);
        if (!entered) {
            co_await reply_.fail(std::move(entered.error()));
            co_return;
        }
        ticket = std::move(*entered);
    }
    if (guard_.is_on() && !declined_) {
        auto passed = co_await ask_guards();
        if (!passed) {
            co_await reply_.fail(std::move(passed.error()));
            co_return;
        }
    }
    if (auto known = co_await cache_.find(transaction_->stop)) {
        co_await tell(std::move(known));
        co_return;
    }
    auto opened = co_await account_.open(operation_of(request_), &route_,
                                         &transaction_->responder->headers());
    if (!opened) {
        co_await reply_.fail(std::move(opened.error()));
        co_return;
    }
    reply_.estimate_by([this](std::uint64_t bytes) { return account_.estimate(bytes); });
    std::exception_ptr broken;
    try {
        co_await ask();
    } catch (...) {
        broken = std::current_exception();
    }
    // A bug, or no memory. The client is told, and what was used is paid for.
    if (broken) {
        http::log_broken("chat request", broken);
        co_await reply_.fail({ErrorKind::internal_error, "the gateway failed; its log has why"});
    }
    account_.settle();
    if (copy_) cache_.keep(*copy_);
}

awaitable<void> ChatExchange::say_nothing() {
    record_->model_served = record_->model_asked;
    reply_.begin(record_->model_asked);
    reply_.on(timeline::Finished{0, timeline::Finish::stop, ""});
    co_await reply_.finish();
}

// What was answered before is answered again.
awaitable<void> ChatExchange::tell(cache::AnswerCache::Answer known) {
    record_->model_served = known->model;
    record_->provider = known->provider;
    record_->cost = Money{};
    reply_.begin(request_.gateway.echo_model == chat::Wish::yes ? request_.model : known->model);
    known->timeline.replay(&reply_);
    auto fits = reply_.hold(reply_.held_bytes());
    if (!fits) reply_.let_go();
    co_await (fits ? reply_.finish() : reply_.fail(std::move(fits.error())));
}

awaitable<void> ChatExchange::ask() {
    Attempts::Budget budget;
    const Attempts::Means means{gateway_, worker_, &shared_->health, &shared_->admissions,
                                &shared_->memory};
    const Attempts::Client client{transaction_, record_, &reply_, &conversation_, &budget};
    Reviews reviews(gateway_->providers, route_, &request_, &reply_);
    if (runs_tools() || !reviews.all().empty()) {
        ToolLoop loop(means, client, gateway_->tools.get(), &request_, &route_, reviews.all());
        loop.ask_before_rounds(
            [this](const std::optional<timeline::Usage>&) { return account_.open_round(&route_); });
        if (guard_.is_on())
            loop.watch_calls({.before_call =
                                  [this](std::string* arguments) {
                                      return guard_.look_at_call(arguments, transaction_->stop);
                                  },
                              .after_call =
                                  [this](std::string* result) {
                                      return guard_.look_at_result(result, transaction_->stop);
                                  }});
        co_await loop.run();
        co_return;
    }
    const auto text_calls = make_text_calls(route_, request_, &worker_->ids, &reply_);
    timeline::Sink* listener = &reply_;
    if (text_calls) listener = text_calls.get();
    const auto afterwards =
        keeps_turn() ? Attempts::Afterwards::keep : Attempts::Afterwards::forget;
    Attempts attempts(means, client, &request_, &route_, listener, afterwards);
    if (co_await attempts.run() == Attempts::Outcome::answered) co_await reply_.finish();
}

Result<void> ChatExchange::read(std::string body) {
    // No connection counts it.
    if (background_ != nullptr) earlier_bytes_ += body.size();
    incoming_.body = std::move(body);
    return take(api_->read_request(std::move(incoming_), &worker_->parser));
}

Result<void> ChatExchange::take(Result<chat::Request> request) {
    if (!request) return propagate(request);
    request_ = std::move(*request);
    asks_a_model_ = api_->asks_a_model(request_);
    take_headers();
    record_->model_asked = redacted(request_.model);  // what is no model's name may be a key
    record_->stream = request_.streams();
    request_.conversation.keep = request_.conversation.keep && keeps_conversations();
    return take_to_background();
}

Result<void> ChatExchange::take_to_background() {
    const chat::KeptConversation& conversation = request_.conversation;
    if (conversation.in_background && (background_ == nullptr || !conversation.keep))
        return fail_at(ErrorKind::unsupported_parameter, "background",
                       "background is not supported: no responses are kept here; leave it out, and "
                       "use stream for long answers");
    if (background_ != nullptr) {
        background_frames_ =
            request_.streams() ? BackgroundRun::Frames::kept : BackgroundRun::Frames::dropped;
        request_.streaming = chat::Streaming::yes;
    }
    return {};
}

// What only the client's own API has headers for. They may go on, so nothing in them is odd.
void ChatExchange::take_headers() {
    constexpr std::size_t headers_max = 16;
    constexpr std::size_t value_bytes_max = 4096;
    const auto is_plain = [](std::string_view value) {
        return !value.empty() && value.size() <= value_bytes_max &&
               std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
    };
    const http::HeaderList& headers = transaction_->request.headers;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto [name, value] = headers.at(i);
        std::string lowered = ascii::lowered(name);
        if (request_.headers.size() < headers_max && api_->has_header(lowered) && is_plain(value))
            request_.headers.push_back({std::move(lowered), std::string(value)});
    }
}

Result<void> ChatExchange::route() {
    if (auto allowed = check_models(*gateway_, caller_, request_); !allowed) return allowed;
    if (auto allowed = check_tools(); !allowed) return allowed;
    if (auto found = find_route(); !found) return found;
    record_->model_asked = request_.model.empty() ? route_.name : request_.model;
    auto dialect = choose_dialect();
    if (!dialect) return propagate(dialect);
    dialect_ = *dialect;
    record_->dialect = dialect_->name();
    if (auto applied = apply_route(); !applied) return applied;
    return select_guards();
}

Result<void> ChatExchange::prepare() {
    if (auto guarded = guard_request(); !guarded) return guarded;
    if (route_.system != nullptr && asks_a_model_)
        tools::add_system_text(&request_, *route_.system, tools::SystemPlace::first);
    record_->rerouted_from = route_.rerouted_from;
    record_->warnings = route_.warnings;
    note_metadata();
    name_turns();
    conversation_.recall_states(&request_);
    const std::string_view id_prefix = api_->id_prefix();
    record_->completion_id =
        worker_->ids.next(id_prefix.empty() ? std::string_view(gateway_->id_prefix) : id_prefix);
    reply_.prepare(
        {dialect_, request_.streaming.value_or(chat::Streaming::no), envelope(), gateway_->ping});
    if (auto opened = open_cache(); !opened) return opened;
    if (keeps_turn()) reply_.before_end([this] { keep_conversation(); });
    copy_answer();
    return copies_.hold(earlier_bytes_ + asked_.size() + input_.size() + guard_.held_bytes());
}

// Where something may be kept or found.
void ChatExchange::name_turns() {
    const bool calls = !request_.tools.empty() || runs_tools() ||
                       std::ranges::any_of(request_.messages, &chat::Message::has_calls);
    if (!calls) return;
    // Tools of the gateway's are told who the client's user is, and answer for them alone.
    const std::string owner = access::owner_of_state(caller_, request_.end_user(),
                                                     runs_tools() ? request_.metadata_raw : "");
    conversation_.use(tools::TurnKeys(owner, request_));
}

bool ChatExchange::keeps_conversations() const {
    return gateway_->access.responses.stores && shared_->queries != nullptr;
}

bool ChatExchange::needs_earlier() const {
    return !request_.conversation.previous.empty() || !request_.conversation.id.empty() ||
           !request_.conversation.references.empty();
}

bool ChatExchange::keeps_turn() const {
    return request_.conversation.keep || !request_.conversation.id.empty();
}

awaitable<Result<void>> ChatExchange::recall_conversation() {
    if (!keeps_conversations()) {
        const std::string_view field = !request_.conversation.references.empty() ? "input"
                                       : !request_.conversation.id.empty()       ? "conversation"
                                                                           : "previous_response_id";
        co_return fail_at(ErrorKind::unsupported_parameter, std::string(field),
                          fmt::format("{} is not supported: no responses are kept here; send the "
                                      "whole conversation in input",
                                      field == "input" ? "item_reference" : field));
    }
    if (!request_.conversation.references.empty())
        if (auto found = co_await resolve_references(); !found) co_return found;
    const std::string& previous = request_.conversation.previous;
    if (previous.empty() && request_.conversation.id.empty()) co_return Result<void>{};
    const std::string owner = access::owner_digest(caller_);
    auto earlier =
        previous.empty()
            ? co_await find_conversation_turn(shared_->queries, request_.conversation.id, owner)
            : co_await find_turns_until(shared_->queries, previous, owner);
    if (!earlier) co_return propagate(earlier);
    for (const api::EarlierTurn& turn : *earlier)
        earlier_bytes_ += turn.input_json.size() + turn.answer_json.size();
    if (auto fits = copies_.hold(earlier_bytes_); !fits) co_return fits;
    co_return api_->add_earlier(std::move(*earlier), &request_, &worker_->parser);
}

// The request is read once more, with the items that it referred to.
awaitable<Result<void>> ChatExchange::resolve_references() {
    const std::vector<std::string>& references = request_.conversation.references;
    auto items = co_await find_items(shared_->queries, references, access::owner_digest(caller_));
    if (!items) co_return propagate(items);
    for (const std::string& id : references)
        if (!items->contains(id))
            co_return fail_at(ErrorKind::not_found, "input",
                              fmt::format("Item with id {} not found: its response was not stored, "
                                          "was deleted or is another caller's. Send the item "
                                          "itself.",
                                          json::in_quotes(id)));
    auto body = api_->with_items(*request_.body, *items);
    if (!body) co_return propagate(body);
    earlier_bytes_ += body->size();
    if (auto fits = copies_.hold(earlier_bytes_); !fits) co_return fits;
    co_return read(std::move(*body));
}

// From here on the client knows its id, and need not stay.
awaitable<Result<void>> ChatExchange::begin_background() {
    const chat::KeptConversation& conversation = request_.conversation;
    api::Envelope envelope = reply_.envelope();
    envelope.model = record_->model_asked;
    auto begun = co_await background_->begin(
        {.id = record_->completion_id,
         .owner = access::owner_digest(caller_),
         .previous = conversation.previous,
         .created = utc_now(),
         .input_json = input_.empty() ? std::string(conversation.input_raw) : input_,
         .response_json = api_->queued_answer(envelope)},
        background_frames_);
    if (!begun) co_return begun;
    reply_.tell_first(api_->queued_stream(envelope));
    co_return Result<void>{};
}

// As guardrails left it: what they took out is not kept either.
void ChatExchange::keep_input_of(std::string edited_body) {
    const auto edited = api_->read_request({.body = std::move(edited_body)}, &worker_->parser);
    if (edited) {
        input_ = edited->conversation.input_raw;
        return;
    }
    request_.conversation.keep = false;
    request_.conversation.id.clear();
}

// The store is given the answer before its client can know that it is over, so that whatever the
// client asks next is looked up after that. Nobody waits for it.
void ChatExchange::keep_conversation() {
    const chat::KeptConversation& conversation = request_.conversation;
    if (!keeps_turn() || copy_->recording().truncated) return;
    timeline::Fold fold;
    copy_->recording().replay(&fold);
    fold.on(timeline::Ended{});
    const bool failed = fold.answer().error.has_value();
    if (failed && background_ == nullptr) return;
    KeptTurn turn{
        .response = {.id = record_->completion_id,
                     .owner = access::owner_digest(caller_),
                     .previous = conversation.previous,
                     .created = utc_now(),
                     .input_json = input_.empty() ? std::string(conversation.input_raw) : input_,
                     .response_json = dialect_->write_answer(reply_.envelope(), fold.answer())},
        .conversation = failed ? std::string() : request_.conversation.id};
    // One in the background has been kept since it began.
    if (background_ != nullptr) background_->ends_as(turn.response.response_json);
    if (background_ != nullptr || !conversation.keep) turn.keep = KeptTurn::Response::dropped;
    keep_turn(shared_->queries, &shared_->memory, std::move(turn));
}

Result<void> ChatExchange::open_cache() {
    const access::Key* key = caller_.key.get();
    if (!route_.cached || (key != nullptr && !key->may_cache)) return {};
    cache::CacheScope scope;
    const std::string account = access::payer_of(caller_);
    scope.account = account;
    scope.model = route_.name.empty() ? std::string_view(request_.model) : route_.name;
    if (route_.system != nullptr) scope.system = *route_.system;
    const std::string rules = guard_.is_on() ? std::to_string(guard_.rules()) : "";
    scope.guardrails = rules;
    return cache_.begin(request_, scope,
                        runs_tools() ? CacheVisit::Tools::some : CacheVisit::Tools::none,
                        transaction_->request.headers);
}

bool ChatExchange::keeps_content() const {
    return gateway_->access.logs.keeps_content ||
           (caller_.key != nullptr && caller_.key->keeps_content);
}

void ChatExchange::copy_answer() {
    const bool kept = keeps_content();
    if (kept) asked_ = redacted(asked_.empty() ? *request_.body : asked_);
    // A mask where a number stood is no JSON any more.
    if (kept && !json::is_whole(asked_)) asked_ = "null";
    if (!kept && !cache_.wants_copy() && !keeps_turn()) return;
    copy_.emplace(limits::answer_copy_bytes);
    reply_.copy_to(&*copy_);
}

std::string ChatExchange::content() const {
    if (asked_.empty()) return {};
    std::string text;
    json::Writer out(text);
    const api::Envelope& envelope = reply_.envelope();
    out.begin_object().key("id").string(envelope.id).key("created").number(envelope.created);
    out.key("model")
        .string(envelope.model)
        .key("request")
        .raw(declined_ ? "null" : asked_)
        .key("answer");
    out.raw(timeline::write_archive(timeline::without_credentials(copy_->recording()),
                                    limits::answer_copy_bytes))
        .end_object();
    return text;
}

// As guardrails left it.
void ChatExchange::note_metadata() {
    const std::string_view metadata = request_.metadata_raw;
    if (metadata.size() <= limits::logged_metadata_bytes)
        record_->metadata_json = metadata;
    else
        record_->warnings.emplace_back("metadata_not_logged");
}

// What the caller's key has to say to the tools it asks for. A browser's request has those ignored.
Result<void> ChatExchange::check_tools() const {
    const auto& wanted = request_.gateway.builtin_tools;
    if (wanted.empty() || caller_.is_browser()) return {};
    const std::vector<std::string> known =
        gateway_->tools ? gateway_->tools->names() : std::vector<std::string>();
    return tool_access().check_wish(wanted, known);
}

access::ToolAccess ChatExchange::tool_access() const {
    return access::ToolAccess(caller_, gateway_->access.auth);
}

// What the caller and the model may have of what was asked for, whenever the request is read anew.
void ChatExchange::limit_request() {
    limit_tools();
    if (route_.max_tokens)
        request_.max_tokens =
            std::min(request_.max_tokens.value_or(*route_.max_tokens), *route_.max_tokens);
}

// The model's tools are run for whom they may be run for, and so are those of its defaults.
void ChatExchange::limit_tools() {
    const access::ToolAccess access = tool_access();
    std::erase_if(request_.gateway.builtin_tools,
                  [&](const std::string& name) { return !access.allows(name); });
    if (route_.tools == nullptr) return;
    std::vector<std::string> allowed = access.among(*route_.tools);
    if (allowed.size() == route_.tools->size()) return;
    model_tools_ = std::move(allowed);
    route_.tools = model_tools_.empty() ? nullptr : &model_tools_;
    route_.warnings.emplace_back("server_tools_stripped");
}

api::Envelope ChatExchange::envelope() const {
    using api::Envelope;
    Envelope envelope;
    envelope.id = record_->completion_id;
    envelope.created = std::time(nullptr);
    envelope.request = &request_;
    if (request_.include_usage == chat::Wish::yes) envelope.usage = Envelope::Usage::shown;
    if (request_.reasoning.show == chat::ReasoningWish::Show::no)
        envelope.reasoning = Envelope::Reasoning::hidden;
    const chat::GatewayWishes& wishes = request_.gateway;
    if (wishes.tool_events == chat::GatewayWishes::ToolEvents::comments)
        envelope.tool_events = Envelope::ToolEvents::comments;
    if (route_.hidden_tools != nullptr)
        if (const auto own = route_.hidden_tools->find(api_->name());
            own != route_.hidden_tools->end())
            envelope.hidden_tools = own->second;
    if (wishes.servertool_results == chat::Wish::yes)
        envelope.tool_results = Envelope::ToolResults::shown;
    if (wishes.hold == chat::GatewayWishes::Hold::round) envelope.hold = Envelope::Hold::round;
    if (!runs_tools()) envelope.hold = Envelope::Hold::none;
    if (wishes.json_only == chat::Wish::yes) envelope.form = Envelope::Form::bare_json;
    return envelope;
}

Result<const api::Dialect*> ChatExchange::choose_dialect() const {
    const auto dialects = api_->dialects();
    if (dialects.size() == 1) return dialects.front();
    if (!incoming_.dialect.empty()) return api::dialect_named(*api_, incoming_.dialect);
    const std::string_view header = transaction_->request.headers.get("X-Stream-Dialect");
    std::string_view name = gateway_->dialect;
    std::string_view place;
    if (!header.empty()) {
        name = header;
        place = "X-Stream-Dialect";
    } else if (!request_.gateway.dialect.empty()) {
        name = request_.gateway.dialect;
        place = "stream_dialect";
    } else if (caller_.key != nullptr && !caller_.key->dialect.empty()) {
        name = caller_.key->dialect;
    } else if (route_.dialect != nullptr) {
        name = *route_.dialect;
    }
    if (const api::Dialect* found = api::dialect_named(*api_, name)) return found;
    return fail_at(ErrorKind::invalid_stream_dialect, std::string(place),
                   fmt::format("'{}' is not a stream dialect; there are: {}", name,
                               fmt::join(api::chat_dialect_names(), ", ")));
}

Result<void> ChatExchange::find_route() {
    auto route = gateway_->router.resolve(operation_of(request_));
    if (!route) return propagate(route);
    route_ = std::move(*route);
    for (const std::string& model : route_.stand_ins)
        if (!may_use(*gateway_, caller_, model)) return fail(access::stand_in_refused(model));
    limit_request();
    return {};
}

Result<void> ChatExchange::apply_route() {
    if (route_.defaults != nullptr) {
        chat::apply_defaults(*route_.defaults, &request_);
        record_->stream = request_.streams();
        // They may ask for more than every target can, or name fallbacks.
        if (auto found = find_route(); !found) return found;
    }
    return api_->check_request(request_);
}

Result<void> ChatExchange::select_guards() {
    const std::vector<std::string>* of_key =
        caller_.key != nullptr ? &caller_.key->guardrails : nullptr;
    return guard_.select(request_, route_, of_key, transaction_->request.headers);
}

// Before anything of the gateway's own is added to the conversation: only what the client says is
// looked at.
Result<void> ChatExchange::guard_request() {
    if (!guard_.is_on()) return {};
    auto scan = guard_.look_at(&request_);
    if (!scan) return propagate(scan);
    if (scan->outcome == guardrail::InputScan::Outcome::decline) decline();
    if (scan->outcome == guardrail::InputScan::Outcome::redact) {
        const bool keeps = keeps_turn();
        std::string edited;
        if (keeps || keeps_content()) edited = guardrail::edited_body(*scan, request_);
        if (keeps_content()) asked_ = edited;
        if (keeps) keep_input_of(std::move(edited));
    }
    guard_.take_words(request_);
    if (auto guarded = reply_.guard_by(&guard_); !guarded) return guarded;
    if (request_.gateway.json_only == chat::Wish::yes) guard_.filter()->expect_json();
    return {};
}

// The model is asked to refuse, and has nothing to do it with but words.
void ChatExchange::decline() {
    guardrail::decline(&request_);
    declined_ = true;
    request_.gateway.builtin_tools.clear();
    route_.tools = nullptr;
}

awaitable<Result<void>> ChatExchange::ask_guards() {
    auto outcome = co_await guard_.ask_about_words(transaction_->stop);
    if (!outcome) {
        asked_.clear();
        record_->metadata_json.clear();
        co_return propagate(outcome);
    }
    if (*outcome == guardrail::InputScan::Outcome::decline) {
        decline();
        reply_.set_envelope(envelope());
        cache_.leave();
    }
    co_return Result<void>{};
}

bool ChatExchange::runs_tools() const { return !server_tools(route_, request_).empty(); }

}  // namespace runnel::exchange
