#include "dialect/chat_dialect.hpp"
#include "dialect/openai_stream.hpp"
#include "dialect/registry.hpp"

namespace runnel::dialect {

const Dialect& openai() {
    static const ChatDialect dialect("openai", openai_style, make_stream<OpenAiStream>);
    return dialect;
}

}  // namespace runnel::dialect
