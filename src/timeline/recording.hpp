#pragma once

#include "timeline/event.hpp"

#include <algorithm>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace runnel::timeline {

// A timeline kept for later: owns the text of its events, and tells them again.
class Recording final : public Sink {
public:
    Recording() = default;
    Recording(const Recording& other) { other.replay(this); }
    Recording(Recording&&) = default;
    Recording& operator=(const Recording& other) { return *this = Recording(other); }
    Recording& operator=(Recording&&) = default;
    ~Recording() override = default;

    void on(const Event& event) override;
    void replay(Sink* to) const;
    bool empty() const { return events_.empty(); }
    const std::vector<Event>& events() const { return events_; }
    void clear();
    // Forgets all but the first so many; their texts stay until it goes.
    void shorten(std::size_t events) { events_.resize(std::min(events, events_.size())); }
    // About the memory that it takes.
    std::size_t bytes() const { return kept_bytes_ + events_.size() * sizeof(Event); }
    std::size_t held_bytes() const override { return bytes(); }

private:
    void keep(std::string_view& text);
    void keep(std::span<const TokenLogprob>& tokens);
    // `text` has room for all that is in them.
    void keep_in(std::string& text, std::span<const TokenLogprob>& tokens);

    std::vector<Event> events_;
    // Lists: what is in them stays where it is.
    std::list<std::string> texts_;
    std::list<std::vector<TokenLogprob>> tokens_;
    std::size_t kept_bytes_ = 0;  // of both
};

}  // namespace runnel::timeline
