#include "tools/builtin/html_text.hpp"

#include "base/ascii.hpp"
#include "base/is_in.hpp"
#include "tools/builtin/html_entities.hpp"

#include <algorithm>

namespace runnel::tools {
namespace {

// What is inside these is not for readers.
constexpr std::string_view hidden[] = {"script", "style",  "noscript", "template",
                                       "svg",    "iframe", "object",   "canvas",
                                       "math",   "select", "textarea"};
// An empty line stands before and behind these.
constexpr std::string_view paragraphs[] = {"p",     "h1",         "h2",      "h3",  "h4",
                                           "h5",    "h6",         "ul",      "ol",  "dl",
                                           "table", "blockquote", "article", "pre", "section"};
// These begin on a line of their own.
constexpr std::string_view lines[] = {
    "address", "aside",  "body",    "caption",  "center",     "dd",     "details",
    "dialog",  "div",    "dt",      "fieldset", "figcaption", "figure", "footer",
    "form",    "header", "hr",      "html",     "legend",     "li",     "main",
    "nav",     "option", "summary", "tbody",    "tfoot",      "thead",  "tr"};
// These do not run into their neighbours.
constexpr std::string_view cells[] = {"td", "th", "button", "label"};

constexpr std::size_t tag_name_bytes = 16;  // of the longest name that matters, and more

bool is_html_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Text with its white space as a reader sees it.
class Layout {
public:
    void add(std::string_view text) {
        for (const char c : text) {
            if (!is_html_space(c)) {
                put_pending();
                out_ += c;
            } else if (preformatted_ == 0) {
                space_ = true;
            } else if (c == '\n') {
                breaks_ = breaks_ + 1;
            } else if (c != '\r') {
                put_pending();
                out_ += c;
            }
        }
    }
    void space() { space_ = true; }
    // At least this many line breaks before what comes next.
    void break_line(int count) { breaks_ = std::max(breaks_, count); }
    void begin_preformatted() { ++preformatted_; }
    void end_preformatted() { preformatted_ = std::max(0, preformatted_ - 1); }

    std::string take() { return std::move(out_); }

private:
    void put_pending() {
        if (!out_.empty()) {
            if (breaks_ > 0) {
                out_.append(static_cast<std::size_t>(breaks_), '\n');
            } else if (space_) {
                out_ += ' ';
            }
        }
        breaks_ = 0;
        space_ = false;
    }

    std::string out_;
    bool space_ = false;
    int breaks_ = 0;
    int preformatted_ = 0;
};

class PageReader {
public:
    explicit PageReader(std::string_view html) : rest_(html) {}

    PageText read() {
        while (!rest_.empty()) {
            const std::size_t tag = std::min(rest_.find('<'), rest_.size());
            add_text(take(tag));
            if (!rest_.empty()) read_markup();
        }
        return {title_.take(), body_.take()};
    }

private:
    std::string_view take(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    // Up to and with `end`, or all of it.
    void skip_past(std::string_view end) {
        const std::size_t at = rest_.find(end);
        take(at == std::string_view::npos ? at : at + end.size());
    }

    void add_text(std::string_view html) {
        decoded_.clear();
        append_decoded(decoded_, html);
        body_.add(decoded_);
    }

    void read_markup() {
        if (rest_.starts_with("<!--")) return skip_past("-->");
        if (rest_.starts_with("<!") || rest_.starts_with("<?")) return skip_past(">");
        const bool closing = rest_.starts_with("</");
        const std::size_t name_at = closing ? 2 : 1;
        if (rest_.size() <= name_at || !ascii::is_letter(rest_[name_at])) return add_text(take(1));
        take(name_at);
        std::string name;
        while (!rest_.empty() && !is_html_space(rest_[0]) && rest_[0] != '>' && rest_[0] != '/') {
            const char c = take(1)[0];
            if (name.size() < tag_name_bytes) name += ascii::lower(c);
        }
        skip_attributes();
        closing ? on_close(name) : on_open(name);
    }

    // A '>' in quotes does not end a tag.
    void skip_attributes() {
        char quote = 0;
        char before = 0;
        std::size_t at = 0;
        for (; at < rest_.size(); ++at) {
            const char c = rest_[at];
            if (quote != 0) {
                if (c == quote) quote = 0;
            } else if (c == '>') {
                break;
            } else if ((c == '"' || c == '\'') && before == '=') {
                quote = c;
            }
            if (!is_html_space(c)) before = c;
        }
        take(at + 1);
    }

    void on_open(std::string_view name) {
        if (is_in(name, hidden)) {
            take_content(name);
        } else if (name == "title") {
            decoded_.clear();
            append_decoded(decoded_, take_content(name));
            if (!title_seen_) title_.add(decoded_);
            title_seen_ = true;
        } else if (name == "br") {
            body_.break_line(1);
        } else {
            separate(name);
            if (name == "li") body_.add("-"), body_.space();
            if (name == "pre") body_.begin_preformatted();
        }
    }

    void on_close(std::string_view name) {
        if (name == "pre") body_.end_preformatted();
        separate(name);
    }

    void separate(std::string_view name) {
        if (is_in(name, paragraphs)) body_.break_line(2);
        if (is_in(name, lines)) body_.break_line(1);
        if (is_in(name, cells)) body_.space();
    }

    // What stands before the end tag of that name, which is taken too.
    std::string_view take_content(std::string_view name) {
        const std::string_view all = rest_;
        while (!rest_.empty()) {
            take(std::min(rest_.find("</"), rest_.size()));
            const std::string_view content = all.substr(0, all.size() - rest_.size());
            take(2);
            const std::string_view tag = rest_.substr(0, name.size());
            if (!std::ranges::equal(tag, name, {}, ascii::lower)) continue;
            const char behind = rest_.size() > name.size() ? rest_[name.size()] : '>';
            if (behind != '>' && behind != '/' && !is_html_space(behind)) continue;
            skip_past(">");
            return content;
        }
        return all;
    }

    std::string_view rest_;
    std::string decoded_;
    Layout body_;
    Layout title_;
    bool title_seen_ = false;
};

}  // namespace

PageText html_to_text(std::string_view html) { return PageReader(html).read(); }

}  // namespace runnel::tools
