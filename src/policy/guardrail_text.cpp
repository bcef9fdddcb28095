#include "policy/guardrail_text.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <tuple>

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
    begin_piece();
    if (!cut_ && !scan(plain)) give_up();
    settle(Ending::no);
    if (!cut_ && written_.end() - shown_ > limits::guardrail_held_bytes) give_up();
}

void GuardrailText::add_last(std::string_view plain) {
    begin_piece();
    if (cut_) return;
    if (!scan(plain) || !scan_end()) give_up();
    settle(Ending::yes);
}

void GuardrailText::add_whole(std::string_view plain) {
    const auto finish = [&](View& view) {
        return view.stream.finish(seat_.get(), rules_, &view.hits);
    };
    if (!scan(plain) || !finish(written_) || (read_ != nullptr && !finish(*read_))) give_up();
    if (!cut_) decide(Ending::yes);
    if (!cut_) release(written_.end(), Gaps::are_final);
}

void GuardrailText::begin_piece() {
    released_.clear();
    as_added_ = false;
    replaced_ = false;
    if (cut_) return;
    piece_ = written_.end();
}

bool GuardrailText::scan(std::string_view plain) {
    const auto scan_more = [&](View& view, std::string_view more) {
        return view.stream.scan(seat_.get(), more, rules_, &view.hits);
    };
    const std::size_t odd = read_ != nullptr ? 0 : GuardrailReading::first_odd(plain);
    written_.text += plain.substr(0, odd);
    if (!scan_more(written_, plain.substr(0, odd))) return false;
    const std::string_view rest = plain.substr(odd);
    if (rest.empty()) return true;
    if (read_ == nullptr) begin_reading();
    const std::size_t before = read_->text.size();
    if (!read_->reading.append(rest, written_.end(), read_->text, read_->end())) return false;
    written_.text += rest;
    return scan_more(written_, rest) &&
           scan_more(*read_, std::string_view(read_->text).substr(before));
}

bool GuardrailText::scan_end() {
    return written_.stream.scan_end(seat_.get(), rules_, &written_.hits) &&
           (read_ == nullptr || read_->stream.scan_end(seat_.get(), rules_, &read_->hits));
}

// So far it reads as it is written.
void GuardrailText::begin_reading() {
    read_ = std::make_unique<View>();
    read_->stream.go_on_from(written_.stream);
    read_->hits = written_.hits;
    read_->text = written_.text;
    read_->base = written_.base;
    read_->floor = written_.floor;
}

// Once nothing is under way in either view, what follows is the same to both.
void GuardrailText::end_reading() {
    const auto is_idle = [&](const View& view) {
        return !view.text.empty() && view.hits.empty() &&
               unfinished(view, view.end(), rules_) == view.end();
    };
    const auto last = [](const View& view) {
        return character_before(view.text, view.text.size()).character;
    };
    if (is_idle(*read_) && is_idle(written_) && last(*read_) == last(written_)) read_.reset();
}

void GuardrailText::settle(Ending ending) {
    if (!cut_) decide(ending);
    if (cut_) return;
    std::uint64_t held = hold(written_);
    if (read_ != nullptr) {
        const std::uint64_t held_as_read = hold(*read_);
        if (held_as_read < read_->end())
            held = std::min(held, read_->reading.written_begin(held_as_read));
    }
    if (ending == Ending::yes) {
        release(written_.end(), Gaps::are_final);
    } else {
        release(held, Gaps::may_grow);
    }
    if (read_ != nullptr) end_reading();
    forget_old_text();
}

// From where on the view holds the text; no match can begin before.
std::uint64_t GuardrailText::hold(View& view) {
    const std::uint64_t held = unfinished(view, view.end(), holding_);
    const std::uint64_t old = view.end() - std::min<std::uint64_t>(view.end(), look_back_);
    view.floor = std::max(view.floor, look_back_ > 0 ? std::min(held, old) : held);
    return held;
}

// In the order in which they end, so that the first one that cuts the text off is the same however
// it came.
std::vector<GuardrailText::Candidate> GuardrailText::candidates() {
    std::vector<Candidate> all;
    const auto add_all = [&](View& view) {
        std::ranges::sort(view.hits);
        const auto repeated = std::ranges::unique(view.hits);
        view.hits.erase(repeated.begin(), repeated.end());
        for (const MatchStream::Hit& hit : view.hits)
            all.push_back({view.reading.written_end(hit.end), hit, &view});
        view.hits.clear();
    };
    add_all(written_);
    if (read_ == nullptr || read_->hits.empty()) return all;
    add_all(*read_);
    std::ranges::sort(all, {}, [&](const Candidate& candidate) {
        return std::tuple(candidate.end, candidate.hit.expression, candidate.view == read_.get(),
                          candidate.hit.end);
    });
    return all;
}

// What may need the next character waits for it.
void GuardrailText::decide(Ending ending) {
    if (written_.hits.empty() && (read_ == nullptr || read_->hits.empty())) return;
    const std::uint64_t read_limit = seat_->reader().characters_read() + read_characters_max;
    for (const Candidate& candidate : candidates()) {
        const std::size_t number = candidate.hit.expression;
        const auto& expression = seat_->matcher().expressions()[number];
        if (needs_next_character(expression.confirmation) &&
            candidate.hit.end == candidate.view->end() && ending == Ending::no) {
            candidate.view->hits.push_back(candidate.hit);
        } else if (act_on(candidate) && std::ranges::find(found_, number) == found_.end()) {
            found_.push_back(number);
        }
        if (seat_->reader().characters_read() > read_limit) give_up();
        if (cut_) return;
    }
}

