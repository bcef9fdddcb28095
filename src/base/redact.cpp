#include "base/redact.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel {
namespace {

constexpr std::size_t key_bytes_min = 6;  // behind its prefix; "sk-learn" is none

bool is_word_char(char c) { return ascii::is_alphanumeric(c) || c == '_' || c == '-'; }

// Base64 and its variants, and the dots of a JWT.
bool is_key_char(char c) { return is_word_char(c) || std::string_view("+/=.~").contains(c); }

bool ends_with_ignoring_case(std::string_view text, std::string_view ending) {
    return text.size() >= ending.size() &&
           std::ranges::equal(text.substr(text.size() - ending.size()), ending, {}, ascii::lower);
}

std::size_t key_prefix_size(std::string_view word) {
    constexpr std::string_view prefixes[] = {
        "sk-", "sk_", "pk-", "pk_",  "rk-",   "rk_",  "gsk_", "csk-",   "xai-",   "AIza", "AKIA",
        "hf_", "fw_", "r8_", "tgp_", "pplx-", "key-", "ghp_", "glpat-", "nvapi-", "eyJ"};
    for (const std::string_view prefix : prefixes)
        if (word.starts_with(prefix)) return prefix.size();
    return 0;
}

bool is_scheme(std::string_view word) {
    constexpr std::string_view schemes[] = {"bearer", "basic"};
    return std::ranges::any_of(schemes, [&](std::string_view scheme) {
        return word.size() == scheme.size() && ends_with_ignoring_case(word, scheme);
    });
}

bool is_secrets_name(std::string_view word) {
    constexpr std::string_view endings[] = {"key",    "token",         "secret", "password",
                                            "passwd", "authorization", "cookie"};
    return std::ranges::any_of(
        endings, [&](std::string_view ending) { return ends_with_ignoring_case(word, ending); });
}

std::size_t run_of(std::string_view text, std::string_view characters) {
    return std::min(text.find_first_not_of(characters), text.size());
}

// The length of what stands between a name and its value: `=`, `: `, `": "`, also inside an escaped
// JSON text.
std::size_t assignment_size(std::string_view text) {
    std::size_t at = run_of(text, "\"'\\ ");
    if (at == text.size() || (text[at] != '=' && text[at] != ':')) return 0;
    ++at;
    return at + run_of(text.substr(at), "\"'\\ ");
}

std::string_view first_word(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, is_word_char);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// What comes after a colon in the gateway's own sentences: "this needs a key: send …". Any other
// word there may be a credential.
bool begins_with_own_word(std::string_view rest) {
    constexpr std::string_view words[] = {"send ", "Authorization: ", "cannot "};
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return rest.starts_with(word); });
}

class CredentialFinder {
public:
    explicit CredentialFinder(std::string_view text) : text_(text), rest_(text) {}

    std::vector<CredentialPlace> run() {
        while (!rest_.empty()) {
            const std::string_view word = first_word(rest_);
            if (word.empty()) {
                pass(1);
            } else {
                take_word(word);
            }
        }
        return std::move(found_);
    }

private:
    void take_word(std::string_view word) {
        const std::size_t prefix = key_prefix_size(word);
        if (prefix > 0 && word.size() >= prefix + key_bytes_min) {
            pass(prefix);
            hide(is_key_char);
            return;
        }
        pass(word.size());
        if (is_scheme(word)) {
            take_spaces_and_key();
        } else if (is_secrets_name(word)) {
            take_assigned();
        }
    }

    void take_spaces_and_key() {
        const std::size_t spaces = run_of(rest_, " ");
        pass(spaces);
        // "Bearer rk-…" says what one looks like.
        const std::string_view value = first_word(rest_);
        const bool is_pattern = !value.empty() && key_prefix_size(value) == value.size() &&
                                rest_.substr(value.size()).starts_with("…");
        if (spaces > 0 && !is_pattern) hide(is_key_char);
    }

    void take_assigned() {
        const std::size_t between = assignment_size(rest_);
        if (between == 0) return;
        pass(between);
        // "Authorization: Bearer …" and "key: sk-…" keep their first, telling part.
        const std::string_view value = first_word(rest_);
        if (is_scheme(value) || key_prefix_size(value) > 0 || begins_with_own_word(rest_)) return;
        hide([](char c) { return c > ' ' && !std::string_view("\"'\\,;&)}]").contains(c); });
    }

    void pass(std::size_t count) { rest_.remove_prefix(count); }

    template <class Belongs>
    void hide(Belongs belongs) {
        const auto end = std::ranges::find_if_not(rest_, belongs);
        if (end == rest_.begin()) return;
        const std::size_t begin = text_.size() - rest_.size();
        pass(static_cast<std::size_t>(end - rest_.begin()));
        found_.push_back({begin, text_.size() - rest_.size()});
    }

    std::string_view text_;
    std::string_view rest_;
    std::vector<CredentialPlace> found_;
};

}  // namespace

std::vector<CredentialPlace> credentials_in(std::string_view text) {
    return CredentialFinder(text).run();
}

std::string redacted(std::string_view text) {
    std::string out;
    std::size_t copied = 0;
    for (const CredentialPlace& place : credentials_in(text)) {
        out += text.substr(copied, place.begin - copied);
        out += credential_mask;
        copied = place.end;
    }
    out += text.substr(copied);
    return out;
}

}  // namespace runnel
