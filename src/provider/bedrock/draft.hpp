#pragma once

#include "chat/request.hpp"
#include "json/writer.hpp"
#include "provider/bedrock/model.hpp"
#include "provider/core/warnings.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::bedrock {

// A Converse body being written, and what writing it found out on the way.
class Draft {
public:
    explicit Draft(Model model) : model_(model) {}

    json::Writer writer() { return json::Writer(body_); }
    std::string& body() { return body_; }
    const Model& model() const { return model_; }

    // An element of its own behind what was written last: what is before it may be kept.
    void cache_point(const std::optional<chat::CacheMark>& mark) {
        if (!mark) return;
        if (!model_.takes_cache_points()) return warn("dropped_cache_control");
        const std::size_t begin = body_.size();
        json::Writer writer = this->writer();
        writer.begin_object().key("cachePoint").begin_object().key("type").string("default");
        if (!mark->ttl_escaped.empty() && model_.is_claude())
            writer.key("ttl").escaped(mark->ttl_escaped);
        writer.end_object().end_object();
        points_.push_back({begin, body_.size()});
    }
    // Takes out the earliest points until `count` are left: a later one stands for a longer prefix.
    void keep_last_points(std::size_t count) {
        while (points_.size() > count) {
            const Span dropped = points_[points_.size() - count - 1];
            body_.erase(dropped.begin, dropped.end - dropped.begin);
            points_.erase(points_.end() - static_cast<std::ptrdiff_t>(count) - 1);
            warn("dropped_cache_control");
        }
    }

    void warn(std::string_view word) { add_warning(warnings_, word); }
    std::vector<std::string>& warnings() { return warnings_; }

private:
    // Where a point stands in the body, with the comma before it.
    struct Span {
        std::size_t begin;
        std::size_t end;
    };

    Model model_;
    std::string body_;
    std::vector<Span> points_;
    std::vector<std::string> warnings_;
};

}  // namespace runnel::provider::bedrock
