#include "guardrail/pattern_reader.hpp"

#include "guardrail/matcher.hpp"

#include <gtest/gtest.h>
#include <hs.h>

#include <map>
#include <numeric>
#include <random>

namespace runnel::guardrail {
namespace {

constexpr std::size_t none = std::string::npos;

// One pattern, asked about places in texts.
class OnePattern {
public:
    explicit OnePattern(std::string_view pattern) {
        const auto tree = read_pattern(pattern);
        EXPECT_TRUE(tree.has_value()) << pattern << ": " << tree.error();
        const auto added = graph_.add(*tree);
        EXPECT_TRUE(added.has_value()) << pattern << ": " << added.error();
        graph_.close();
        reader_.emplace(&graph_);
        matches_ = reader_->add_start(graph_.patterns().front().last);
        std::vector<PatternGraph::Step> steps(graph_.step_count());
        std::iota(steps.begin(), steps.end(), 0);
        unfinished_ = reader_->add_start(steps);
    }

    // Where the longest match that ends at `end` begins.
    std::size_t match_begin(std::string_view text, std::size_t end) {
        return farthest(text, end, matches_);
    }
    // Where text that may become a match begins, if nothing but what precedes `end` is known.
    std::size_t hold(std::string_view text, std::size_t end) {
        return farthest(text, end, unfinished_);
    }
    std::optional<std::size_t> undecided() const { return graph_.patterns().front().undecided; }

private:
    std::size_t farthest(std::string_view text, std::size_t end, PatternReader::Start start) {
        std::size_t first = none;
        reader_->read_back(text, end, 0, start, [&](std::size_t begin) { first = begin; });
        return first;
    }

    PatternGraph graph_;
    std::optional<PatternReader> reader_;
    PatternReader::Start matches_ = 0, unfinished_ = 0;
};

std::size_t hold(std::string_view pattern, std::string_view text) {
    return OnePattern(pattern).hold(text, text.size());
}

TEST(PatternReader, HoldsFromWhereAMatchMayHaveBegun) {
    EXPECT_EQ(hold("secret", "a se"), 2u);
    EXPECT_EQ(hold("secret", "a sex"), none);
    EXPECT_EQ(hold("secret", "sesecre"), 2u);
    EXPECT_EQ(hold("ab{2,3}c", "xabbb"), 1u);
    EXPECT_EQ(hold("ab{2,3}c", "xabbbb"), none);
    EXPECT_EQ(hold("(?:foo|fox) ?jumps", "the fox "), 4u);
    EXPECT_EQ(hold("[^ ]{2,5}!", "a bcd"), 2u);
    EXPECT_EQ(hold("größe", "die grö"), 4u);
    EXPECT_EQ(hold(".{3}x", "日本語"), 0u);
    EXPECT_EQ(hold("(?i)ÉTÉ", "l'été"), 2u);
}

TEST(PatternReader, AWordBoundaryAtTheBeginningIsLookedAt) {
    EXPECT_EQ(hold(R"(\bcat)", "conca"), none);
    EXPECT_EQ(hold(R"(\bcat)", "con ca"), 4u);
    EXPECT_EQ(hold(R"(\Bcat)", "con ca"), none);
    EXPECT_EQ(hold("^cat", "a ca"), none);
    EXPECT_EQ(hold("^cat", "ca"), 0u);
    EXPECT_EQ(hold("(?m)^cat", "a\nca"), 2u);
}

TEST(PatternReader, KnowsHowLongAPatternStaysUndecided) {
    const auto undecided = [](std::string_view pattern) { return OnePattern(pattern).undecided(); };
    EXPECT_EQ(undecided("abc"), 3u);
    EXPECT_EQ(undecided("ab{2,5}c"), 7u);
    EXPECT_EQ(undecided("sk-[a-z]{4,}"), 7u) << "from the fourth letter on it is one";
    EXPECT_EQ(undecided("a.*b"), std::nullopt);
    EXPECT_EQ(undecided("a(bc)*"), 1u);
    EXPECT_EQ(undecided("ab(cd)+"), 4u);
    EXPECT_EQ(undecided("sk-[a-z]{4,}\\b"), std::nullopt) << "until the word ends";
    EXPECT_EQ(undecided("sk-[a-z]{4,9}\\b"), 12u);
    EXPECT_EQ(undecided("a|bcd"), 3u);
}

TEST(PatternReader, ForgetsWhatItLearntRatherThanGrow) {
    // Every text leads to other states.
    OnePattern pattern("(?:a|b)[ab]{1,14}a[ab]{14}c");
    std::mt19937 random(7);
    std::string text(40, 'a');
    for (int i = 0; i < 3000; ++i) {
        for (char& c : text) c = random() % 2 == 0 ? 'a' : 'b';
        EXPECT_NE(pattern.hold(text, text.size()), none);
    }
}

// Patterns and texts of a few letters, so that there are many matches.
class Sample {
public:
    explicit Sample(unsigned seed) : random_(seed) {}

    std::string pattern() { return sequence(2); }

    std::string text() {
        static constexpr std::string_view letters[] = {"a", "b", "c", "1", " ",
                                                       "-", "é", "A", "\n"};
        std::string text;
        for (unsigned i = below(24) + 1; i > 0; --i) text += letters[below(9)];
        return text;
    }

    unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

private:
    std::string sequence(int depth) {
        std::string out;
        for (unsigned i = below(3) + 1; i > 0; --i) out += item(depth) + repeat();
        return out;
    }

