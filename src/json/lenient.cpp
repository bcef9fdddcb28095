#include "json/lenient.hpp"

#include "base/limits.hpp"
#include "json/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace runnel::json {
namespace {

class Reader {
public:
    Reader(std::string_view text, Forgive forgive, std::string& out)
        : text_(text),
          forgive_(forgive),
          out_(out) {}

    bool read() { return value(limits::json_depth) == Found::yes; }
    std::size_t position() const { return at_; }

private:
    enum class Found {
        yes,
        no_more,  // the text ended before there was a value
        bad
    };

    Found value(std::size_t depth) {
        skip_space();
        if (at_end()) return Found::no_more;
        switch (text_[at_]) {
            case '{': return depth == 0 ? Found::bad : object(depth - 1);
            case '[': return depth == 0 ? Found::bad : array(depth - 1);
            case '"': return string();
            default: return scalar();
        }
    }

    Found object(std::size_t depth) {
        return container('}', [&] {
            if (text_[at_] != '"') return Found::bad;
            if (const Found key = string(); key != Found::yes) return key;
            skip_space();
            if (at_end()) return Found::no_more;
            if (text_[at_] != ':') return Found::bad;
            take();
            return value(depth);
        });
    }

    Found array(std::size_t depth) {
        return container(']', [&] { return value(depth); });
    }

    // At its opening bracket. `item` reads what stands between two commas.
    template <class Item>
    Found container(char closing, Item item) {
        take();
        bool first = true;
        for (bool after_comma = false;; after_comma = true) {
            skip_space();
            if (at_end()) return close(closing);
            if (text_[at_] == closing) {
                if (after_comma && forgive_ == Forgive::nothing) return Found::bad;
                take();
                return Found::yes;
            }
            const std::size_t before = out_.size();
            if (!std::exchange(first, false)) out_ += ',';
            const Found found = item();
            if (found == Found::bad) return found;
            if (found == Found::no_more) {
                out_.resize(before);
                return close(closing);
            }
            skip_space();
            if (at_end()) return close(closing);
            if (text_[at_] == closing) {
                take();
                return Found::yes;
            }
            if (text_[at_] != ',') return Found::bad;
            ++at_;
        }
    }

    Found close(char closing) {
        if (forgive_ != Forgive::end) return Found::bad;
        out_ += closing;
        return Found::yes;
    }

    Found string() {
        take();
        while (!at_end()) {
            const char c = text_[at_];
            if (c == '"') {
                take();
                return Found::yes;
            }
            if (c == '\\') {
                if (!escape()) return Found::bad;
            } else if (static_cast<unsigned char>(c) < 0x20) {
                if (forgive_ == Forgive::nothing) return Found::bad;
                append_escaped(out_, text_.substr(at_++, 1));
            } else {
                take();
            }
        }
        return close('"');
    }

    bool escape() {
        const std::string_view rest = text_.substr(at_);
        // A short one at the end of the text may have been cut; without it the string is whole.
        const bool cut =
            rest.size() == 1 || (rest[1] == 'u' && rest.size() < 6 &&
                                 std::ranges::all_of(rest.substr(2), [](unsigned char c) {
                                     return std::isxdigit(c) != 0;
                                 }));
        if (cut) {
            at_ = text_.size();
            return forgive_ == Forgive::end;
        }
        const std::size_t length = rest[1] == 'u' ? 6 : 2;
        if (escapes_are_legal(rest.substr(0, length))) {
            take(length);
            return true;
        }
        if (forgive_ == Forgive::nothing) return false;
        // A backslash that was meant as one, but for the quote that other languages escape.
        if (rest[1] != '\'') out_ += "\\\\";
        ++at_;
        return true;
    }

    // A number or a word: whatever there is up to the next bracket, comma or space.
    Found scalar() {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:]}[{\"", at_), text_.size());
        const std::string_view token = text_.substr(at_, end - at_);
        if (const std::string_view word = word_for(token); !word.empty()) {
            out_ += word;
        } else if (is_number(token)) {
            out_ += token;
        } else {
            return end == text_.size() && may_go_on(token) ? Found::no_more : Found::bad;
        }
        at_ = end;
        return Found::yes;
    }

    std::string_view word_for(std::string_view token) const {
        for (const std::string_view word : {"true", "false", "null"})
            if (token == word) return word;
        if (forgive_ == Forgive::nothing) return {};
        if (token == "True") return "true";
        if (token == "False") return "false";
        return token == "None" ? "null" : "";
    }

    static bool is_number(std::string_view token) {
        const auto digits = [&](std::string_view& rest) {
            const std::size_t count = std::min(rest.find_first_not_of("0123456789"), rest.size());
            const bool zero_first = count > 1 && rest.front() == '0';
            rest.remove_prefix(count);
            return std::pair(count, zero_first);
        };
        std::string_view rest = token;
        if (rest.starts_with('-')) rest.remove_prefix(1);
        if (const auto [count, zero_first] = digits(rest); count == 0 || zero_first) return false;
        if (rest.starts_with('.')) {
            rest.remove_prefix(1);
            if (digits(rest).first == 0) return false;
        }
        if (rest.starts_with('e') || rest.starts_with('E')) {
            rest.remove_prefix(1);
            if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
            if (digits(rest).first == 0) return false;
        }
        // As the parser would have it: what is passed on must be readable there.
        double finite = 0;
        return rest.empty() && token.size() <= limits::json_number_bytes &&
               std::from_chars(token.data(), token.data() + token.size(), finite).ec == std::errc();
    }

    // The beginning of a number or a word.
    static bool may_go_on(std::string_view token) {
        for (const std::string_view word : {"true", "false", "null", "True", "False", "None"})
            if (word.starts_with(token)) return true;
        for (const std::string_view rest : {"0", "+0"})
            if (is_number(std::string(token).append(rest))) return true;
        return false;
    }

    bool at_end() const { return at_ == text_.size(); }
    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    void take(std::size_t count = 1) {
        out_.append(text_, at_, count);
        at_ += count;
    }

    std::string_view text_;
    Forgive forgive_;
    std::string& out_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::size_t> read_value(std::string_view text, Forgive forgive, std::string& out) {
    const std::size_t before = out.size();
    Reader reader(text, forgive, out);
    if (reader.read()) return reader.position();
    out.resize(before);
    return std::nullopt;
}

}  // namespace runnel::json
