#include "corpus.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

// The specification's golden vectors, byte for byte. Each folder of tests/fixtures/golden has what
// upstream sends, what the client must get, and in case.json the options that lead from one to the
// other. Ids that the gateway makes up stand there as call_1, call_2, ….
namespace runnel::conformance {
namespace {

namespace fs = std::filesystem;

fs::path golden_folder() { return fs::path(RUNNEL_SOURCE_DIR) / "tests" / "fixtures" / "golden"; }

std::vector<std::string> golden_cases() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(golden_folder()))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

class Golden : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        const auto options = nlohmann::json::parse(file("case.json"));
        options_.from = options.at("from");
        options_.include_usage = options.value("include_usage", false);
        upstream_ = file("upstream.sse");
        expected_ = file("client.sse");
    }

    std::string file(const char* name) const {
        return read_file((golden_folder() / GetParam() / name).string());
    }

    std::string client() const {
        return with_minted_ids_numbered(transcoded(options_, upstream_), upstream_);
    }

    cli::TranscodeOptions options_;
    std::string upstream_;
    std::string expected_;
};

TEST_P(Golden, IsMetByteForByte) { EXPECT_TRUE(nothing_in(first_difference(expected_, client()))); }

TEST_P(Golden, IsMetInReadsOfEverySize) {
    for (options_.split = 1; options_.split <= upstream_.size(); ++options_.split)
        ASSERT_TRUE(nothing_in(first_difference(expected_, client())))
            << options_.split << " bytes at a time";
}

TEST_P(Golden, IsMetWhereverItIsCutInTwo) {
    for (std::size_t cut = 1; cut < upstream_.size(); ++cut) {
        options_.cuts = {cut, upstream_.size() - cut};
        ASSERT_TRUE(nothing_in(first_difference(expected_, client())))
            << "cut after " << cut << " bytes";
    }
}

// The reader that judges every other stream must find nothing wrong with these.
TEST_P(Golden, SatisfiesTheStrictReader) {
    EXPECT_TRUE(nothing_in(read_client_stream(expected_, envelope_of(options_)).report()));
}

INSTANTIATE_TEST_SUITE_P(Vectors, Golden, testing::ValuesIn(golden_cases()),
                         [](const auto& info) { return test_name_of(info.param); });

}  // namespace
}  // namespace runnel::conformance
