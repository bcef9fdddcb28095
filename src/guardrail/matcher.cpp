#include "guardrail/matcher.hpp"

#include "base/utf8.hpp"
#include "guardrail/registry.hpp"

#include <fmt/format.h>
#include <hs.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace runnel::guardrail {
namespace {

constexpr std::size_t hits_max = 100'000;  // of one piece of text

constexpr unsigned pattern_flags = HS_FLAG_UTF8;

// Vectorscan, which has Hyperscan's interface and even its file name, misses matches in texts that
// are long enough for it to skip through with vector instructions: 16 bytes and more in 5.4.9. Only
// at run time is it known which of the two is there.
std::size_t slice_bytes() {
    static const bool is_hyperscan = [] {
        const std::string_view version = hs_version();  // "5.4.0 2021-01-26"
        return version.starts_with("5.4.0 ") || version.starts_with("5.4.1 ") ||
               version.starts_with("5.4.2 ");  // the last one
    }();
    return is_hyperscan ? std::size_t{1} << 30 : 15;
}

// What Hyperscan is given.
class Sources {
public:
    void add(std::string pattern) { patterns_.push_back(std::move(pattern)); }
    const std::string& pattern(std::size_t at) const { return patterns_[at]; }

    // Null: `error` says why.
    hs_database_t* compile(hs_compile_error_t** error) const {
        std::vector<const char*> patterns;
        std::vector<unsigned> ids;
        for (const std::string& pattern : patterns_) {
            ids.push_back(static_cast<unsigned>(patterns.size()));
            patterns.push_back(pattern.c_str());
        }
        const std::vector<unsigned> flags(patterns.size(), pattern_flags);
        hs_database_t* database = nullptr;
        hs_compile_multi(patterns.data(), flags.data(), ids.data(),
                         static_cast<unsigned>(patterns.size()), HS_MODE_STREAM, nullptr, &database,
                         error);
        return database;
    }

private:
    std::vector<std::string> patterns_;
};

std::unexpected<std::string> at_fault(const GuardrailRule& rule, std::string_view pattern,
                                      std::string_view why) {
    return std::unexpected(fmt::format("the guardrail '{}': '{}': {}", rule.name, pattern, why));
}

// Calls add(shape) for each thing that the rule looks for, in the order of the detectors.
template <class Add>
std::expected<void, std::string> for_each_shape(const GuardrailRule& rule, Add add) {
    for (const auto& [key, items] : rule.detect)
        if (detector_of(key) == nullptr) return at_fault(rule, key, "there is no such detector");
    for (const Detector* detector : detectors()) {
        const auto items = rule.detect.find(detector->key());
        if (items == rule.detect.end()) continue;
        for (const std::string& item : items->second) {
            auto shapes = detector->shapes(item);
            if (!shapes) return at_fault(rule, item, shapes.error());
            for (Shape& shape : *shapes)
                if (auto added = add(shape); !added) return at_fault(rule, item, added.error());
        }
    }
    return {};
}

std::string message_of(hs_compile_error_t* error) {
    std::string message = error != nullptr ? error->message : "Hyperscan gives no reason";
    hs_free_compile_error(error);
    if (message == "Pattern is too large.")
        message +=
            " Where a . or a [^x] is repeated, a narrower class such as [a-z0-9] makes it smaller.";
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

// Compiles a pattern alone, where its mistakes can be told from others'.
std::expected<void, std::string> try_hyperscan(std::string_view pattern) {
    Sources sources;
    sources.add(std::string(pattern));
    hs_compile_error_t* error = nullptr;
    hs_database_t* database = sources.compile(&error);
    if (database == nullptr) return std::unexpected(message_of(error));
    hs_free_database(database);
    return {};
}

}  // namespace

std::vector<std::size_t> indexes_of(GuardrailBits rules) {
    std::vector<std::size_t> places;
    for (; rules != 0; rules &= rules - 1)
        places.push_back(static_cast<std::size_t>(std::countr_zero(rules)));
    return places;
}

std::expected<std::shared_ptr<const GuardrailMatcher>, std::string>
GuardrailMatcher::compile(std::span<const GuardrailRule> rules, GuardrailBits which) {
    std::shared_ptr<GuardrailMatcher> made(new GuardrailMatcher);
    Sources sources;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if ((which & guardrail_bit(i)) == 0) continue;
        const GuardrailRule& rule = rules[i];
        const std::size_t before = made->expressions_.size();
        const auto looked = for_each_shape(rule, [&](Shape& shape) {
            auto added = made->graph_.add(shape.whole, shape.longest);
            if (!added) return added;
            made->expressions_.push_back({i, rule.action,
                                          shape.category.empty() ? rule.name : shape.category,
                                          std::move(shape.confirms), shape.needs});
            sources.add(std::move(shape.ends));
            return added;
        });
        if (!looked) return std::unexpected(looked.error());
        if (made->expressions_.size() == before) continue;
        const bool logs = rule.action == GuardrailRule::Action::log;
        (logs ? made->looking_back_ : made->holding_) |= guardrail_bit(i);
    }
    made->graph_.close();
    if (made->expressions_.empty()) return made;
    hs_compile_error_t* error = nullptr;
    made->database_ = sources.compile(&error);
    if (made->database_ != nullptr) return made;
    const int at = error != nullptr ? error->expression : -1;
    const std::string message = message_of(error);
    if (at < 0) return std::unexpected(fmt::format("the guardrails together: {}", message));
    const auto expression = static_cast<std::size_t>(at);
    return at_fault(rules[made->expressions_[expression].rule], sources.pattern(expression),
                    message);
}

