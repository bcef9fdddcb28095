#include "api/messages/messages_answer.hpp"
#include "api/messages/messages_stream.hpp"
#include "api/messages/request.hpp"
#include "api/registry.hpp"

#include <fmt/format.h>

#include <array>

// POST /v1/messages, Anthropic's Messages API.
namespace runnel::api {
namespace {

class MessagesDialect final : public Dialect {
public:
    std::string_view name() const override { return "messages"; }
    const Api& api() const override { return messages_api(); }
    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        return std::make_unique<messages::MessagesStream>(envelope, out);
    }
    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        return messages::whole_answer(envelope, answer);
    }
    std::string_view ping() const override { return "event: ping\ndata: {\"type\":\"ping\"}\n\n"; }
};

class Messages final : public Api {
public:
    std::string_view name() const override { return "messages"; }
    Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const override {
        return messages::read_request(std::move(incoming.body), parser);
    }
    Result<void> check_request(const chat::Request& request) const override {
        return messages::check_request(request);
    }
    std::span<const Dialect* const> dialects() const override {
        static const MessagesDialect dialect;
        static constexpr std::array<const Dialect*, 1> all{&dialect};
        return all;
    }
    std::string error_body(const Error& error) const override {
        return messages::error_body(error);
    }
    int error_status(const Error& error) const override { return messages::error_status(error); }
    bool has_header(std::string_view name) const override {
        // That one is a promise between a browser and whoever answers it.
        return name.starts_with("anthropic-") &&
               name != "anthropic-dangerous-direct-browser-access";
    }
    std::string count_body(std::int64_t tokens) const override {
        return fmt::format(R"({{"input_tokens":{}}})", tokens);
    }
    std::string_view id_prefix() const override { return "msg_"; }
};

}  // namespace

const Api& messages_api() {
    static const Messages api;
    return api;
}

}  // namespace runnel::api
