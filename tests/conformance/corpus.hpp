#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

// The corpus: responses of real providers, recorded, with a manifest that says what each one
// is. It stands beside the repository, not in it; where it is absent the tests that need it
// skip and say so.
namespace runnel::conformance {

enum class Format { openai_chat, anthropic, gemini, ollama, bedrock, other };
enum class Kind { stream, body, error };

struct Recording {
    std::string provider;  // the folder: who sent it
    std::string file;
    Format format = Format::other;
    Kind kind = Kind::stream;
    int status = 200;

    std::string name() const { return provider + "/" + file; }
    std::string bytes() const;

    // The Runnel provider kind that would have read this response.
    std::string from() const;
};

// How GoogleTest prints one.
void PrintTo(const Recording& recording, std::ostream* out);

// Every recording in a format that Runnel speaks, and the error bodies in none (HTML, plain text).
// Empty where there is no corpus.
const std::vector<Recording>& corpus();

// Answers of endpoints that Runnel never calls, recorded under a format that it does speak: they
// have no plain reading.
bool is_no_chat_answer(const Recording& recording);

// Those of the corpus that have this kind and, `is_no_chat_answer` aside, a plain reading. Where
// there is no corpus: one recording with an empty file name, so that a parameterised test still has
// something to skip for.
std::vector<Recording> recordings_of(Kind kind);

// Why the corpus is not there; empty when it is.
std::string why_no_corpus();

// A name that GoogleTest accepts for a test's parameter.
std::string test_name_of(std::string_view name);

std::string read_file(const std::string& path);

}  // namespace runnel::conformance

// Leaves the test, saying why, when its parameter stands for an absent corpus.
#define RUNNEL_SKIP_WITHOUT_CORPUS()                                                               \
    if (!::runnel::conformance::why_no_corpus().empty())                                           \
    GTEST_SKIP() << ::runnel::conformance::why_no_corpus()
