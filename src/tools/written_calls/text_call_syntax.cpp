#include "tools/written_calls/text_call_syntax.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace runnel::tools {
namespace {

constexpr std::string_view call_tag = "<tool_call>";
constexpr std::string_view calls_tag = "<tool_calls>";
constexpr std::string_view call_end = "</tool_call>";
constexpr std::string_view calls_end = "</tool_calls>";
constexpr std::string_view tags[] = {call_tag, calls_tag, call_end, calls_end};

constexpr std::string_view mark = "`";
constexpr std::string_view fence = "```";
constexpr std::size_t language_bytes = 16;
constexpr std::size_t wraps_max = 4;

bool is_between(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == ';';
}

bool is_language(char c) { return ascii::is_alphanumeric(c) || c == '_' || c == '-'; }

}  // namespace

std::string_view TextCallSyntax::ticks_of(Wrap wrap) {
    return wrap == Wrap::code_mark ? mark : wrap == Wrap::code_fence ? fence : "";
}

TextCallSyntax::Step TextCallSyntax::take(char c) {
    switch (place_) {
        case Place::value: return take_in_value(c);
        case Place::ticks: return take_in_ticks(c);
        case Place::tag: return take_in_tag(c);
        case Place::language:
            if (is_language(c) && word_.size() < language_bytes) {
                word_ += c;
                return Step::more;
            }
            place_ = Place::between;
            break;
        case Place::between: break;
    }
    return take_between(c);
}

TextCallSyntax::Step TextCallSyntax::take_between(char c) {
    word_.clear();
    switch (c) {
        case '{':
        case '[':
            place_ = Place::value;
            json_ = TextCallJson(tools_);
            return take_in_value(c);
        case '<': place_ = Place::tag; return take_in_tag(c);
        case '`': place_ = Place::ticks; return take_in_ticks(c);
        default: break;
    }
    if (is_between(c)) return Step::more;
    // A tag that nobody closes was meant all the same.
    return tagged_ && !values_.empty() ? Step::whole_before : Step::refuted;
}

TextCallSyntax::Step TextCallSyntax::take_in_value(char c) {
    // Models break lines inside of strings, which JSON does not know.
    if (json_.in_string() && static_cast<unsigned char>(c) < ' ') {
        json::append_escaped(value_, std::string_view(&c, 1));
    } else {
        value_ += c;
    }
    const TextCallJson::Step step = json_.take(c);
    if (step == TextCallJson::Step::more) return Step::more;
    if (step == TextCallJson::Step::refuted) return Step::refuted;
    values_.push_back(std::exchange(value_, {}));
    place_ = Place::between;
    return wraps_.empty() ? Step::whole : Step::more;
}

// The ticks that close are known when they are as many as those that opened; the ones that open,
// when something else follows.
TextCallSyntax::Step TextCallSyntax::take_in_ticks(char c) {
    if (c == '`') {
        word_ += c;
        if (!wraps_.empty() && word_ == ticks_of(wraps_.back())) return close(wraps_.back());
        return word_.size() <= fence.size() ? Step::more : Step::refuted;
    }
    Step opened = Step::refuted;
    if (word_ == mark && !is_between(c)) opened = open(Wrap::code_mark, Place::between);
    if (word_ == fence) opened = open(Wrap::code_fence, Place::language);
    return opened == Step::more ? take(c) : opened;
}

TextCallSyntax::Step TextCallSyntax::take_in_tag(char c) {
    word_ += c;
    if (word_ == call_tag) return open(Wrap::call_tag, Place::between);
    if (word_ == calls_tag) return open(Wrap::calls_tag, Place::between);
    if (word_ == call_end) return close(Wrap::call_tag);
    if (word_ == calls_end) return close(Wrap::calls_tag);
    const auto may_be = [&](std::string_view tag) { return tag.starts_with(word_); };
    return std::ranges::any_of(tags, may_be) ? Step::more : Step::refuted;
}

TextCallSyntax::Step TextCallSyntax::open(Wrap wrap, Place next) {
    if (wraps_.size() == wraps_max) return Step::refuted;
    wraps_.push_back(wrap);
    tagged_ = tagged_ || wrap == Wrap::call_tag || wrap == Wrap::calls_tag;
    place_ = next;
    word_.clear();
    return Step::more;
}

TextCallSyntax::Step TextCallSyntax::close(Wrap wrap) {
    if (wraps_.empty() || wraps_.back() != wrap) return Step::refuted;
    wraps_.pop_back();
    place_ = Place::between;
    if (!wraps_.empty()) return Step::more;
    return values_.empty() ? Step::refuted : Step::whole;
}

}  // namespace runnel::tools
