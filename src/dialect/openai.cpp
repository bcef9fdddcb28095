#include "dialect/chat_dialect.hpp"
#include "dialect/openai_stream.hpp"
#include "dialect/registry.hpp"

namespace runnel::dialect {

const Dialect& openai() {
    static const ChatDialect dialect(
        "openai", openai_style,
        [](const Envelope& envelope, std::string* out) -> std::unique_ptr<Encoder> {
            return std::make_unique<OpenAiStream>(envelope, out);
        });
    return dialect;
}

}  // namespace runnel::dialect
