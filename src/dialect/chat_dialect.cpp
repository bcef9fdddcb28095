#include "dialect/chat_dialect.hpp"

#include "dialect/openai_request.hpp"
#include "dialect/whole_answer.hpp"
#include "json/writer.hpp"

namespace runnel::dialect {

Result<chat::Request> ChatDialect::read_request(std::string body, json::Parser* parser) const {
    return read_openai_request(std::move(body), parser);
}

std::string ChatDialect::write_answer(const Envelope& envelope,
                                      const timeline::Answer& answer) const {
    return whole_answer(envelope, style_, answer);
}

std::string ChatDialect::error_body(const Error& error) const {
    const ErrorShape shape = shape_of(error.kind);
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("error").begin_object();
    writer.key("message").string(error.message);
    writer.key("type").string(shape.type);
    writer.key("param");
    error.param.empty() ? writer.null() : writer.string(error.param);
    writer.key("code").string(shape.code);
    writer.end_object().end_object();
    return out;
}

}  // namespace runnel::dialect
