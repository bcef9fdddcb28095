#include "dialect/chat_dialect.hpp"

#include "base/utf8.hpp"
#include "dialect/bare_json.hpp"
#include "dialect/openai_request.hpp"
#include "dialect/whole_answer.hpp"
#include "json/writer.hpp"

namespace runnel::dialect {

Result<chat::Request> ChatDialect::read_request(std::string body, json::Parser* parser) const {
    return read_openai_request(std::move(body), parser);
}

std::unique_ptr<Encoder> ChatDialect::make_encoder(const Envelope& envelope,
                                                   std::string* out) const {
    if (envelope.form == Envelope::Form::bare_json) return std::make_unique<BareJsonStream>(out);
    return make_encoder_(envelope, out);
}

std::string ChatDialect::write_answer(const Envelope& envelope,
                                      const timeline::Answer& answer) const {
    if (envelope.form == Envelope::Form::bare_json) return bare_json(answer);
    return whole_answer(envelope, style_, answer);
}

std::string ChatDialect::error_body(const Error& error) const {
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

}  // namespace runnel::dialect
