#include "provider/inline_data.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

TEST(InlineData, IsReadFromADataUrlAsItStandsInJson) {
    const auto data = read_data_url(R"(data:Image\/PNG;name=a.png;base64,iVBO\/w==)");
    ASSERT_TRUE(data.has_value());
    EXPECT_EQ(data->media_type, "image/png");
    EXPECT_EQ(data->base64_escaped, R"(iVBO\/w==)");
    EXPECT_EQ(read_data_url("data:;base64,eA==")->media_type, "");
}

TEST(InlineData, IsNothingElse) {
    for (const std::string_view url :
         {"", "https://a.example/,", "data:image/png;base64", "data:text/plain,hello", "iVBO"})
        EXPECT_FALSE(read_data_url(url).has_value()) << url;
}

}  // namespace
}  // namespace runnel::provider
