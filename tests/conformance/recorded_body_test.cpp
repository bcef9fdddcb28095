#include "corpus.hpp"
#include "plain_reading.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

namespace runnel::conformance {
namespace {

class RecordedBody : public testing::TestWithParam<Recording> {
protected:
    void SetUp() override { RUNNEL_SKIP_WITHOUT_CORPUS(); }

    cli::TranscodeOptions options() const {
        cli::TranscodeOptions options;
        options.from = GetParam().from();
        return options;
    }

    Answer plain_reading(std::string_view bytes) const {
        return read_plainly(GetParam().format, GetParam().from(), bytes);
    }
};

TEST_P(RecordedBody, BecomesOneCompletion) {
    const std::string upstream = GetParam().bytes();
    const Answer client = folded_answer(options(), upstream);
    const Answer plain = plain_reading(upstream);
    if (plain.failed) {
        EXPECT_TRUE(client.failed);
        return;
    }
    EXPECT_TRUE(nothing_in(differences(plain, client)));
    EXPECT_TRUE(client.usage) << "a body always has usage";
}

TEST_P(RecordedBody, BecomesAStream) {
    const std::string upstream = GetParam().bytes();
    cli::TranscodeOptions asking = options();
    asking.include_usage = true;
    const Answer plain = plain_reading(upstream);
    const Answer client = streamed_answer(asking, upstream);
    EXPECT_TRUE(nothing_in(differences(plain, client)));
    if (!plain.failed && plain.usage) EXPECT_TRUE(client.usage) << "upstream reported usage";
}

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedBody, testing::ValuesIn(recordings_of(Kind::body)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

}  // namespace
}  // namespace runnel::conformance
