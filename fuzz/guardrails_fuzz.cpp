#include "base/utf8.hpp"
#include "check.hpp"
#include "guardrail/findings.hpp"
#include "guardrail/set.hpp"

#include <algorithm>

// Any text, in any pieces, through rules of every kind: what is shown does not depend on the
// pieces, and where nothing is found it is the text. And any pattern: it is read or refused.
namespace runnel::fuzz {
namespace {

using namespace guardrail;

GuardrailRule rule(std::string name, GuardrailRule::Action action) {
    GuardrailRule made{.name = std::move(name)};
    made.action = action;
    return made;
}

// Compiled once: it takes longer than a text.
std::shared_ptr<Scanner> make_scanner() {
    using enum GuardrailRule::Action;
    GuardrailRule cards = rule("cards", block);
    cards.kind = GuardrailRule::Kind::pii;
    cards.detect["pii"] = {"card", "phone"};
    GuardrailRule other = rule("other", redact);
    other.kind = GuardrailRule::Kind::pii;
    other.detect["pii"] = {"email", "iban", "secret"};
    GuardrailRule custom = rule("custom", redact);
    custom.detect["patterns"] = {R"(\bproject [a-z]{3,9}\b)", "a{2,4}b", R"(\d[ -]\d$)",
                                 "(?i)é.{1,3}x"};
    custom.detect["words"] = {"falcon", "日本", "top secret"};
    GuardrailRule logged = rule("logged", log);
    logged.detect["words"] = {"heron"};
    const auto set = GuardrailSet::make({cards, other, custom, logged});
    require(set.has_value(), "the rules are right");
    static GuardrailWorkspace workspace;
    return *workspace.scanner_for(**set, 15);
}

struct Told {
    std::string text;
    std::vector<std::size_t> found;
    bool cut = false;
    bool gave_up = false;
    friend bool operator==(const Told&, const Told&) = default;
};

// In pieces of about `size` bytes; 0: as a whole.
Told tell(std::string_view text, std::size_t size, GuardrailBits rules) {
    static const std::shared_ptr<Scanner> scanner = make_scanner();
    GuardrailText scanned(scanner, rules, GuardrailText::Blocks::cut);
    Told told;
    const auto take = [&](std::string_view piece) {
        told.text += scanned.released_as_added() ? piece : scanned.released();
    };
    for (std::string_view rest = text; !rest.empty() && size > 0;) {
        std::string_view piece = utf8_prefix(rest, size);
        if (piece.empty()) piece = rest.substr(0, std::max<std::size_t>(1, utf8_sequence(rest)));
        rest.remove_prefix(piece.size());
        scanned.add(piece);
        take(piece);
    }
    const std::string_view last = size > 0 ? "" : text;
    scanned.add_last(last);
    take(last);
    told.found = scanned.found();
    std::ranges::sort(told.found);
    told.cut = scanned.is_cut();
    told.gave_up = scanned.gave_up();
    return told;
}

void check_text(std::string_view bytes, GuardrailBits rules) {
    const std::string text = with_valid_utf8(bytes);
    const Told whole = tell(text, 0, rules);
    for (const std::size_t size : {1, 2, 7, 40}) {
        const Told pieces = tell(text, size, rules);
        if (pieces.gave_up) continue;  // it held more than anybody would
        require(pieces == whole, "what is shown does not depend on the pieces", text);
    }
    require(!whole.found.empty() || whole.text == text, "what nobody objects to is shown", text);
    require(whole.found.empty() || whole.cut || whole.text != text || (rules & 8) != 0,
            "what somebody objects to is not", text);
}

void check_pattern_text(std::string_view pattern) {
    const auto tree = read_pattern(pattern.substr(0, 200));
    if (!tree) return;
    PatternGraph graph;
    if (!graph.add(*tree)) return;
    graph.close();
    PatternReader reader(&graph);
    const auto start = reader.add_start(graph.patterns().front().last);
    std::size_t begins = 0;
    reader.read_back(pattern, pattern.size(), 0, start, [&](std::size_t) { ++begins; });
    require(begins <= pattern.size(), "a match begins at a character");
}

}  // namespace
}  // namespace runnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = runnel::fuzz::cut_input(data, size);
    if (input.bytes.size() > 2000) return 0;
    if (input.split == 0) {
        runnel::fuzz::check_pattern_text(input.bytes);
    } else {
        runnel::fuzz::check_text(input.bytes, input.split & 15);
    }
    return 0;
}
