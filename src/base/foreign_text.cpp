#include "base/foreign_text.hpp"

#include "base/ascii.hpp"
#include "base/is_in.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace runnel {
namespace {

constexpr std::size_t shown_bytes_max = 300;
constexpr std::size_t logged_bytes_max = 2048;
constexpr std::string_view secret_mark = "[secret]";
constexpr std::string_view address_mark = "[address]";

enum class Remove { credentials, credentials_and_addresses };

// What ends a word: names and paths keep their dots, slashes, dashes and colons.
bool is_delimiter(char c) {
    return static_cast<unsigned char>(c) <= ' ' ||
           std::string_view("\"'`<>()[]{},;=|\\").find(c) != std::string_view::npos;
}

// Beginnings of the keys that providers and clouds hand out.
bool has_key_prefix(std::string_view word) {
    constexpr auto prefixes = std::to_array<std::string_view>(
        {"sk-", "sk_", "pk-", "pk_", "rk-", "key-", "xai-", "gsk_", "AIza", "hf_", "fw_", "tgp_",
         "pplx-", "csk-", "nvapi-", "github_", "ghp_", "eyJ", "AKIA"});
    return word.size() >= 6 && std::ranges::any_of(prefixes, [&](std::string_view prefix) {
               return word.starts_with(prefix);
           });
}

// Twenty letters and digits in one run are nobody's word: a key, an id, a signature.
bool has_random_run(std::string_view word) {
    std::size_t run = 0;
    bool letters = false;
    bool digits = false;
    for (const char c : word) {
        if (!ascii::is_alphanumeric(c)) {
            run = 0;
            letters = digits = false;
            continue;
        }
        letters = letters || ascii::is_letter(c);
        digits = digits || ascii::is_digit(c);
        if (++run >= 20 && letters && digits) return true;
    }
    return false;
}

bool is_secret(std::string_view word) { return has_key_prefix(word) || has_random_run(word); }

bool is_ipv4(std::string_view host) {
    int dots = 0;
    for (const char c : host) {
        if (c == '.') {
            ++dots;
        } else if (!ascii::is_digit(c)) {
            return false;
        }
    }
    return dots == 3 && ascii::is_digit(host.front()) && ascii::is_digit(host.back());
}

bool is_ipv6(std::string_view word) {
    return std::ranges::count(word, ':') >= 2 && std::ranges::all_of(word, [](char c) {
               return c == ':' || c == '.' || std::isxdigit(static_cast<unsigned char>(c)) != 0;
           });
}

// Only known endings count: "messages.0.content" and "gpt-4.1" have dots too.
bool has_host_ending(std::string_view host) {
    constexpr auto endings = std::to_array<std::string_view>(
        {"ai",   "app",   "arpa",        "aws", "biz",  "cloud", "cn",       "co",       "com",
         "corp", "de",    "dev",         "eu",  "home", "info",  "internal", "intranet", "io",
         "lan",  "local", "localdomain", "net", "org",  "svc",   "uk",       "us",       "xyz"});
    const std::size_t dot = host.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return false;
    return is_in(host.substr(dot + 1), endings);
}

bool is_address(std::string_view word) {
    if (is_ipv6(word)) return true;
    const std::size_t port = word.rfind(':');
    const bool has_port = port != std::string_view::npos && port > 0 && word.size() - port >= 3 &&
                          word.size() - port <= 6 &&
                          std::ranges::all_of(word.substr(port + 1), ascii::is_digit);
    // A path or port after the host changes nothing: "internal.corp/v1", "node-7:8080".
    std::string_view host = word.substr(0, std::min(word.find('/'), has_port ? port : word.size()));
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos)
        host.remove_prefix(at + 1);
    if (host.empty()) return false;
    if (host == "localhost" || is_ipv4(host) || has_host_ending(host)) return true;
    return has_port && std::ranges::any_of(host, ascii::is_letter) &&
           std::ranges::any_of(host, [](char c) { return ascii::is_digit(c) || c == '-'; });
}

