#pragma once

#include "provider/core/turn.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace runnel::provider {

// Splits text that begins with a <think>…</think> or <thought>…</thought> block into reasoning and
// text, however it is cut into fragments. Only a block at the very head counts; once text has begun
// nothing is held back any more.
class ThinkTags {
public:
    using Emit = std::function<void(std::string_view)>;

    void enable(TurnOptions::ThinkTags wish) {
        if (wish == TurnOptions::ThinkTags::reasoning) place_ = Place::head;
    }
    bool active() const { return place_ != Place::text; }
    void split(std::string_view fragment, const Emit& reasoning, const Emit& text);
    // The text is over: what was held because it looked like a tag is shown.
    void flush(const Emit& reasoning, const Emit& text);

private:
    enum class Place { text, head, inside, after } place_ = Place::text;
    std::string_view close_tag_;  // of the block it is inside of
    std::string held_;
};

}  // namespace runnel::provider
