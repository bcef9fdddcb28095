#include "api/issued.hpp"

#include <gtest/gtest.h>

namespace runnel::api {
namespace {

TEST(Issued, FindsItsWayBackToWhoeverMadeIt) {
    for (const std::string_view issuer : {"gemini/gemini-3-pro", "ollama/qwen3:8b", "a\"b\\c", ":"})
        for (const std::string_view data : {"c2ln", "a:b:c", ""}) {
            std::string carried;
            append_issued(carried, issuer, data);
            const Issued read = read_issued(carried);
            EXPECT_EQ(read.issuer, issuer);
            EXPECT_EQ(read.data_escaped, data);
        }
}

TEST(Issued, LeavesAProvidersOwnAsItIs) {
    EXPECT_EQ(read_issued("EqQBCgIYAhIM").issuer, "");
    EXPECT_EQ(read_issued("EqQBCgIYAhIM").data_escaped, "EqQBCgIYAhIM");
}

TEST(Issued, TakesNothingFromWhatIsBroken) {
    for (const std::string_view carried :
         {"runnel:", "runnel:x", "runnel:3", "runnel:3:", "runnel:9:ab:c", "runnel:2:abc",
          "runnel:99999999999999999999:a:b", "runnel:-1:a:b"}) {
        EXPECT_EQ(read_issued(carried).issuer, "") << carried;
        EXPECT_EQ(read_issued(carried).data_escaped, "") << carried;
    }
}

}  // namespace
}  // namespace runnel::api