GuardrailMatcher::~GuardrailMatcher() { hs_free_database(database_); }

Scanner::Scanner(std::shared_ptr<const GuardrailMatcher> matcher)
    : matcher_(std::move(matcher)),
      reader_(&matcher_->graph()) {
    const hs_database_t* database = matcher_->database();
    if (database != nullptr && hs_alloc_scratch(database, &scratch_) != HS_SUCCESS)
        throw std::bad_alloc();
}

Scanner::~Scanner() { hs_free_scratch(scratch_); }

PatternReader::Start Scanner::match_of(std::size_t expression) {
    const auto known = matches_.find(expression);
    if (known != matches_.end()) return known->second;
    const auto start = reader_.add_start(matcher_->graph().patterns()[expression].last);
    return matches_.emplace(expression, start).first->second;
}

PatternReader::Start Scanner::unfinished(GuardrailBits rules) {
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

void MatchStream::go_on_from(const MatchStream& other) {
    if (other.stream_ != nullptr && hs_copy_stream(&stream_, other.stream_) != HS_SUCCESS)
        throw std::bad_alloc();
}

bool MatchStream::scan(Scanner* scanner, std::string_view text, GuardrailBits rules, Hits* hits) {
    while (text.size() > slice_bytes()) {
        const std::string_view slice = utf8_prefix(text, slice_bytes());
        if (!scan_slice(scanner, slice, rules, hits)) return false;
        text.remove_prefix(slice.size());
    }
    return scan_slice(scanner, text, rules, hits);
}

bool MatchStream::scan_slice(Scanner* scanner, std::string_view text, GuardrailBits rules,
                             Hits* hits) {
    if (text.empty()) return true;
    if (stream_ == nullptr &&
        hs_open_stream(scanner->matcher().database(), 0, &stream_) != HS_SUCCESS)
        throw std::bad_alloc();
    Collecting collecting{&scanner->matcher(), rules, hits};
    return hs_scan_stream(stream_, text.data(), static_cast<unsigned>(text.size()), 0,
                          scanner->scratch(), collect, &collecting) == HS_SUCCESS;
}

bool MatchStream::scan_end(Scanner* scanner, GuardrailBits rules, Hits* hits) const {
    MatchStream copy;
    copy.go_on_from(*this);
    return copy.finish(scanner, rules, hits);
}

bool MatchStream::finish(Scanner* scanner, GuardrailBits rules, Hits* hits) {
    if (stream_ == nullptr) return true;
    Collecting collecting{&scanner->matcher(), rules, hits};
    // It does not say whether it was told to stop.
    return hs_close_stream(std::exchange(stream_, nullptr), scanner->scratch(), collect,
                           &collecting) == HS_SUCCESS &&
           hits->size() < hits_max;
}

std::expected<void, std::string> check_pattern(std::string_view pattern,
                                               std::size_t hold_characters) {
    const auto tree = read_pattern(pattern);
    if (!tree) return std::unexpected(tree.error());
    PatternGraph graph;
    const auto added = graph.add(*tree);
    if (!added) return std::unexpected(added.error());
    if (auto tried = try_hyperscan(pattern); !tried) return tried;
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

}  // namespace runnel::guardrail
