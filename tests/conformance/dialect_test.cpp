#include "api/registry.hpp"
#include "corpus.hpp"
#include "plain_reading.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

namespace runnel::conformance {
namespace {

// Every recorded stream in each of the dialects that are not the default, which has tests of its
// own.
class RecordedInDialect : public testing::TestWithParam<std::tuple<Recording, std::string_view>> {
protected:
    void SetUp() override {
        RUNNEL_SKIP_WITHOUT_CORPUS();
        upstream_ = recording().bytes();
        options_.from = recording().from();
        options_.to = std::get<1>(GetParam());
        options_.include_usage = true;
    }

    const Recording& recording() const { return std::get<0>(GetParam()); }

    Answer plain_reading() const {
        return read_plainly(recording().format, recording().from(), upstream_);
    }

    std::string client_bytes() const {
        return with_minted_ids_numbered(transcoded(options_, upstream_), upstream_);
    }

    std::string upstream_;
    cli::TranscodeOptions options_;
};

TEST_P(RecordedInDialect, ReachesTheClientWholeAndInOrder) {
    const Answer client = streamed_answer(options_, upstream_);
    Answer plain = plain_reading();
    if (options_.to == "timeline" && plain.failed) forget_untold_calls(plain, client);
    EXPECT_TRUE(nothing_in(differences(plain, client)));
    if (!plain.failed && plain.usage) EXPECT_TRUE(client.usage) << "upstream reported usage";
}

TEST_P(RecordedInDialect, ShowsUsageUnaskedWhereItsClientsCountOnIt) {
    options_.include_usage = false;
    const Answer client = streamed_answer(options_, upstream_);
    const Answer plain = plain_reading();
    if (options_.to != "timeline")
        EXPECT_FALSE(client.usage);
    else if (!plain.failed && plain.usage)
        EXPECT_TRUE(client.usage);
}

TEST_P(RecordedInDialect, LooksTheSameHoweverItIsCut) {
    const std::string whole = client_bytes();
    for (const std::size_t size : {1, 7}) {
        options_.split = size;
        EXPECT_TRUE(nothing_in(first_difference(whole, client_bytes())))
            << size << " bytes at a time";
    }
}

TEST_P(RecordedInDialect, FoldsIntoTheSameAnswer) {
    const Answer client = folded_answer(options_, upstream_);
    const Answer plain = plain_reading();
    if (plain.failed)
        EXPECT_TRUE(client.failed);
    else
        EXPECT_TRUE(nothing_in(differences(plain, client)));
}

std::vector<std::string_view> other_dialects() {
    const auto names = api::chat_dialect_names();
    return {names.begin() + 1, names.end()};
}

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedInDialect,
                         testing::Combine(testing::ValuesIn(recordings_of(Kind::stream)),
                                          testing::ValuesIn(other_dialects())),
                         [](const auto& info) {
                             return test_name_of(std::get<0>(info.param).name() + "_" +
                                                 std::string(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace runnel::conformance
