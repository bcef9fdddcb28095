#pragma once

#include "guardrail/detector.hpp"
#include "guardrail/pattern_graph.hpp"
#include "guardrail/pattern_reader.hpp"
#include "guardrail/rule.hpp"

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct hs_database;
struct hs_scratch;
struct hs_stream;

namespace runnel::guardrail {

// A bit for each rule, by its place in the list of rules.
using GuardrailBits = std::uint64_t;
constexpr GuardrailBits guardrail_bit(std::size_t rule) { return GuardrailBits{1} << rule; }
// The places of the rules whose bits are set.
std::vector<std::size_t> indexes_of(GuardrailBits rules);

// Some rules, compiled: a Hyperscan database that finds where matches end, and a graph that tells
// where they began and what may become one. Never changes; shared by all threads.
class GuardrailMatcher {
public:
    struct Expression {
        std::size_t rule;  // its place in the list
        GuardrailRule::Action action;
        std::string category;  // what it finds, for errors and marks
        Shape::Confirm confirms;
        Shape::Needs needs;
    };

    // Those rules of the list whose bits are set. An error names the rule and says what is wrong.
    static std::expected<std::shared_ptr<const GuardrailMatcher>, std::string>
    compile(std::span<const GuardrailRule> rules, GuardrailBits which);
    ~GuardrailMatcher();

    std::span<const Expression> expressions() const { return expressions_; }
    // Rules that must see a match before anybody else does: all but those that only log.
    GuardrailBits holding() const { return holding_; }
    // Rules that only log: they need to look back at what was shown to know what it was.
    GuardrailBits looking_back() const { return looking_back_; }
    const PatternGraph& graph() const { return graph_; }
    const hs_database* database() const { return database_; }

private:
    GuardrailMatcher() = default;

    std::vector<Expression> expressions_;  // in the order of the graph's patterns
    GuardrailBits holding_ = 0;
    GuardrailBits looking_back_ = 0;
    PatternGraph graph_;
    hs_database* database_ = nullptr;
};

// What one thread needs to scan with a matcher.
class Scanner {
public:
    explicit Scanner(std::shared_ptr<const GuardrailMatcher> matcher);
    ~Scanner();
    Scanner(const Scanner&) = delete;
    Scanner& operator=(const Scanner&) = delete;

    const GuardrailMatcher& matcher() const { return *matcher_; }
    hs_scratch* scratch() { return scratch_; }
    PatternReader& reader() { return reader_; }
    // Where reading backwards begins: at the end of a match, or of what may become a match of any
    // of these rules.
    PatternReader::Start match_of(std::size_t expression);
    PatternReader::Start unfinished(GuardrailBits rules);

private:
    std::shared_ptr<const GuardrailMatcher> matcher_;
    hs_scratch* scratch_ = nullptr;
    PatternReader reader_;
    std::map<std::size_t, PatternReader::Start> matches_;
    std::map<GuardrailBits, PatternReader::Start> unfinished_;
};

// One text on its way through Hyperscan.
class MatchStream {
public:
    struct Hit {
        std::uint64_t end;  // of the match, in bytes from the text's beginning
        std::uint32_t expression;
        friend bool operator==(const Hit&, const Hit&) = default;
        friend auto operator<=>(const Hit&, const Hit&) = default;
    };
    using Hits = std::vector<Hit>;

    MatchStream() = default;
    ~MatchStream();
    MatchStream(const MatchStream&) = delete;
    MatchStream& operator=(const MatchStream&) = delete;

    // What is scanned next follows what `other` has scanned. Nothing has been scanned so far.
    void go_on_from(const MatchStream& other);
    // Adds the matches of `rules` that end in `text`, which follows what was scanned before. False:
    // there are more than anybody could look at.
    bool scan(Scanner* scanner, std::string_view text, GuardrailBits rules, Hits* hits);
    // Those that are matches only if the text ends here; it may go on all the same.
    bool scan_end(Scanner* scanner, GuardrailBits rules, Hits* hits) const;
    // The same; then nothing has been scanned.
    bool finish(Scanner* scanner, GuardrailBits rules, Hits* hits);

private:
    bool scan_slice(Scanner* scanner, std::string_view text, GuardrailBits rules, Hits* hits);

    hs_stream* stream_ = nullptr;
};

// What is wrong with one pattern of a rule, if anything is; also when it is right but could make a
// stream wait for more than `hold_characters`. `hold_characters` 0: no stream waits for it.
std::expected<void, std::string> check_pattern(std::string_view pattern,
                                               std::size_t hold_characters);

}  // namespace runnel::guardrail
