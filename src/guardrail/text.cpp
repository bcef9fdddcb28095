#include "guardrail/text.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <tuple>

namespace runnel::guardrail {
namespace {

using Action = GuardrailRule::Action;

constexpr std::size_t look_back_bytes = 1024;              // the longest of what needs confirming
constexpr std::uint64_t read_characters_max = 50'000'000;  // a quarter of a second
constexpr std::size_t forget_bytes = 64;  // at a time: moving the rest costs more than keeping it
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

bool cuts(Action action) { return action == Action::block || action == Action::decline; }

}  // namespace

GuardrailText::GuardrailText(std::shared_ptr<Scanner> scanner, GuardrailBits rules, Blocks blocks)
    : scanner_(std::move(scanner)),
      rules_(rules),
      holding_(rules & scanner_->matcher().holding()),
      blocks_(blocks),
      look_back_((rules & scanner_->matcher().looking_back()) != 0 ? look_back_bytes : 0) {}

void GuardrailText::add(std::string_view plain) {
    begin_piece();
    if (!cut_ && !scan(plain)) give_up();
    settle(Ending::no);
    if (!cut_ && original_.end() - shown_ > limits::guardrail_held_bytes) give_up();
}

void GuardrailText::add_last(std::string_view plain) {
    begin_piece();
    if (cut_) return;
    if (!scan(plain) || !scan_end()) give_up();
    settle(Ending::yes);
}

void GuardrailText::add_whole(std::string_view plain) {
    const auto finish = [&](View& view) {
        return view.stream.finish(scanner_.get(), rules_, &view.hits);
    };
    if (!scan(plain) || !finish(original_) || (normalized_ != nullptr && !finish(*normalized_)))
        give_up();
    if (!cut_) decide(Ending::yes);
    if (!cut_) release(original_.end(), Gaps::are_final);
}

void GuardrailText::begin_piece() {
    released_.clear();
    as_added_ = false;
    replaced_ = false;
    if (cut_) return;
    piece_ = original_.end();
}

bool GuardrailText::scan(std::string_view plain) {
    const auto scan_more = [&](View& view, std::string_view more) {
        return view.stream.scan(scanner_.get(), more, rules_, &view.hits);
    };
    const std::size_t changed = normalized_ != nullptr ? 0 : Normalization::first_changed(plain);
    original_.text += plain.substr(0, changed);
    if (!scan_more(original_, plain.substr(0, changed))) return false;
    const std::string_view rest = plain.substr(changed);
    if (rest.empty()) return true;
    if (normalized_ == nullptr) begin_normalized();
    const std::size_t before = normalized_->text.size();
    if (!normalized_->normalization.append(rest, original_.end(), normalized_->text,
                                           normalized_->end()))
        return false;
    original_.text += rest;
    return scan_more(original_, rest) &&
           scan_more(*normalized_, std::string_view(normalized_->text).substr(before));
}

bool GuardrailText::scan_end() {
    return original_.stream.scan_end(scanner_.get(), rules_, &original_.hits) &&
           (normalized_ == nullptr ||
            normalized_->stream.scan_end(scanner_.get(), rules_, &normalized_->hits));
}

// So far it reads as it is written.
void GuardrailText::begin_normalized() {
    normalized_ = std::make_unique<View>();
    normalized_->stream.go_on_from(original_.stream);
    normalized_->hits = original_.hits;
    normalized_->text = original_.text;
    normalized_->base = original_.base;
    normalized_->floor = original_.floor;
}

// Once nothing is under way in either view, what follows is the same to both.
void GuardrailText::end_normalized() {
    const auto is_idle = [&](const View& view) {
        return !view.text.empty() && view.hits.empty() &&
               unfinished(view, view.end(), rules_) == view.end();
    };
    const auto last = [](const View& view) {
        return character_before(view.text, view.text.size()).character;
    };
    if (is_idle(*normalized_) && is_idle(original_) && last(*normalized_) == last(original_))
        normalized_.reset();
}

void GuardrailText::settle(Ending ending) {
    if (!cut_) decide(ending);
    if (cut_) return;
    std::uint64_t held = hold(original_);
    if (normalized_ != nullptr) {
        const std::uint64_t held_normalized = hold(*normalized_);
        if (held_normalized < normalized_->end())
            held = std::min(held, normalized_->normalization.original_begin(held_normalized));
    }
    if (ending == Ending::yes) {
        release(original_.end(), Gaps::are_final);
    } else {
        release(held, Gaps::may_grow);
    }
    if (normalized_ != nullptr) end_normalized();
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
            all.push_back({view.normalization.original_end(hit.end), hit, &view});
        view.hits.clear();
    };
    add_all(original_);
    if (normalized_ == nullptr || normalized_->hits.empty()) return all;
    add_all(*normalized_);
    std::ranges::sort(all, {}, [&](const Candidate& candidate) {
        return std::tuple(candidate.end, candidate.hit.expression,
                          candidate.view == normalized_.get(), candidate.hit.end);
    });
    return all;
}

