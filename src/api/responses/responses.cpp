#include "api/registry.hpp"
#include "api/responses/request.hpp"
#include "api/responses/response_object.hpp"
#include "api/responses/responses_stream.hpp"
#include "api/responses/stored_items.hpp"

#include <array>

// POST /v1/responses, OpenAI's Responses API.
namespace runnel::api {
namespace {

class ResponsesDialect final : public Dialect {
public:
    std::string_view name() const override { return "responses"; }
    const Api& api() const override { return responses_api(); }
    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        return std::make_unique<responses::ResponsesStream>(envelope, out);
    }
    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        return responses::whole_answer(envelope, answer);
    }
};

class Responses final : public Api {
public:
    std::string_view name() const override { return "responses"; }
    Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const override {
        return responses::read_request(std::move(incoming.body), parser);
    }
    Result<void> add_earlier(std::vector<EarlierTurn> turns, chat::Request* request,
                             json::Parser* parser) const override {
        return responses::add_earlier(std::move(turns), request, parser);
    }
    Result<std::string> with_items(std::string_view body, const Items& items) const override {
        return responses::with_items(body, items);
    }
    bool has_background() const override { return true; }
    std::string queued_answer(const Envelope& envelope) const override {
        return responses::queued_response(envelope);
    }
    std::string queued_stream(const Envelope& envelope) const override {
        return responses::queued_stream(envelope);
    }
    Result<void> check_request(const chat::Request& request) const override {
        return responses::check_request(request);
    }
    std::span<const Dialect* const> dialects() const override {
        static const ResponsesDialect dialect;
        static constexpr std::array<const Dialect*, 1> all{&dialect};
        return all;
    }
    // OpenAI has one error object for all of its APIs.
    std::string error_body(const Error& error) const override {
        return chat_api().error_body(error);
    }
    std::string_view id_prefix() const override { return "resp_"; }
};

}  // namespace

const Api& responses_api() {
    static const Responses api;
    return api;
}

}  // namespace runnel::api
