#include "provider/core/think_tags.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace runnel::provider {
namespace {

struct Tag {
    std::string_view open;
    std::string_view close;
};
// The second is Google's, on its server for OpenAI's format.
constexpr std::array tags{Tag{"<think>", "</think>"}, Tag{"<thought>", "</thought>"}};

// White space at the start of escaped text: spaces, and the escapes \n \r \t.
std::size_t leading_space(std::string_view escaped) {
    std::size_t at = 0;
    while (at < escaped.size()) {
        if (escaped[at] == ' ') {
            ++at;
        } else if (escaped[at] == '\\' && at + 1 < escaped.size() &&
                   (escaped[at + 1] == 'n' || escaped[at + 1] == 'r' || escaped[at + 1] == 't')) {
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

// How many bytes at the end of `text` may be the beginning of `tag`.
std::size_t tag_prefix_at_end(std::string_view text, std::string_view tag) {
    for (std::size_t n = std::min(text.size(), tag.size() - 1); n > 0; --n)
        if (text.ends_with(tag.substr(0, n))) return n;
    return 0;
}

}  // namespace

void ThinkTags::split(std::string_view fragment, const Emit& reasoning, const Emit& text) {
    held_ += fragment;
    if (place_ == Place::head) {
        const std::size_t begin = leading_space(held_);
        const std::string_view rest = std::string_view(held_).substr(begin);
        if (std::ranges::any_of(tags, [&](const Tag& tag) {
                return rest.size() < tag.open.size() && tag.open.starts_with(rest);
            }))
            return;
        const auto* found =
            std::ranges::find_if(tags, [&](const Tag& tag) { return rest.starts_with(tag.open); });
        if (found != tags.end()) {
            held_.erase(0, begin + found->open.size());
            close_tag_ = found->close;
            place_ = Place::inside;
        } else {
            place_ = Place::text;
            text(std::exchange(held_, {}));
            return;
        }
    }
    if (place_ == Place::inside) {
        const std::size_t close = held_.find(close_tag_);
        if (close == std::string::npos) {
            const std::size_t keep = tag_prefix_at_end(held_, close_tag_);
            const std::string shown = held_.substr(0, held_.size() - keep);
            held_.erase(0, shown.size());
            if (!shown.empty()) reasoning(shown);
            return;
        }
        if (close > 0) reasoning(std::string_view(held_).substr(0, close));
        held_.erase(0, close + close_tag_.size());
        place_ = Place::after;
    }
    if (place_ == Place::after) {
        held_.erase(0, leading_space(held_));
        if (held_.empty()) return;
        place_ = Place::text;
        text(std::exchange(held_, {}));
    }
}

void ThinkTags::flush(const Emit& reasoning, const Emit& text) {
    if (held_.empty()) return;
    const std::string rest = std::exchange(held_, {});
    if (place_ == Place::inside) {
        reasoning(rest);
    } else {
        text(rest);
    }
}

}  // namespace runnel::provider
