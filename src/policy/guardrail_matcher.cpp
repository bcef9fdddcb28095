#include "policy/guardrail_matcher.hpp"

#include <fmt/format.h>
#include <hs.h>

#include <algorithm>
#include <new>

namespace runnel::policy {
namespace {

constexpr std::size_t hits_max = 100'000;  // of one piece of text

// What Vectorscan is given: as many pieces as there are expressions.
struct Sources {
    std::vector<std::string> patterns;
    std::vector<unsigned> flags;
    std::vector<unsigned> ids;
};

constexpr unsigned pattern_flags = HS_FLAG_UTF8;

std::string message_of(hs_compile_error_t* error) {
    std::string message = error != nullptr ? error->message : "Vectorscan gives no reason";
    hs_free_compile_error(error);
    return message;
}

struct Collecting {
    const GuardrailMatcher* matcher;
    GuardrailBits rules;
    MatchStream::Hits* hits;
};

int collect(unsigned id, unsigned long long, unsigned long long end, unsigned, void* context) {
    const auto& collecting = *static_cast<Collecting*>(context);
    const auto& expression = collecting.matcher->expressions()[id];
    if ((collecting.rules & guardrail_bit(expression.rule)) == 0) return 0;
    if (collecting.hits->size() >= hits_max) return 1;
    collecting.hits->push_back({end, id});
    return 0;
}

// Looks at a pattern alone, where its mistakes can be told from others'.
std::expected<void, std::string> try_vectorscan(const std::string& pattern) {
    hs_expr_info_t* info = nullptr;
    hs_compile_error_t* error = nullptr;
    if (hs_expression_info(pattern.c_str(), pattern_flags, &info, &error) != HS_SUCCESS)
        return std::unexpected(message_of(error));
    std::free(info);
    return {};
}

}  // namespace

std::expected<std::shared_ptr<const GuardrailMatcher>, std::string>
GuardrailMatcher::compile(std::span<const GuardrailRule> rules, GuardrailBits which) {
    std::shared_ptr<GuardrailMatcher> made(new GuardrailMatcher);
    Sources sources;
    std::string problem;
    const auto add = [&](const Expression& expression, std::string_view text,
                         const std::expected<PatternTree, std::string>& tree, std::string pattern) {
        const auto added =
            tree ? made->graph_.add(*tree)
                 : std::expected<std::size_t, std::string>(std::unexpected(tree.error()));
        if (!added && problem.empty())
            problem = fmt::format("the guardrail '{}': '{}': {}", rules[expression.rule].name, text,
                                  added.error());
        if (!added) return;
        sources.ids.push_back(static_cast<unsigned>(sources.patterns.size()));
        sources.patterns.push_back(std::move(pattern));
        made->expressions_.push_back(expression);
    };
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if ((which & guardrail_bit(i)) == 0) continue;
        const GuardrailRule& rule = rules[i];
        for (const PiiPattern& pii : pii_patterns())
            if (std::ranges::find(rule.pii, pii.pii) != rule.pii.end())
                add({i, rule.action, std::string(name_of(pii.pii)), pii.confirmation, &pii},
                    pii.pattern, read_pattern(pii.pattern), std::string(pii.pattern));
        for (const std::string& pattern : rule.patterns)
            add({i, rule.action, rule.name}, pattern, read_pattern(pattern), pattern);
        for (const std::string& word : rule.words)
            add({i, rule.action, rule.name, Confirmation::whole_word}, word, literal_tree(word),
                literal_pattern(word));
    }
    if (!problem.empty()) return std::unexpected(problem);
    made->graph_.close();
    if (made->expressions_.empty()) return made;

    std::vector<const char*> patterns;
    for (const std::string& pattern : sources.patterns) patterns.push_back(pattern.c_str());
    sources.flags.assign(patterns.size(), pattern_flags);
    hs_compile_error_t* error = nullptr;
    if (hs_compile_multi(patterns.data(), sources.flags.data(), sources.ids.data(),
                         static_cast<unsigned>(patterns.size()), HS_MODE_STREAM, nullptr,
                         &made->database_, &error) == HS_SUCCESS)
        return made;
    const int at = error != nullptr ? error->expression : -1;
    const std::string message = message_of(error);
    if (at < 0) return std::unexpected(fmt::format("the guardrails together: {}", message));
    return std::unexpected(
        fmt::format("the guardrail '{}': '{}': {}",
                    rules[made->expressions_[static_cast<std::size_t>(at)].rule].name,
                    sources.patterns[static_cast<std::size_t>(at)], message));
}

