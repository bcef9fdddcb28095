#include "policy/guardrail_text.hpp"

#include "base/limits.hpp"

#include <algorithm>

namespace runnel::policy {
namespace {

using Action = GuardrailRule::Action;

constexpr std::size_t look_back_bytes = 1024;              // the longest of what needs confirming
constexpr std::uint64_t read_characters_max = 50'000'000;  // a quarter of a second
constexpr std::size_t forget_bytes = 64;  // at a time: moving the rest costs more than keeping it
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

bool cuts(Action action) { return action == Action::block || action == Action::decline; }

}  // namespace

GuardrailText::GuardrailText(std::shared_ptr<MatcherSeat> seat, GuardrailBits rules, Blocks blocks)
    : seat_(std::move(seat)),
      rules_(rules),
      holding_(rules & seat_->matcher().holding()),
      blocks_(blocks),
      look_back_((rules & seat_->matcher().looking_back()) != 0 ? look_back_bytes : 0) {}

void GuardrailText::add(std::string_view plain) {
    take(plain);
    if (!cut_ && !stream_.scan(seat_.get(), plain, rules_, &hits_)) give_up();
    settle(Ending::no);
    if (!cut_ && text_end() - shown_ > limits::guardrail_held_bytes) give_up();
}

void GuardrailText::add_last(std::string_view plain) {
    take(plain);
    if (cut_) return;
    if (!stream_.scan(seat_.get(), plain, rules_, &hits_) ||
        !stream_.scan_end(seat_.get(), rules_, &hits_))
        give_up();
    settle(Ending::yes);
}

void GuardrailText::take(std::string_view plain) {
    released_.clear();
    as_added_ = false;
    replaced_ = false;
    if (cut_) return;
    piece_ = text_end();
    text_ += plain;
}

void GuardrailText::settle(Ending ending) {
    if (!cut_ && !hits_.empty()) decide(ending);
    if (cut_) return;
    const std::uint64_t hold = hold_from(text_end());
    if (ending == Ending::yes) {
        release(text_end(), Gaps::are_final);
    } else {
        release(hold, Gaps::may_grow);
    }
    const std::uint64_t old = text_end() - std::min<std::uint64_t>(text_end(), look_back_);
    floor_ = std::max(floor_, look_back_ > 0 ? std::min(hold, old) : hold);
    forget_old_text();
}

// Matches are looked at in the order in which they end, so that the first one that cuts the text
// off is the same however it came. What may need the next character waits for it.
void GuardrailText::decide(Ending ending) {
    std::ranges::sort(hits_);
    const auto repeated = std::ranges::unique(hits_);
    hits_.erase(repeated.begin(), repeated.end());
    const std::uint64_t read_limit = seat_->reader().characters_read() + read_characters_max;
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < hits_.size() && !cut_; ++i) {
        const MatchStream::Hit hit = hits_[i];
        const auto& expression = seat_->matcher().expressions()[hit.expression];
        if (needs_next_character(expression.confirmation) && hit.end == text_end() &&
            ending == Ending::no) {
            hits_[waiting++] = hit;
        } else if (act_on(hit) && std::ranges::find(found_, hit.expression) == found_.end()) {
            found_.push_back(hit.expression);
        }
        if (seat_->reader().characters_read() > read_limit) give_up();
    }
    hits_.resize(waiting);
}

// False: it was no match.
bool GuardrailText::act_on(const MatchStream::Hit& hit) {
    const auto& expression = seat_->matcher().expressions()[hit.expression];
    const bool redacts = expression.action == Action::redact;
    std::uint64_t begin = hit.end;
    if (redacts || expression.confirmation != Confirmation::none) begin = find_begin(hit);
    if (begin == nowhere) return false;
    if (redacts) {
        add_gap(begin, hit);
    } else if (cuts(expression.action) && blocks_ == Blocks::cut) {
        begin = std::min(begin, hold_from(hit.end));
        cut(begin < hit.end ? begin : floor_);
    }
    return true;
}

