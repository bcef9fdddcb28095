#include "dialect/chat_dialect.hpp"
#include "dialect/registry.hpp"
#include "dialect/timeline_stream.hpp"

namespace runnel::dialect {

const Dialect& timeline() {
    static const ChatDialect dialect("timeline", timeline_style, make_stream<TimelineStream>);
    return dialect;
}

}  // namespace runnel::dialect
