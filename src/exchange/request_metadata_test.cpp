#include "exchange/request_metadata.hpp"

#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

std::string_view metadata_in(std::vector<chat::Field> fields) {
    chat::Request request;
    request.fields = std::move(fields);
    return metadata_of(request);
}

TEST(RequestMetadata, IsWhatWasSent) {
    EXPECT_EQ(metadata_in({{"model", R"("m")"}, {"metadata", R"({"a":"b"})"}}), R"({"a":"b"})");
    EXPECT_EQ(metadata_in({{"metadata", "null"}}), "");
    EXPECT_EQ(metadata_in({}), "");
}

}  // namespace
}  // namespace runnel::exchange