// The first of the places where the match can have begun.
std::uint64_t GuardrailText::find_begin(const MatchStream::Hit& hit) {
    const auto& expression = seat_->matcher().expressions()[hit.expression];
    const std::size_t end = index(hit.end);
    std::uint64_t first = nowhere;
    seat_->reader().read_back(text_, end, index(floor_), seat_->match_of(hit.expression),
                              [&](std::size_t begin) {
                                  if (confirms(expression, begin, end)) first = base_ + begin;
                              });
    // Hyperscan knows better than the graph: then all that it may be is it.
    if (first == nowhere && expression.confirmation == Confirmation::none) return floor_;
    return first;
}

bool GuardrailText::confirms(const GuardrailMatcher::Expression& expression, std::size_t begin,
                             std::size_t end) const {
    const PlacedMatch match{text_, begin, end};
    switch (expression.confirmation) {
        case Confirmation::none:
        case Confirmation::shape: return true;
        case Confirmation::whole_word: return is_whole_word(match);
        case Confirmation::email: return is_email(match);
        case Confirmation::phone:
            return is_phone(match, expression.pii->least_digits, expression.pii->most_digits);
        case Confirmation::card: return is_card(match);
        case Confirmation::iban: return is_iban(match);
    }
    return true;
}

// The first place where a match that is unfinished at `end` may have begun; `end` when there is
// none.
std::uint64_t GuardrailText::hold_from(std::uint64_t end) {
    std::uint64_t first = end;
    if (holding_ == 0) return first;
    seat_->reader().read_back(text_, index(end), index(floor_), seat_->unfinished(holding_),
                              [&](std::size_t begin) { first = base_ + begin; });
    return first;
}

// Stretches that overlap become one, which is called after the match that begins first.
void GuardrailText::add_gap(std::uint64_t begin, const MatchStream::Hit& hit) {
    Gap gap{begin, hit.end, begin, hit.end, hit.expression};
    while (!gaps_.empty() && gaps_.back().end > gap.begin) {
        const Gap& other = gaps_.back();
        const bool other_first =
            other.name_begin < gap.name_begin ||
            (other.name_begin == gap.name_begin && other.name_end >= gap.name_end);
        if (other_first) {
            gap.name_begin = other.name_begin;
            gap.name_end = other.name_end;
            gap.expression = other.expression;
        }
        gap.begin = std::min(gap.begin, other.begin);
        gap.end = std::max(gap.end, other.end);
        gaps_.pop_back();
    }
    if (gap.end > shown_) gaps_.push_back(gap);
}

void GuardrailText::release(std::uint64_t limit, Gaps gaps) {
    if (gaps == Gaps::may_grow)
        for (const Gap& gap : gaps_)
            if (gap.begin < limit && gap.end > limit) limit = std::max(gap.begin, shown_);
    if (limit <= shown_) return;
    if (gaps_.empty() && shown_ == piece_ && limit == text_end()) {
        as_added_ = limit > piece_;
        shown_ = limit;
        return;
    }
    const auto show_up_to = [&](std::uint64_t end) {
        if (end <= shown_) return;
        released_.append(text_, index(shown_), static_cast<std::size_t>(end - shown_));
        shown_ = end;
    };
    std::size_t done = 0;
    for (; done < gaps_.size() && gaps_[done].begin < limit; ++done) {
        const Gap& gap = gaps_[done];
        show_up_to(gap.begin);
        released_ += '[';
        released_ += seat_->matcher().expressions()[gap.expression].category;
        released_ += ']';
        replaced_ = true;
        shown_ = std::max(shown_, std::min(gap.end, limit));
    }
    gaps_.erase(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(done));
    show_up_to(limit);
}

void GuardrailText::cut(std::uint64_t at) {
    release(at, Gaps::are_final);
    cut_ = true;
    text_.clear();
}

void GuardrailText::give_up() {
    gave_up_ = true;
    cut_ = true;
}

// All but the character before what may still matter: some matches must know it.
void GuardrailText::forget_old_text() {
    std::size_t old = index(std::min(shown_, floor_));
    if (old > 0) old = character_before(text_, old).end;
    if (old < forget_bytes) return;
    text_.erase(0, old);
    base_ += old;
}

}  // namespace runnel::policy