// False: it was no match.
bool GuardrailText::act_on(const Candidate& candidate) {
    const auto& expression = seat_->matcher().expressions()[candidate.hit.expression];
    const bool redacts = expression.action == Action::redact;
    std::uint64_t begin = candidate.end;
    if (redacts || expression.confirmation != Confirmation::none) begin = find_begin(candidate);
    if (begin == nowhere) return false;
    if (redacts) {
        add_gap(begin, candidate);
    } else if (cuts(expression.action) && blocks_ == Blocks::cut) {
        begin = std::min(begin, hold_from(candidate.end));
        const View& view = *candidate.view;
        cut(begin < candidate.end ? begin : view.reading.written_begin(view.floor));
    }
    return true;
}

// The first of the places where the match can have begun, as it is written.
std::uint64_t GuardrailText::find_begin(const Candidate& candidate) {
    const View& view = *candidate.view;
    const std::size_t number = candidate.hit.expression;
    const auto& expression = seat_->matcher().expressions()[number];
    const std::size_t end = view.index(candidate.hit.end);
    std::uint64_t first = nowhere;
    seat_->reader().read_back(view.text, end, view.index(view.floor), seat_->match_of(number),
                              [&](std::size_t begin) {
                                  if (confirms(expression, {view.text, begin, end}))
                                      first = view.base + begin;
                              });
    // Hyperscan knows better than the graph: then all that it may be is it.
    if (first == nowhere && expression.confirmation == Confirmation::none) first = view.floor;
    return first == nowhere ? nowhere : view.reading.written_begin(first);
}

bool GuardrailText::confirms(const GuardrailMatcher::Expression& expression,
                             const PlacedMatch& match) const {
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
std::uint64_t GuardrailText::unfinished(const View& view, std::uint64_t end, GuardrailBits rules) {
    std::uint64_t first = end;
    if (rules == 0) return first;
    seat_->reader().read_back(view.text, view.index(end), view.index(view.floor),
                              seat_->unfinished(rules),
                              [&](std::size_t begin) { first = view.base + begin; });
    return first;
}

// The same in both views, for places as they are written.
std::uint64_t GuardrailText::hold_from(std::uint64_t end) {
    const std::uint64_t first = unfinished(written_, end, holding_);
    if (read_ == nullptr) return first;
    const std::uint64_t seen_end = read_->reading.seen_at(end);
    const std::uint64_t first_seen = unfinished(*read_, seen_end, holding_);
    return first_seen < seen_end ? std::min(first, read_->reading.written_begin(first_seen))
                                 : first;
}

// Stretches that overlap become one, which is called after the match that begins first; of those
// the longest, of those the first in the list.
void GuardrailText::add_gap(std::uint64_t begin, const Candidate& candidate) {
    Gap gap{begin, candidate.end, begin, candidate.end, candidate.hit.expression};
    std::erase_if(gaps_, [&](const Gap& other) {
        if (other.end <= begin || other.begin >= candidate.end) return false;
        const bool other_first =
            other.name_begin < gap.name_begin ||
            (other.name_begin == gap.name_begin &&
             (other.name_end > gap.name_end ||
              (other.name_end == gap.name_end && other.expression < gap.expression)));
        if (other_first) {
            gap.name_begin = other.name_begin;
            gap.name_end = other.name_end;
            gap.expression = other.expression;
        }
        gap.begin = std::min(gap.begin, other.begin);
        gap.end = std::max(gap.end, other.end);
        return true;
    });
    if (gap.end > shown_)
        gaps_.insert(std::ranges::upper_bound(gaps_, gap.begin, {}, &Gap::begin), gap);
}

void GuardrailText::release(std::uint64_t limit, Gaps gaps) {
    if (gaps == Gaps::may_grow)
        for (const Gap& gap : gaps_)
            if (gap.begin < limit && gap.end > limit) limit = std::max(gap.begin, shown_);
    if (limit <= shown_) return;
    if (gaps_.empty() && shown_ == piece_ && limit == written_.end()) {
        as_added_ = limit > piece_;
        shown_ = limit;
        return;
    }
    const auto show_up_to = [&](std::uint64_t end) {
        if (end <= shown_) return;
        released_.append(written_.text, written_.index(shown_),
                         static_cast<std::size_t>(end - shown_));
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
    written_.text.clear();
    read_.reset();
}

void GuardrailText::give_up() {
    gave_up_ = true;
    cut_ = true;
}

// All but the character before what may still matter: some matches must know it.
void GuardrailText::forget_old_text() {
    const auto forget_before = [](View& view, std::uint64_t place) {
        std::size_t old = view.index(place);
        if (old > 0) old = character_before(view.text, old).end;
        if (old < forget_bytes) return;
        view.text.erase(0, old);
        view.base += old;
        view.reading.forget_before(view.base);
    };
    forget_before(written_, std::min(shown_, written_.floor));
    if (read_ != nullptr) forget_before(*read_, read_->floor);
}

}  // namespace runnel::policy
