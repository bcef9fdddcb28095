#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace runnel::policy {

// The strings of a JSON text that nobody has looked at.
class RestOfJson {
public:
    // `seen` are views of `json` that somebody has: insides of strings, or whole values.
    RestOfJson(std::string_view json, std::vector<std::string_view> seen)
        : json_(json),
          seen_(std::move(seen)) {
        std::erase_if(seen_, [](std::string_view view) { return view.empty(); });
        std::ranges::sort(seen_, {}, [](std::string_view view) { return view.data(); });
    }

    // Calls look(escaped) for each that is a value, but for names of kinds and for identifiers,
    // which are all numbers with some and mean nothing to anybody.
    template <class Look>
    void for_each(Look look) {
        std::string_view key;
        while (at_ < json_.size()) {
            if (pass_seen(at_)) continue;
            if (json_[at_] != '"') {
                if (std::string_view("{}[]").contains(json_[at_])) key = {};
                ++at_;
                continue;
            }
            const std::size_t begin = ++at_;
            const bool seen = pass_seen(begin);
            while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
            at_ = std::min(at_, json_.size());
            const std::string_view text = json_.substr(begin, at_ - begin);
            at_ = std::min(json_.find_first_not_of(" \t\r\n", at_ + 1), json_.size());
            if (at_ < json_.size() && json_[at_] == ':') {
                key = text;
            } else if (!seen && std::ranges::find(not_text, key) == not_text.end()) {
                look(text);
            }
        }
    }

private:
    static constexpr std::array<std::string_view, 9> not_text{
        "role", "type", "id", "tool_call_id", "file_id", "format", "detail", "data", "signature"};

    bool pass_seen(std::size_t at) {
        const char* const here = json_.data() + at;
        while (next_ < seen_.size() && seen_[next_].data() < here) ++next_;
        if (next_ == seen_.size() || seen_[next_].data() != here) return false;
        at_ = at + seen_[next_].size();
        return true;
    }

    std::string_view json_;
    std::vector<std::string_view> seen_;  // in the order they stand
    std::size_t next_ = 0;                // of them
    std::size_t at_ = 0;
};

}  // namespace runnel::policy
