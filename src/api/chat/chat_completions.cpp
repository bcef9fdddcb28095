#include "api/bare_json.hpp"
#include "api/chat/agent_stream.hpp"
#include "api/chat/chat_style.hpp"
#include "api/chat/openai_stream.hpp"
#include "api/chat/request.hpp"
#include "api/chat/timeline_stream.hpp"
#include "api/chat/whole_answer.hpp"
#include "api/registry.hpp"
#include "api/request_body.hpp"
#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <array>

// POST /v1/chat/completions. Its dialects read the same requests and tell errors in the same words
// before a stream begins; they differ in their style and their stream.
namespace runnel::api {
namespace {

class ChatDialect final : public Dialect {
public:
    using MakeEncoder = std::unique_ptr<Encoder> (*)(const Envelope& envelope, std::string* out);

    ChatDialect(std::string_view name, const ChatStyle& style, MakeEncoder make_encoder)
        : name_(name),
          style_(style),
          make_encoder_(make_encoder) {}

    std::string_view name() const override { return name_; }
    const Api& api() const override { return chat_api(); }

    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        if (envelope.form == Envelope::Form::bare_json)
            return std::make_unique<BareJsonStream>(out);
        return make_encoder_(envelope, out);
    }

    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        if (envelope.form == Envelope::Form::bare_json) return bare_json(answer);
        return whole_answer(envelope, style_, answer);
    }

private:
    std::string_view name_;
    ChatStyle style_;
    MakeEncoder make_encoder_;
};

template <class Stream>
std::unique_ptr<Encoder> make_stream(const Envelope& envelope, std::string* out) {
    return std::make_unique<Stream>(envelope, out);
}

template <AgentStream::Frames frames>
std::unique_ptr<Encoder> make_agent_stream(const Envelope& envelope, std::string* out) {
    return std::make_unique<AgentStream>(envelope, frames, out);
}

class ChatCompletions final : public Api {
public:
    std::string_view name() const override { return "chat"; }

    Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const override {
        if (auto named = check_model_in_path(incoming.model); !named) return propagate(named);
        auto request = read_chat_request(std::move(incoming.body), parser);
        // Some clients name it in the path only.
        if (request && request->model.empty()) request->model = std::move(incoming.model);
        return request;
    }

    Result<void> check_request(const chat::Request& request) const override {
        return check_chat_request(request);
    }

    std::span<const Dialect* const> dialects() const override {
        static const ChatDialect openai("openai", openai_style, make_stream<OpenAiStream>);
        static const ChatDialect timeline("timeline", timeline_style, make_stream<TimelineStream>);
        static const ChatDialect agent("agent", agent_style,
                                       make_agent_stream<AgentStream::Frames::hybrid>);
        static const ChatDialect agent_raw("agent-raw", agent_style,
                                           make_agent_stream<AgentStream::Frames::bare>);
        static constexpr std::array<const Dialect*, 4> all{&openai, &timeline, &agent, &agent_raw};
        return all;
    }

    std::string error_body(const Error& error) const override {
        const ErrorShape shape = shape_of(error.kind);
        std::string out;
        json::Writer writer(out);
        writer.begin_object().key("error").begin_object();
        // It may repeat what the client sent, such as a path, and JSON is UTF-8 whatever that was.
        writer.key("message").string(with_valid_utf8(error.message));
        writer.key("type").string(shape.type);
        writer.key("param");
        error.param.empty() ? writer.null() : writer.string(error.param);
        writer.key("code").string(shape.code);
        writer.end_object().end_object();
        return out;
    }
};

}  // namespace

const Api& chat_api() {
    static const ChatCompletions api;
    return api;
}

}  // namespace runnel::api
