#pragma once

#include "timeline/event.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <vector>

namespace runnel::timeline {

// A timeline kept for later: owns the text of its events, and tells them again.
class Recording final : public Sink {
public:
    void on(const Event& event) override;
    void replay(Sink* to) const;
    bool empty() const { return events_.empty(); }
    const std::vector<Event>& events() const { return events_; }
    void clear();
    // Forgets all but the first so many; their texts stay until it goes.
    void shorten(std::size_t events) { events_.resize(std::min(events, events_.size())); }
    // About the memory that it takes.
    std::size_t bytes() const { return text_bytes_ + events_.size() * sizeof(Event); }
    std::size_t held_bytes() const override { return bytes(); }

private:
    std::string_view keep(std::string_view text);

    std::vector<Event> events_;
    std::list<std::string> texts_;  // a list: what is in it stays where it is
    std::size_t text_bytes_ = 0;
};

}  // namespace runnel::timeline
