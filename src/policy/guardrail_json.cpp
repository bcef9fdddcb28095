#include "policy/guardrail_json.hpp"

#include "json/text.hpp"

#include <algorithm>

namespace runnel::policy {
namespace {

constexpr std::string_view number_letters = "0123456789+-.eE";

// One look at a text that is there as a whole.
struct Look {
    std::string text{};  // with what was found replaced
    bool replaced = false;
};

// JSON being looked at, piece by piece.
class JsonScan {
public:
    JsonScan(const std::shared_ptr<MatcherSeat>& seat, GuardrailBits rules)
        : seat_(seat),
          rules_(rules) {}

    ScannedJson scan(std::string_view json) {
        // Escapes hide nothing: \u0034 is a 4.
        Look whole = look(is_like_json(json) ? json::unescaped(json) : std::string(json));
        if (is_like_json(json)) {
            replace_values(json);
            // What spans several values can't be replaced, so it stands in the way of all of it.
            if (replaced_) whole = look(json::unescaped(out_));
            unsure_ = unsure_ || whole.replaced || finds_in_inner_json(json::unescaped(out_));
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
        GuardrailText text(seat_, rules_, GuardrailText::Blocks::note);
        text.add_whole(plain);
        findings_.add(text, seat_->matcher());
        unsure_ = unsure_ || text.gave_up();
        return {std::string(text.released()), text.replaced()};
    }

    // A string that is JSON again has escapes of its own; there they can't be replaced.
    bool finds_in_inner_json(const std::string& plain) {
        return plain.contains("\\u") && look(json::unescaped(plain)).replaced;
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
            } else if (number_letters.contains(json[at])) {
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
        return std::ranges::any_of(seat_->matcher().expressions(), [&](const auto& expression) {
            return (findings_.rules & guardrail_bit(expression.rule)) != 0 &&
                   (expression.action == Action::block || expression.action == Action::decline);
        });
    }

    const std::shared_ptr<MatcherSeat>& seat_;
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

ScannedJson scan_json(const std::shared_ptr<MatcherSeat>& seat, GuardrailBits rules,
                      std::string_view json) {
    return JsonScan(seat, rules).scan(json);
}

Result<ScannedJson> scan_json_at(GuardrailPlace place, const GuardrailSet& set, GuardrailBits rules,
                                 GuardrailWorkspace* workspace, std::string_view json) {
    const GuardrailBits looking = set.local_at(place, rules);
    if (looking == 0) return ScannedJson{};
    auto seat = workspace->seat_for(set, rules);
    if (!seat) return propagate(seat);
    return scan_json(*seat, looking, json);
}

std::string readable(std::string_view json) {
    if (!is_like_json(json)) return std::string(json);
    std::string plain = json::unescaped(json);
    // A backslash may be a backslash, too: then what it hides stands beside what it is.
    if (plain.contains("\\u")) plain += '\n' + json::unescaped(plain);
    return plain;
}

}  // namespace runnel::policy
