#pragma once

#include "guardrail/matcher.hpp"
#include "guardrail/normalization.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// One text that arrives in pieces, scanned by some rules. Of what has arrived it releases all that
// can't be part of a match any more, at once, and holds the rest: from the first place where a
// match that is still unfinished may have begun. What it releases in the end, and where it cuts the
// text off, does not depend on the pieces.
//
// It is looked at as it is written, and also normalized (normalization.hpp) where that is something
// else.
class GuardrailText {
public:
    // What is done about a match of a rule that blocks: no more of the text is released, or it is
    // only noted, because nothing has been shown to anybody yet.
    enum class Blocks { cut, note };

    // The rules must be some of the scanner's. Rules that only log hold nothing.
    GuardrailText(std::shared_ptr<Scanner> scanner, GuardrailBits rules, Blocks blocks);

    // More of the text, in whole characters of UTF-8.
    void add(std::string_view plain);
    // The same, and then something else follows, or nothing: all that is no match is released.
    // Should the text go on after all, so does a match, though its beginning is out.
    void add_last(std::string_view plain);
    // All of the text: nothing came before it, and nothing follows.
    void add_whole(std::string_view plain);

    // By the last call: what is released, unless that is just what was added. A view, until the
    // next call.
    std::string_view released() const { return released_; }
    bool released_as_added() const { return as_added_; }
    // How much of the text, as it came, has been released or replaced, and whether the last call
    // replaced anything.
    std::uint64_t released_until() const { return shown_; }
    bool replaced() const { return replaced_; }

    // A rule that blocks has found something, or nobody can say in time whether one would.
    bool is_cut() const { return cut_; }
    bool gave_up() const { return gave_up_; }
    // Which of the matcher's expressions have matched; each once.
    const std::vector<std::size_t>& found() const { return found_; }

private:
    struct Gap {  // a stretch of the text that is replaced
        std::uint64_t begin;
        std::uint64_t end;
        std::uint64_t name_begin;  // of the match that it is named after
        std::uint64_t name_end;
        std::size_t expression;
    };
    enum class Ending { no, yes };
    enum class Gaps { may_grow, are_final };

    // One way to look at the text. Places are counted in bytes from the beginning of the text, or
    // of how it reads.
    struct View {
        MatchStream stream{};
        MatchStream::Hits hits{};       // that are not decided yet
        std::string text{};             // what of it may still matter
        std::uint64_t base = 0;         // where `text` begins
        std::uint64_t floor = 0;        // no match can begin before this
        Normalization normalization{};  // of the normalized one

        std::uint64_t end() const { return base + text.size(); }
        std::size_t index(std::uint64_t at) const { return static_cast<std::size_t>(at - base); }
    };
    struct Candidate {      // for a match
        std::uint64_t end;  // as it is written
        MatchStream::Hit hit;
        View* view;
    };

    void begin_piece();
    bool scan(std::string_view plain);
    bool scan_end();
    void begin_normalized();
    void end_normalized();
    void settle(Ending ending);
    std::uint64_t hold(View& view);
    std::vector<Candidate> candidates();
    void decide(Ending ending);
    bool act_on(const Candidate& candidate);
    std::uint64_t find_begin(const Candidate& candidate);
    std::uint64_t unfinished(const View& view, std::uint64_t end, GuardrailBits rules);
    std::uint64_t hold_from(std::uint64_t end);
    void add_gap(std::uint64_t begin, const Candidate& candidate);
    void release(std::uint64_t limit, Gaps gaps);
    void cut(std::uint64_t at);
    void give_up();
    void forget_old_text();

    std::shared_ptr<Scanner> scanner_;
    GuardrailBits rules_;
    GuardrailBits holding_;  // of the rules, those that must see a match before anybody else
    Blocks blocks_;
    std::size_t look_back_;  // bytes that rules which only log may need once more
    View original_;
    std::unique_ptr<View> normalized_;  // as long as it makes a difference

    // Places in the text as it is written.
    std::uint64_t piece_ = 0;  // where the last piece begins
    std::uint64_t shown_ = 0;  // up to here it has been released
    std::vector<Gap> gaps_;    // not released yet, in order

    std::string released_;
    bool as_added_ = false;
    bool replaced_ = false;
    bool cut_ = false;
    bool gave_up_ = false;
    std::vector<std::size_t> found_;
};

}  // namespace runnel::guardrail