// What may need the next character waits for it.
void GuardrailText::decide(Ending ending) {
    if (original_.hits.empty() && (normalized_ == nullptr || normalized_->hits.empty())) return;
    const std::uint64_t read_limit = scanner_->reader().characters_read() + read_characters_max;
    for (const Candidate& candidate : candidates()) {
        const std::size_t number = candidate.hit.expression;
        const auto& expression = scanner_->matcher().expressions()[number];
        if (expression.confirms && candidate.hit.end == candidate.view->end() &&
            ending == Ending::no) {
            candidate.view->hits.push_back(candidate.hit);
        } else if (act_on(candidate) && std::ranges::find(found_, number) == found_.end()) {
            found_.push_back(number);
        }
        if (scanner_->reader().characters_read() > read_limit) give_up();
        if (cut_) return;
    }
}

// False: it was no match.
bool GuardrailText::act_on(const Candidate& candidate) {
    const auto& expression = scanner_->matcher().expressions()[candidate.hit.expression];
    const bool redacts = expression.action == Action::redact;
    std::uint64_t begin = candidate.end;
    if (redacts || expression.needs == Shape::Needs::whole) begin = find_begin(candidate);
    if (begin == nowhere) return false;
    if (redacts) {
        add_gap(begin, candidate);
    } else if (cuts(expression.action) && blocks_ == Blocks::cut) {
        begin = std::min(begin, hold_from(candidate.end));
        const View& view = *candidate.view;
        cut(begin < candidate.end ? begin : view.normalization.original_begin(view.floor));
    }
    return true;
}

// The first of the places where the match can have begun, as it is written.
std::uint64_t GuardrailText::find_begin(const Candidate& candidate) {
    const View& view = *candidate.view;
    const std::size_t number = candidate.hit.expression;
    const auto& expression = scanner_->matcher().expressions()[number];
    const std::size_t end = view.index(candidate.hit.end);
    std::uint64_t first = nowhere;
    scanner_->reader().read_back(
        view.text, end, view.index(view.floor), scanner_->match_of(number), [&](std::size_t begin) {
            if (!expression.confirms || expression.confirms({view.text, begin, end}))
                first = view.base + begin;
        });
    // Hyperscan knows better than the graph: then all that it may be is it.
    if (first == nowhere && expression.needs == Shape::Needs::ends) first = view.floor;
    return first == nowhere ? nowhere : view.normalization.original_begin(first);
}

// The first place where a match that is unfinished at `end` may have begun; `end` when there is
// none.
std::uint64_t GuardrailText::unfinished(const View& view, std::uint64_t end, GuardrailBits rules) {
    std::uint64_t first = end;
    if (rules == 0) return first;
    scanner_->reader().read_back(view.text, view.index(end), view.index(view.floor),
                                 scanner_->unfinished(rules),
                                 [&](std::size_t begin) { first = view.base + begin; });
    return first;
}

// The same in both views, for places as they are written.
std::uint64_t GuardrailText::hold_from(std::uint64_t end) {
    const std::uint64_t first = unfinished(original_, end, holding_);
    if (normalized_ == nullptr) return first;
    const std::uint64_t normalized_end = normalized_->normalization.normalized_at(end);
    const std::uint64_t first_normalized = unfinished(*normalized_, normalized_end, holding_);
    return first_normalized < normalized_end
               ? std::min(first, normalized_->normalization.original_begin(first_normalized))
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
    if (gaps_.empty() && shown_ == piece_ && limit == original_.end()) {
        as_added_ = limit > piece_;
        shown_ = limit;
        return;
    }
    const auto show_up_to = [&](std::uint64_t end) {
        if (end <= shown_) return;
        released_.append(original_.text, original_.index(shown_),
                         static_cast<std::size_t>(end - shown_));
        shown_ = end;
    };
    std::size_t done = 0;
    for (; done < gaps_.size() && gaps_[done].begin < limit; ++done) {
        const Gap& gap = gaps_[done];
        show_up_to(gap.begin);
        released_ += '[';
        released_ += scanner_->matcher().expressions()[gap.expression].category;
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
    original_.text.clear();
    normalized_.reset();
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
        view.normalization.forget_before(view.base);
    };
    forget_before(original_, std::min(shown_, original_.floor));
    if (normalized_ != nullptr) forget_before(*normalized_, normalized_->floor);
}

}  // namespace runnel::guardrail
