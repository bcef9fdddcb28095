#include "tools/written_calls/text_call_scanner.hpp"

#include "base/limits.hpp"
#include "json/text.hpp"

#include <utility>

namespace runnel::tools {
namespace {

using Step = TextCallSyntax::Step;

constexpr std::size_t held_bytes_max = limits::tool_arguments_bytes;
constexpr int ticks_of_fence = 3;

// One byte, or one escape, at the start of the text.
std::string_view first_unit(std::string_view escaped) {
    if (escaped.front() != '\\') return escaped.substr(0, 1);
    return escaped.substr(0, escaped.starts_with("\\u") ? 6 : 2);
}

// What it stands for: one byte, unless it is the escape of a longer character.
std::string meaning_of(std::string_view unit) {
    std::string plain;
    json::append_unescaped(plain, unit);
    return plain;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void TextCallScanner::feed(std::string_view escaped, const Listener& to) {
    std::size_t told = 0;  // up to here
    const auto tell_until = [&](std::size_t end) {
        if (end > told) to.on_text(escaped.substr(told, end - told));
        told = end;
    };
    for (std::size_t at = 0; at < escaped.size();) {
        const std::string_view unit = first_unit(escaped.substr(at));
        const std::string plain = meaning_of(unit);
        const char c = plain.front();
        if (!syntax_ && may_begin(c)) {
            tell_until(at);
            syntax_.emplace(tools_);
        }
        if (syntax_) {
            const Step step = take(plain);
            if (step == Step::refuted || step == Step::whole_before) {
                step == Step::refuted ? release(to) : conclude(to);
                told = at;  // this unit is looked at again
                continue;
            }
            held_ += unit;
            told = at += unit.size();
            if (step == Step::whole) conclude(to);
            if (held_.size() > held_bytes_max) release(to);
            continue;
        }
        if (in_space_ && is_space(c) && space_.size() < held_bytes_max) {
            space_ += unit;
            told = at += unit.size();
            continue;
        }
        if (std::exchange(in_space_, false) && !space_.empty())
            to.on_text(std::exchange(space_, {}));
        note(c);
        at += unit.size();
    }
    tell_until(escaped.size());
}

void TextCallScanner::finish(const Listener& to) {
    if (syntax_ && syntax_->ends_well()) conclude(to);
    if (syntax_) release(to);
    if (!called_ && !space_.empty()) to.on_text(space_);
    *this = TextCallScanner(tools_);
}

// Of a longer character only the first byte can be one too many.
Step TextCallScanner::take(std::string_view plain) {
    Step step = Step::more;
    for (const char c : plain)
        if (step == Step::more) step = syntax_->take(c);
    return step;
}

bool TextCallScanner::may_begin(char c) const {
    if (in_fence_ || !TextCallSyntax::may_begin_with(c)) return false;
    if (c != '{' && c != '[') return true;
    const auto [before, last] = last_;
    const bool inside_of_json = last == '[' || (last == ':' && before == '"') ||
                                (last == ',' && (before == '}' || before == ']'));
    return !inside_of_json;
}

void TextCallScanner::note(char c) {
    if (!is_space(c)) last_ = {last_[1], c};
    ticks_ = c == '`' ? ticks_ + 1 : 0;
    if (ticks_ == ticks_of_fence) in_fence_ = !in_fence_;
}

void TextCallScanner::release(const Listener& to) {
    syntax_.reset();
    in_space_ = false;
    const std::string text = std::exchange(space_, {}) + std::exchange(held_, {});
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view unit = first_unit(rest);
        note(meaning_of(unit).front());
        rest.remove_prefix(unit.size());
    }
    to.on_text(text);
}

void TextCallScanner::conclude(const Listener& to) {
    std::vector<WrittenCall> calls;
    for (const std::string& value : syntax_->values()) {
        auto read = read_written_calls(value);
        if (!read) return release(to);
        for (WrittenCall& call : *read) {
            if (!call.arguments && !syntax_->is_tagged()) return release(to);
            calls.push_back(std::move(call));
        }
    }
    syntax_.reset();
    held_.clear();
    space_.clear();
    in_space_ = true;
    called_ = true;
    for (const WrittenCall& call : calls) to.on_call(call);
}

}  // namespace runnel::tools
