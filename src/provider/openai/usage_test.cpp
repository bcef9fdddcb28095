#include "provider/openai/usage.hpp"

#include "support/openai_answers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using testing::frames;
using testing::stop;
using testing::text_of;

struct Counted {
    std::string_view name;
    std::string_view chunk_fields;
    std::string_view usage;
};

void PrintTo(const Counted& counted, std::ostream* out) { *out << counted.name; }

class Usage : public ::testing::TestWithParam<Counted> {};

TEST_P(Usage, IsCountedInPartsThatDoNotOverlap) {
    const std::string text =
        text_of(frames({fmt::format(R"({{"choices":[],{}}})", GetParam().chunk_fields)}) + stop);
    EXPECT_EQ(text, fmt::format("started\n{}\nfinish 0 stop\nended\n", GetParam().usage));
}

INSTANTIATE_TEST_SUITE_P(
    OpenAiUsage, Usage,
    ::testing::Values(
        Counted{
            "details",
            R"("usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30,"audio_tokens":1},"completion_tokens_details":{"reasoning_tokens":5,"audio_tokens":2}})",
            "usage fresh=10 cache_read=60 cache_write=30 out=20 reasoning=5 audio_in=1 "
            "audio_out=2"},
        Counted{
            "xai_reasoning_beside_completion",
            R"("usage":{"prompt_tokens":307,"completion_tokens":26,"total_tokens":560,"completion_tokens_details":{"reasoning_tokens":227}})",
            "usage fresh=307 out=253 reasoning=227"},
        Counted{
            "reasoning_estimate_beyond_completion",
            R"("usage":{"prompt_tokens":43,"completion_tokens":10,"total_tokens":53,"completion_tokens_details":{"reasoning_tokens":11}})",
            "usage fresh=43 out=10 reasoning=11"},
        Counted{
            "cached_beyond_prompt",
            R"("usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8,"prompt_tokens_details":{"cached_tokens":161}})",
            "usage fresh=7 cache_read=161 out=1"},
        Counted{
            "deepseek",
            R"("usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6})",
            "usage fresh=6 cache_read=4 out=1"},
        Counted{"mistral",
                R"("usage":{"prompt_tokens":10,"completion_tokens":1,"num_cached_tokens":4})",
                "usage fresh=6 cache_read=4 out=1"},
        Counted{
            "routers_to_anthropic",
            R"("usage":{"prompt_tokens":100,"completion_tokens":1,"cache_read_input_tokens":60,"cache_creation_input_tokens":30})",
            "usage fresh=10 cache_read=60 cache_write=30 out=1"},
        Counted{
            "routers_that_leave_the_cache_out",
            R"("usage":{"prompt_tokens":50,"completion_tokens":1,"total_tokens":81,"cache_read_input_tokens":20,"cache_creation_input_tokens":10})",
            "usage fresh=50 cache_read=20 cache_write=10 out=1"},
        Counted{"moonshot",
                R"("usage":{"prompt_tokens":10,"completion_tokens":1,"cached_tokens":4})",
                "usage fresh=6 cache_read=4 out=1"},
        Counted{
            "x_groq",
            R"("x_groq":{"id":"r","usage":{"queue_time":0.1,"prompt_tokens":10,"completion_tokens":1}})",
            "usage fresh=10 out=1"},
        Counted{
            "x_groq_twice",
            R"("x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":1}},"usage":{"prompt_tokens":10,"completion_tokens":1})",
            "usage fresh=10 out=1"},
        Counted{"text_numbers", R"("usage":{"prompt_tokens":"10","completion_tokens":1.0})",
                "usage fresh=10 out=1"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OpenAiUsage, FindsUsageInsideAChoice) {
    EXPECT_EQ(
        text_of(frames(
            {R"({"choices":[{"index":0,"delta":{},"finish_reason":"length","usage":{"prompt_tokens":18,"completion_tokens":50,"cached_tokens":18}}]})"})),
        "started\nusage fresh=0 cache_read=18 out=50\nfinish 0 length\nended\n");
}

TEST(OpenAiUsage, ReportsNoUsageWhereThereIsNone) {
    EXPECT_EQ(
        text_of(frames({R"({"choices":[],"usage":{}})", R"({"choices":[],"usage":null})"}) + stop),
        "started\nfinish 0 stop\nended\n");
}

}  // namespace
}  // namespace runnel::provider