    std::string item(int depth) {
        static constexpr std::string_view atoms[] = {
            "a",    "b",      "c",         "1",     " ",     "é",     ".",
            "[ab]", "[^a]",   R"(\d)",     R"(\w)", R"(\s)", R"(\W)", "[a-c1]",
            "[^é]", "(?i:a)", "(?i:[^b])", "-",     "(?i:é)"};
        if (depth > 0 && below(4) == 0) {
            std::string group = "(?:" + sequence(depth - 1);
            while (below(2) == 0) group += "|" + sequence(depth - 1);
            return group + ")";
        }
        return std::string(atoms[below(std::size(atoms))]);
    }

    std::string repeat() {
        static constexpr std::string_view repeats[] = {"",  "",    "",      "?",   "*",
                                                       "+", "{2}", "{1,3}", "{2,}"};
        return std::string(repeats[below(std::size(repeats))]);
    }

    std::mt19937 random_;
};

// Where each match ends, and the first place where it can begin.
using Matches = std::map<std::size_t, std::size_t>;

// One pattern as Hyperscan reads it; some are too much for it, where beginnings are wanted.
class Hyperscan {
public:
    explicit Hyperscan(const std::string& pattern) {
        hs_compile_error_t* error = nullptr;
        if (hs_compile(pattern.c_str(), HS_FLAG_UTF8 | HS_FLAG_SOM_LEFTMOST, HS_MODE_BLOCK, nullptr,
                       &database_, &error) != HS_SUCCESS)
            hs_free_compile_error(error);
        else
            EXPECT_EQ(hs_alloc_scratch(database_, &scratch_), HS_SUCCESS);
    }
    ~Hyperscan() {
        hs_free_scratch(scratch_);
        hs_free_database(database_);
    }
    Hyperscan(const Hyperscan&) = delete;
    Hyperscan& operator=(const Hyperscan&) = delete;

    bool works() const { return scratch_ != nullptr; }

    Matches matches(const std::string& text) {
        Matches matches;
        const auto on_match = [](unsigned, unsigned long long from, unsigned long long to, unsigned,
                                 void* context) {
            auto& found = *static_cast<Matches*>(context);
            const auto [known, is_new] = found.emplace(to, from);
            if (!is_new) known->second = std::min<std::size_t>(known->second, from);
            return 0;
        };
        EXPECT_EQ(hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch_,
                          on_match, &matches),
                  HS_SUCCESS);
        return matches;
    }

private:
    hs_database_t* database_ = nullptr;
    hs_scratch_t* scratch_ = nullptr;
};

// `exactly`: Hyperscan's beginning is ours; otherwise ours may lie before it, which is the safe
// side.
void agree_on(OnePattern& ours, const std::string& pattern, const std::string& text,
              const Matches& expected, bool exactly) {
    for (const auto& [end, begin] : expected) {
        const std::size_t found = ours.match_begin(text, end);
        ASSERT_NE(found, none) << pattern << " in '" << text << "' up to " << end;
        ASSERT_LE(found, begin) << pattern << " in '" << text << "' up to " << end;
        if (exactly) ASSERT_EQ(found, begin) << pattern << " in '" << text << "' up to " << end;
        for (std::size_t at = begin + 1; at <= end; ++at) {
            if (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
            ASSERT_LE(ours.hold(text, at), begin)
                << pattern << " in '" << text << "' is not held at " << at;
        }
    }
}

int compare(Sample& sample, const std::string& pattern, bool exactly) {
    if (!check_pattern(pattern, 0)) return 0;  // it matches nothing at all
    Hyperscan theirs(pattern);
    if (!theirs.works()) return 0;
    OnePattern ours(pattern);
    int compared = 0;
    for (int i = 0; i < 20; ++i) {
        const std::string text = sample.text();
        const Matches expected = theirs.matches(text);
        compared += static_cast<int>(expected.size());
        agree_on(ours, pattern, text, expected, exactly);
        if (::testing::Test::HasFatalFailure()) break;
    }
    return compared;
}

TEST(PatternReader, ReadsNoFurtherBackThanAMatchCanBeLong) {
    PatternGraph graph;
    ASSERT_TRUE(graph.add(*read_pattern(R"(\d+)"), 30).has_value());
    ASSERT_TRUE(graph.add(*read_pattern("x+")).has_value());
    graph.close();
    PatternReader reader(&graph);
    const auto start = reader.add_start(graph.patterns()[0].last);
    const std::string digits(10'000, '4');
    std::size_t first = none;
    reader.read_back(digits, digits.size(), 0, start, [&](std::size_t begin) { first = begin; });
    EXPECT_EQ(first, 9'970u);
    EXPECT_LE(reader.characters_read(), 31u);
}

TEST(PatternReader, FindsTheBeginningsThatHyperscanFinds) {
    int compared = 0;
    for (unsigned seed = 0; seed < 120 && !HasFatalFailure(); ++seed) {
        Sample sample(seed);
        const std::string pattern = sample.pattern();
        const bool exactly = !pattern.contains("(?i:é)") && !pattern.contains("(?i:[^b])");
        compared += compare(sample, pattern, exactly);
    }
    EXPECT_GT(compared, 3000);
}

TEST(PatternReader, FindsTheBeginningsOfPatternsWithAssertions) {
    for (unsigned seed = 0; seed < 64 && !HasFatalFailure(); ++seed) {
        Sample sample(seed);
        static constexpr std::string_view fronts[] = {R"(\b)", R"(\B)", "^", "(?m)^"};
        static constexpr std::string_view backs[] = {R"(\b)", R"(\B)", "$", ""};
        compare(sample,
                std::string(fronts[seed % 4]) + sample.pattern() + std::string(backs[seed / 4 % 4]),
                false);
    }
}

}  // namespace
}  // namespace runnel::guardrail
