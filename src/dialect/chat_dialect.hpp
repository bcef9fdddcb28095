#pragma once

#include "dialect/chat_style.hpp"
#include "dialect/dialect.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace runnel::dialect {

// A dialect of POST /v1/chat/completions. They read the same requests and tell errors in the same
// words before a stream begins; they differ in their style and their stream.
class ChatDialect final : public Dialect {
public:
    using MakeEncoder = std::unique_ptr<Encoder> (*)(const Envelope& envelope, std::string* out);

    ChatDialect(std::string_view name, const ChatStyle& style, MakeEncoder make_encoder)
        : name_(name),
          style_(style),
          make_encoder_(make_encoder) {}

    std::string_view name() const override { return name_; }
    Result<chat::Request> read_request(std::string body, json::Parser* parser) const override;
    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override;
    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override;
    std::string error_body(const Error& error) const override;

private:
    std::string_view name_;
    ChatStyle style_;
    MakeEncoder make_encoder_;
};

// For a stream that needs nothing but an envelope and where to write.
template <class Stream>
std::unique_ptr<Encoder> make_stream(const Envelope& envelope, std::string* out) {
    return std::make_unique<Stream>(envelope, out);
}

}  // namespace runnel::dialect
