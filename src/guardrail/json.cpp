#include "guardrail/json.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"

#include <algorithm>
#include <optional>

namespace runnel::guardrail {
namespace {

constexpr std::string_view number_letters = "0123456789+-.eE";

// One look at a text that is there as a whole.
struct Look {
    std::string text{};  // with what was found replaced
    bool replaced = false;
};

// Escapes hide nothing: in JSON, \u0034 is a 4.
std::string without_escapes(std::string_view text) {
    return is_like_json(text) ? json::unescaped(text) : std::string(text);
}

// A string that is JSON again has escapes of its own; a backslash may be a backslash, too. Nothing
// where there are none.
std::optional<std::string> without_inner_escapes(const std::string& plain) {
    if (!plain.contains("\\u")) return std::nullopt;
    return json::unescaped(plain);
}

// JSON being looked at, piece by piece.
class JsonScan {
public:
    JsonScan(const std::shared_ptr<Scanner>& scanner, GuardrailBits rules)
        : scanner_(scanner),
          rules_(rules) {}

    ScannedJson scan(std::string_view json) {
        Look whole = look(without_escapes(json));
        if (is_like_json(json)) {
            replace_values(json);
            // What spans several values can't be replaced, so it stands in the way of all of it.
            const std::string plain = json::unescaped(out_);
            if (replaced_) whole = look(plain);
            // Nor can what stands in JSON within JSON.
            const auto inner = without_inner_escapes(plain);
            unsure_ = unsure_ || whole.replaced || (inner && look(*inner).replaced);
        } else {
            replaced_ = whole.replaced;
            out_ = std::move(whole.text);
        }
        using Outcome = ScannedJson::Outcome;
        Outcome outcome = replaced_ ? Outcome::replaced : Outcome::pass;
        if (unsure_) outcome = Outcome::unsure;
        if (blocks()) outcome = Outcome::blocked;
        return {outcome, std::move(out_), std::move(findings_)};
    }

private:
    Look look(const std::string& plain) {
        GuardrailText text(scanner_, rules_, GuardrailText::Blocks::note);
        text.add_whole(plain);
        findings_.add(text, scanner_->matcher());
        unsure_ = unsure_ || text.gave_up();
        return {std::string(text.released()), text.replaced()};
    }

    // Copies the JSON, with strings and numbers as the rules leave them.
    void replace_values(std::string_view json) {
        for (std::size_t at = 0; at < json.size();) {
            if (json[at] == '"') {
                std::size_t end = at + 1;
                while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
                end = std::min(end, json.size());
                replace(json.substr(at + 1, end - at - 1), json.substr(at, end + 1 - at));
                at = end + 1;
            } else if (json[at] == '-' || ascii::is_digit(json[at])) {
                const std::size_t end =
                    std::min(json.find_first_not_of(number_letters, at), json.size());
                replace(json.substr(at, end - at), json.substr(at, end - at));
                at = end;
            } else {
                out_ += json[at++];
            }
        }
    }

    void replace(std::string_view escaped, std::string_view as_written) {
        const Look seen = look(json::unescaped(escaped));
        if (!seen.replaced) {
            out_ += as_written;
            return;
        }
        replaced_ = true;
        out_ += '"';
        json::append_escaped(out_, seen.text);
        out_ += '"';
    }

    bool blocks() const {
        using Action = GuardrailRule::Action;
        return std::ranges::any_of(scanner_->matcher().expressions(), [&](const auto& expression) {
            return (findings_.rules & guardrail_bit(expression.rule)) != 0 &&
                   (expression.action == Action::block || expression.action == Action::decline);
        });
    }

    const std::shared_ptr<Scanner>& scanner_;
    GuardrailBits rules_;
    GuardrailFindings findings_;
    std::string out_;
    bool replaced_ = false;
    bool unsure_ = false;
};

}  // namespace

bool is_like_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return false;
    return std::string_view("{[\"").contains(text[first]) ||
           text.find_first_not_of(number_letters) == std::string_view::npos;
}

ScannedJson scan_json(const std::shared_ptr<Scanner>& scanner, GuardrailBits rules,
                      std::string_view json) {
    return JsonScan(scanner, rules).scan(json);
}

Result<ScannedJson> scan_json_at(GuardrailPlace place, const GuardrailSet& set, GuardrailBits rules,
                                 GuardrailWorkspace* workspace, std::string_view json) {
    const GuardrailBits looking = set.local_at(place, rules);
    if (looking == 0) return ScannedJson{};
    auto scanner = workspace->scanner_for(set, rules);
    if (!scanner) return propagate(scanner);
    return scan_json(*scanner, looking, json);
}

std::string readable(std::string_view json) {
    std::string plain = without_escapes(json);
    if (!is_like_json(json)) return plain;
    // What the inner ones hide stands beside what it is.
    if (const auto inner = without_inner_escapes(plain)) plain += '\n' + *inner;
    return plain;
}

}  // namespace runnel::guardrail
