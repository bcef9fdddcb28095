#include "api/gemini/answer.hpp"
#include "api/gemini/request.hpp"
#include "api/gemini/stream.hpp"
#include "api/registry.hpp"

#include <fmt/format.h>

#include <array>

// POST /v1beta/models/{model}:generateContent and :streamGenerateContent, Gemini's API.
namespace runnel::api {
namespace {

class GeminiDialect final : public Dialect {
public:
    GeminiDialect(std::string_view name, gemini::Framing framing)
        : name_(name),
          framing_(framing) {}

    std::string_view name() const override { return name_; }
    const Api& api() const override { return gemini_api(); }
    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        return std::make_unique<gemini::Stream>(envelope, framing_, out);
    }
    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        return gemini::whole_answer(envelope, answer);
    }
    // Google's clients read each line as JSON, comments too; but they skip empty ones, and between
    // the elements of an array they mean nothing.
    std::string_view ping() const override { return "\n"; }
    std::string_view content_type() const override {
        return framing_ == gemini::Framing::array ? "application/json" : Dialect::content_type();
    }

private:
    std::string_view name_;
    gemini::Framing framing_;
};

class Gemini final : public Api {
public:
    std::string_view name() const override { return "gemini"; }
    Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const override {
        return gemini::read_request(std::move(incoming), parser);
    }
    Result<void> check_request(const chat::Request& request) const override {
        return gemini::check_request(request);
    }
    std::span<const Dialect* const> dialects() const override {
        static const GeminiDialect events("gemini", gemini::Framing::events);
        static const GeminiDialect array("gemini-array", gemini::Framing::array);
        static constexpr std::array<const Dialect*, 2> all{&events, &array};
        return all;
    }
    std::string error_body(const Error& error) const override { return gemini::error_body(error); }
    int error_status(const Error& error) const override { return gemini::error_status(error); }
    std::string count_body(std::int64_t tokens) const override {
        return fmt::format(R"({{"totalTokens":{}}})", tokens);
    }
    Result<chat::Request> read_count_request(Incoming incoming,
                                             json::Parser* parser) const override {
        return gemini::read_count_request(std::move(incoming), parser);
    }
};

}  // namespace

const Api& gemini_api() {
    static const Gemini api;
    return api;
}

}  // namespace runnel::api