GuardrailMatcher::~GuardrailMatcher() { hs_free_database(database_); }

MatcherSeat::MatcherSeat(std::shared_ptr<const GuardrailMatcher> matcher)
    : matcher_(std::move(matcher)),
      reader_(&matcher_->graph()) {
    const hs_database_t* database = matcher_->database();
    if (database != nullptr && hs_alloc_scratch(database, &scratch_) != HS_SUCCESS)
        throw std::bad_alloc();
}

MatcherSeat::~MatcherSeat() { hs_free_scratch(scratch_); }

PatternReader::Start MatcherSeat::match_of(std::size_t expression) {
    const auto known = matches_.find(expression);
    if (known != matches_.end()) return known->second;
    const auto start = reader_.add_start(matcher_->graph().patterns()[expression].last);
    return matches_.emplace(expression, start).first->second;
}

PatternReader::Start MatcherSeat::unfinished(GuardrailBits rules) {
    const auto known = unfinished_.find(rules);
    if (known != unfinished_.end()) return known->second;
    std::vector<PatternGraph::Step> steps;
    for (std::size_t i = 0; i < matcher_->expressions().size(); ++i) {
        if ((rules & guardrail_bit(matcher_->expressions()[i].rule)) == 0) continue;
        const PatternGraph::Pattern& pattern = matcher_->graph().patterns()[i];
        for (auto step = pattern.begin; step < pattern.end; ++step) steps.push_back(step);
    }
    return unfinished_.emplace(rules, reader_.add_start(std::move(steps))).first->second;
}

MatchStream::~MatchStream() {
    if (stream_ != nullptr) hs_close_stream(stream_, nullptr, nullptr, nullptr);
}

bool MatchStream::scan(MatcherSeat* seat, std::string_view text, GuardrailBits rules, Hits* hits) {
    if (stream_ == nullptr && hs_open_stream(seat->matcher().database(), 0, &stream_) != HS_SUCCESS)
        throw std::bad_alloc();
    Collecting collecting{&seat->matcher(), rules, hits};
    return hs_scan_stream(stream_, text.data(), static_cast<unsigned>(text.size()), 0,
                          seat->scratch(), collect, &collecting) == HS_SUCCESS;
}

bool MatchStream::scan_end(MatcherSeat* seat, GuardrailBits rules, Hits* hits) const {
    if (stream_ == nullptr) return true;
    hs_stream_t* copy = nullptr;
    if (hs_copy_stream(&copy, stream_) != HS_SUCCESS) throw std::bad_alloc();
    Collecting collecting{&seat->matcher(), rules, hits};
    const auto error = hs_close_stream(copy, seat->scratch(), collect, &collecting);
    return error == HS_SUCCESS || error == HS_SCAN_TERMINATED;
}

std::expected<void, std::string> check_pattern(std::string_view pattern,
                                               std::size_t hold_characters) {
    const auto tree = read_pattern(pattern);
    if (!tree) return std::unexpected(tree.error());
    PatternGraph graph;
    const auto added = graph.add(*tree);
    if (!added) return std::unexpected(added.error());
    if (auto tried = try_vectorscan(std::string(pattern)); !tried) return tried;
    if (hold_characters == 0) return {};
    const auto undecided = graph.patterns().front().undecided;
    if (!undecided)
        return std::unexpected(
            "a match can go on for ever before it is known to be one, and an answer would wait for "
            "it; give every * and + a bound, such as {0,20}, or look at the input only (on: "
            "[input])");
    if (*undecided > hold_characters)
        return std::unexpected(fmt::format(
            "{0} characters can pass before a match is known to be one, and answers wait "
            "for {1} at most; set hold_characters: {0}, or make it shorter",
            *undecided, hold_characters));
    return {};
}

}  // namespace runnel::policy
