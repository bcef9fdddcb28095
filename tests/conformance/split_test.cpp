#include "corpus.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace runnel::conformance {
namespace {

// A network delivers bytes in pieces of any size: the client must not be able to tell.
class SplitStream : public testing::TestWithParam<Recording> {
protected:
    void SetUp() override {
        RUNNEL_SKIP_WITHOUT_CORPUS();
        upstream_ = GetParam().bytes();
        options_.from = GetParam().from();
        options_.include_usage = true;
        whole_ = client_bytes();
    }

    std::string client_bytes() const {
        return with_minted_ids_numbered(transcoded(options_, upstream_), upstream_);
    }

    std::string upstream_;
    std::string whole_;
    cli::TranscodeOptions options_;
};

TEST_P(SplitStream, LooksTheSameInReadsOfEverySize) {
    for (const std::size_t size : {1, 2, 3, 7}) {
        options_.split = size;
        EXPECT_TRUE(nothing_in(first_difference(whole_, client_bytes())))
            << size << " bytes at a time";
    }
}

TEST_P(SplitStream, LooksTheSameInReadsOfRandomSizes) {
    std::mt19937 random(static_cast<unsigned>(upstream_.size()));
    for (int round = 0; round < 5; ++round) {
        std::uniform_int_distribution<std::size_t> size(1, std::size_t{16} << (2 * round));
        options_.cuts.clear();
        for (std::size_t sum = 0; sum < upstream_.size(); sum += options_.cuts.back())
            options_.cuts.push_back(std::min(size(random), upstream_.size() - sum));
        EXPECT_TRUE(nothing_in(first_difference(whole_, client_bytes()))) << "round " << round;
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, SplitStream, testing::ValuesIn(recordings_of(Kind::stream)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

}  // namespace
}  // namespace runnel::conformance
