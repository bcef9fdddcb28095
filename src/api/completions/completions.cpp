#include "api/completions/answer.hpp"
#include "api/completions/request.hpp"
#include "api/completions/stream.hpp"
#include "api/registry.hpp"

#include <array>

// POST /v1/completions, OpenAI's older API, of text that is gone on with.
namespace runnel::api {
namespace {

class CompletionsDialect final : public Dialect {
public:
    std::string_view name() const override { return "completions"; }
    const Api& api() const override { return completions_api(); }
    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        return std::make_unique<completions::Stream>(envelope, out);
    }
    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        return completions::whole_answer(envelope, answer);
    }
};

class Completions final : public Api {
public:
    std::string_view name() const override { return "completions"; }
    Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const override {
        return completions::read_request(std::move(incoming), parser);
    }
    Result<void> check_request(const chat::Request& request) const override {
        return completions::check_request(request);
    }
    std::span<const Dialect* const> dialects() const override {
        static const CompletionsDialect dialect;
        static constexpr std::array<const Dialect*, 1> all{&dialect};
        return all;
    }
    std::string error_body(const Error& error) const override {
        return chat_api().error_body(error);
    }
    std::string_view id_prefix() const override { return "cmpl-"; }
};

}  // namespace

const Api& completions_api() {
    static const Completions api;
    return api;
}

}  // namespace runnel::api
