#include "api_reading.hpp"
#include "corpus.hpp"
#include "plain_reading.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace runnel::conformance {
namespace {

using InDialect = std::pair<Recording, std::string_view>;

std::string name_of(const testing::TestParamInfo<InDialect>& info) {
    return test_name_of(info.param.first.name() + "_" + std::string(info.param.second));
}

// Every recording in each API that is not its provider's own, nor chat completions, which has tests
// of its own.
std::vector<InDialect> in_other_apis(Kind kind) {
    std::vector<InDialect> all;
    for (const Recording& recording : recordings_of(kind))
        for (const std::string_view dialect : dialects_of_other_apis())
            if (!is_own_api(recording.from(), dialect)) all.emplace_back(recording, dialect);
    return all;
}

class InOtherApi : public testing::TestWithParam<InDialect> {
protected:
    void SetUp() override {
        RUNNEL_SKIP_WITHOUT_CORPUS();
        upstream_ = recording().bytes();
        options_.from = recording().from();
        options_.to = GetParam().second;
    }

    const Recording& recording() const { return GetParam().first; }

    Answer expected(Form form) const {
        return as_told_in(options_.to, form,
                          read_plainly(recording().format, recording().from(), upstream_));
    }

    void expect_the_same(Answer plain, const Answer& client) {
        if (plain.failed || client.failed) forget_untold_calls(plain, client);
        EXPECT_TRUE(nothing_in(differences(plain, client)));
        if (!plain.failed && plain.usage && plain.usage->total > 0)
            EXPECT_TRUE(client.usage) << "upstream reported usage";
    }

    Answer streamed() {
        const std::string client = transcoded(options_, upstream_);
        ClientStream stream = read_any_stream(client, envelope_of(options_));
        EXPECT_TRUE(nothing_in(stream.report())) << "in the stream\n" << client.substr(0, 4000);
        return std::move(stream.answer);
    }

    void expect_whole_answer() {
        options_.json = true;
        const std::string client = transcoded(options_, upstream_);
        const ClientBody body = read_any_body(client, envelope_of(options_));
        EXPECT_TRUE(nothing_in(body.report())) << "in the body\n" << client.substr(0, 4000);
        const Answer plain = expected(Form::whole);
        // A failure is all that a client hears of a failed answer that it did not stream.
        if (plain.failed)
            EXPECT_TRUE(body.answer.failed);
        else
            expect_the_same(plain, body.answer);
    }

    std::string upstream_;
    cli::TranscodeOptions options_;
};

class RecordedStreamInApi : public InOtherApi {};

TEST_P(RecordedStreamInApi, ReachesTheClientWholeAndInOrder) {
    expect_the_same(expected(Form::stream), streamed());
}

TEST_P(RecordedStreamInApi, LooksTheSameHoweverItIsCut) {
    const std::string whole = transcoded(options_, upstream_);
    for (const std::size_t size : {1, 7}) {
        options_.split = size;
        EXPECT_TRUE(nothing_in(first_difference(whole, transcoded(options_, upstream_))))
            << size << " bytes at a time";
    }
    std::mt19937 random(static_cast<unsigned>(upstream_.size()));
    std::uniform_int_distribution<std::size_t> size(1, 4000);
    for (std::size_t sum = 0; sum < upstream_.size(); sum += options_.cuts.back())
        options_.cuts.push_back(std::min(size(random), upstream_.size() - sum));
    EXPECT_TRUE(nothing_in(first_difference(whole, transcoded(options_, upstream_))));
}

TEST_P(RecordedStreamInApi, FoldsIntoTheSameAnswer) { expect_whole_answer(); }

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedStreamInApi,
                         testing::ValuesIn(in_other_apis(Kind::stream)), name_of);

class RecordedBodyInApi : public InOtherApi {};

TEST_P(RecordedBodyInApi, BecomesAWholeAnswer) { expect_whole_answer(); }

TEST_P(RecordedBodyInApi, BecomesAStream) { expect_the_same(expected(Form::stream), streamed()); }

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedBodyInApi, testing::ValuesIn(in_other_apis(Kind::body)),
                         name_of);

class RecordedErrorInApi : public InOtherApi {};

// In the shape of the API's own errors, and without a word of whose key was refused.
TEST_P(RecordedErrorInApi, BecomesOneErrorObject) {
    options_.status = recording().status;
    options_.json = true;
    const std::string client = transcoded(options_, upstream_);
    const ClientBody body = read_any_body(client, envelope_of(options_));
    EXPECT_TRUE(nothing_in(body.report())) << client;
    EXPECT_TRUE(body.answer.failed) << client;
    EXPECT_EQ(client.find("://"), std::string::npos) << client;
    if (recording().status == 401)
        for (const char* word : {"authentication_error", "UNAUTHENTICATED", "invalid_api_key"})
            EXPECT_EQ(client.find(word), std::string::npos) << client;
}

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedErrorInApi, testing::ValuesIn(in_other_apis(Kind::error)),
                         name_of);

}  // namespace
}  // namespace runnel::conformance
