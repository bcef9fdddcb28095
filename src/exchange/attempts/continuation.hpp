#pragma once

#include "timeline/event.hpp"

#include <string>
#include <string_view>

namespace runnel::exchange {

// What the client has seen of an answer, as far as that can be gone on with after it broke off:
// text of one choice and nothing else, up to a bound.
class SeenText {
public:
    void on(const timeline::Event& event);
    bool can_go_on() const { return only_text_ && !text_.empty(); }
    std::string_view text() const { return text_; }

private:
    std::string text_;  // unescaped
    bool only_text_ = true;
};

// A second telling of an answer that broke off: swallows what the client has seen as long as it is
// repeated byte for byte, and passes on what follows. With the first difference nothing passes any
// more.
class Continuation final : public timeline::Sink {
public:
    // `seen` is copied; `to` must outlive this.
    Continuation(std::string_view seen, timeline::Sink* to);

    void on(const timeline::Event& event) override;
    bool differs() const { return differs_; }
    // All of it was repeated.
    bool caught_up() const { return repeated_ == seen_.size(); }

private:
    void on_text(const timeline::Text& event);

    std::string seen_;
    std::size_t repeated_ = 0;
    timeline::Sink* to_;
    bool differs_ = false;
};

}  // namespace runnel::exchange