// Of the address in "http://[2001:db8::7]/": its brackets are the URL's, others the sentence's.
std::size_t behind_brackets(std::string_view text, std::size_t host) {
    if (!text.substr(host).starts_with('[')) return host;
    const std::size_t end = text.find_first_of("]/ \t\r\n", host);
    return end != std::string_view::npos && text[end] == ']' ? end + 1 : host;
}

std::size_t url_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && (ascii::is_letter(text[at]) || text[at] == '+')) ++at;
    if (at < 2 || !text.substr(at).starts_with("://")) return 0;
    const std::size_t host = at + std::string_view("://").size();
    std::size_t end = std::min(
        text.find_first_of(" \t\r\n\"'`<>)]}\\", behind_brackets(text, host)), text.size());
    while (std::string_view(".,;:!?").contains(text[end - 1]))
        --end;                  // the sentence's, not the URL's
    if (end <= host) return 0;  // a scheme alone leads nowhere
    return end;
}

class Cleaner {
public:
    Cleaner(std::string_view text, Remove remove) : rest_(text), remove_(remove) {}

    std::string clean() {
        while (!rest_.empty()) {
            if (is_delimiter(rest_.front())) {
                take_delimiter();
            } else if (const std::size_t length = url_length(rest_)) {
                take_url(length);
            } else {
                take_word();
            }
        }
        return std::move(out_);
    }

private:
    void take_delimiter() {
        // One line, single spaces.
        const bool space = static_cast<unsigned char>(rest_.front()) <= ' ';
        if (!space) {
            out_ += rest_.front();
        } else if (!out_.empty() && out_.back() != ' ') {
            out_ += ' ';
        }
        rest_.remove_prefix(1);
    }

    void take_url(std::size_t length) {
        // Signed URLs are credentials; the log needs no more than where the request went.
        const std::string_view url = rest_.substr(0, length);
        if (remove_ == Remove::credentials) {
            out_ += url.substr(0, std::min(url.find_first_of("?#"), url.size()));
        } else {
            out_ += address_mark;
        }
        rest_.remove_prefix(length);
    }

    void take_word() {
        const auto end = std::ranges::find_if(rest_, is_delimiter);
        const auto length = static_cast<std::size_t>(end - rest_.begin());
        std::string_view word = rest_.substr(0, length);
        rest_.remove_prefix(length);
        std::string_view tail;
        if (const std::size_t last = word.find_last_not_of(".:!?");
            last != std::string_view::npos) {
            tail = word.substr(last + 1);
            word.remove_suffix(tail.size());
        }
        if (after_bearer_ || is_secret(word)) {
            out_ += secret_mark;
        } else if (remove_ == Remove::credentials_and_addresses && is_address(word)) {
            out_ += address_mark;
        } else {
            out_ += word;
        }
        out_ += tail;
        after_bearer_ = word == "Bearer" || word == "bearer";
    }

    std::string_view rest_;
    Remove remove_;
    std::string out_;
    bool after_bearer_ = false;
};

}  // namespace

std::string sanitised(std::string_view text) {
    // A JSON document inside the message is some other server's body.
    text = text.substr(0, std::min(text.find("{\""), text.size()));
    std::string clean =
        Cleaner(utf8_prefix(text, logged_bytes_max), Remove::credentials_and_addresses).clean();
    if (clean.size() > shown_bytes_max) {
        const std::string_view prefix = utf8_prefix(clean, shown_bytes_max);
        const std::size_t sentence = prefix.rfind(". ");
        clean = sentence == std::string_view::npos || sentence < shown_bytes_max / 3
                    ? std::string(prefix) + "…"
                    : std::string(prefix.substr(0, sentence + 1));
    }
    while (!clean.empty() && std::string_view(" :;").contains(clean.back())) clean.pop_back();
    return clean;
}

std::string without_addresses(std::string_view text) {
    const std::string masked = redacted(text);
    return Cleaner(masked, Remove::credentials_and_addresses).clean();
}

std::string without_credentials(std::string_view text) {
    return Cleaner(utf8_prefix(text, logged_bytes_max), Remove::credentials).clean();
}

}  // namespace runnel
