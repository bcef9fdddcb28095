#include "json/tree.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

namespace runnel::json {
namespace {

TEST(Tree, IsWrittenAsItWasRead) {
    for (const std::string_view raw :
         {R"({"b":[1,2.50,{"a":"\u00e9"}],"a":null})", "42", R"("text")", "true", "[]", "{}",
          "123456789012345678901234567890"}) {
        const auto tree = read_tree(raw);
        ASSERT_TRUE(tree) << raw;
        std::string written;
        append_tree(written, *tree);
        EXPECT_EQ(written, raw);
    }
}

TEST(Tree, IsOneWholeValue) {
    for (const std::string_view raw : {"", " ", "{", "1,2", "[1]]", "1]", "[1", R"({"a"})", "tru",
                                       R"({"a":1}{"b":2})", R"("\x")", "01"})
        EXPECT_FALSE(read_tree(raw)) << raw;
}

TEST(Tree, HasABoundOnItsDepth) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_TRUE(read_tree(nested(128)));
    EXPECT_FALSE(read_tree(nested(129)));
}

TEST(Tree, HasABoundOnItsValues) {
    std::string list = "[0";
    while (list.size() < 2 * limits::tree_values - 4) list += ",0";
    EXPECT_TRUE(read_tree(list + "]"));
    EXPECT_FALSE(read_tree(list + ",0,0]"));
}

}  // namespace
}  // namespace runnel::json
