#pragma once

#include "chat/request.hpp"
#include "json/writer.hpp"
#include "provider/core/warnings.hpp"
#include "timeline/event.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {

// A request body being written, and what writing it found out on the way.
class Draft {
public:
    explicit Draft(chat::Api asked_in) : asked_in_(asked_in) {}

    json::Writer writer() { return json::Writer(body_); }
    std::string& body() { return body_; }

    // Whether the client speaks this very API, so that what only it has a word for goes on as it
    // came.
    bool is_native() const { return asked_in_ == chat::Api::messages; }
    void add_extras(const chat::Extras& extras) {
        if (!is_native()) return;
        for (const chat::Extra& extra : extras) writer().key(extra.name).raw(extra.raw);
    }

    // Marks the block being written (its other fields are written, its end is not) as the end of a
    // prefix to cache.
    void mark(const std::optional<chat::CacheMark>& mark) {
        if (!mark) return;
        const std::size_t begin = body_.size();
        json::Writer writer = this->writer();
        writer.key("cache_control").begin_object().key("type").string("ephemeral");
        if (!mark->ttl_escaped.empty()) writer.key("ttl").escaped(mark->ttl_escaped);
        writer.end_object();
        marks_.push_back({begin, body_.size()});
        if (mark->ttl_escaped == "1h") need_beta("extended-cache-ttl-2025-04-11");
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
    // What else the client said of the block being written, and the block's end.
    void end_block(const chat::Extras& extras, const std::optional<chat::CacheMark>& cache) {
        add_extras(extras);
        mark(cache);
        writer().end_object();
    }

    void warn(std::string_view word) { add_warning(warnings_, word); }
    void need_beta(std::string_view name) {
        if (std::ranges::find(betas_, name) == betas_.end()) betas_.emplace_back(name);
    }
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

    chat::Api asked_in_;
    std::string body_;
    std::vector<Mark> marks_;
    std::vector<std::string> warnings_;
    std::vector<std::string> betas_;
    timeline::Started::Form form_ = timeline::Started::Form::free;
};

}  // namespace runnel::provider::anthropic
