#pragma once

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "timeline/event.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {

// A request body being written, and what writing it found out on the way.
class Draft {
public:
    json::Writer writer() { return json::Writer(body_); }
    std::string& body() { return body_; }

    // Marks the block being written (its other fields are written, its end is not) as the end of a
    // prefix to cache.
    void mark(std::string_view cache_control_raw) {
        if (!cache_control_raw.starts_with('{')) return;
        const std::size_t begin = body_.size();
        std::string compact;
        json::append_compact(compact, cache_control_raw);
        writer().key("cache_control").raw(compact);
        marks_.push_back({begin, body_.size()});
        if (compact.find(R"("ttl":"1h")") != std::string::npos)
            need_beta("extended-cache-ttl-2025-04-11");
    }
    // Takes out the earliest marks until `count` are left: a later one stands for a longer prefix.
    void keep_last_marks(std::size_t count) {
        while (marks_.size() > count) {
            const Mark dropped = marks_[marks_.size() - count - 1];
            body_.erase(dropped.begin, dropped.end - dropped.begin);
            marks_.erase(marks_.end() - static_cast<std::ptrdiff_t>(count) - 1);
            warn("dropped_cache_control");
        }
    }

    void warn(std::string_view word) { add_once(warnings_, word); }
    void need_beta(std::string_view name) { add_once(betas_, name); }
    std::vector<std::string>& warnings() { return warnings_; }
    void keep_form() { form_ = timeline::Started::Form::kept; }
    timeline::Started::Form form() const { return form_; }
    const std::vector<std::string>& betas() const { return betas_; }

private:
    // Where a mark stands in the body, with the comma before it.
    struct Mark {
        std::size_t begin;
        std::size_t end;
    };

    static void add_once(std::vector<std::string>& words, std::string_view word) {
        if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
    }

    std::string body_;
    std::vector<Mark> marks_;
    std::vector<std::string> warnings_;
    std::vector<std::string> betas_;
    timeline::Started::Form form_ = timeline::Started::Form::free;
};

}  // namespace runnel::provider::anthropic
