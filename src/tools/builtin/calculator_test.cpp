#include "tools/builtin/calculator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using ::testing::HasSubstr;

std::string result(std::string_view expression) {
    const auto value = calculate(expression);
    return value ? write_number(*value) : value.error().message;
}

TEST(Calculator, KeepsPrecedence) {
    EXPECT_EQ(result("1 + 2 * 3"), "7");
    EXPECT_EQ(result("(1 + 2) * 3"), "9");
    EXPECT_EQ(result("10 - 4 - 3"), "3");
    EXPECT_EQ(result("100 / 10 / 2"), "5");
    EXPECT_EQ(result("2 ^ 3 ^ 2"), "512");
    EXPECT_EQ(result("2 ** 10"), "1024");
    EXPECT_EQ(result("-2 ^ 2"), "-4");
    EXPECT_EQ(result("2 ^ -1"), "0.5");
    EXPECT_EQ(result("2 * -3"), "-6");
    EXPECT_EQ(result("--3 + +4"), "7");
    EXPECT_EQ(result("17 % 5 * 2"), "4");
    EXPECT_EQ(result("2*3 ** 2"), "18");
}

TEST(Calculator, HasFunctionsAndConstants) {
    EXPECT_EQ(result("sqrt(16) + abs(-2)"), "6");
    EXPECT_EQ(result("min(3, 1, 2) + max(1, 5)"), "6");
    EXPECT_EQ(result("log(1000)"), "3");
    EXPECT_EQ(result("log(8, 2)"), "3");
    EXPECT_EQ(result("ln(e)"), "1");
    EXPECT_EQ(result("round(2.345, 2)"), "2.35");
    EXPECT_EQ(result("round(cos(pi))"), "-1");
    EXPECT_EQ(result("pow(2, 8)"), "256");
    EXPECT_EQ(result("sign(-3)"), "-1");
    EXPECT_EQ(result("pi"), "3.14159265358979");
}

TEST(Calculator, WritesNumbersAsPeopleDo) {
    EXPECT_EQ(result("0.1 + 0.2"), "0.3");
    EXPECT_EQ(result("1e3 + .5"), "1000.5");
    EXPECT_EQ(result("2 ^ 53"), "9007199254740992");
    EXPECT_EQ(result("10 ^ 20"), "1e+20");
    EXPECT_EQ(result("1 / 3"), "0.333333333333333");
    EXPECT_EQ(result("0 * -1"), "0");
}

TEST(Calculator, ExplainsMistakes) {
    EXPECT_EQ(result(""), "at character 1: a number is missing at the end");
    EXPECT_EQ(result("1 +"), "at character 4: a number is missing at the end");
    EXPECT_EQ(result("1 / 0"), "at character 6: a division by zero");
    EXPECT_EQ(result("1 % (2 - 2)"), "at character 12: a division by zero");
    EXPECT_EQ(result("(1 + 2"), "at character 7: a ')' is missing");
    EXPECT_EQ(result("1 + 2)"), "at character 6: a ')' without a '('");
    EXPECT_EQ(result("2 (3)"), "at character 3: an operator is missing, such as *");
    EXPECT_EQ(result("1,000 + 1"),
              "at character 2: a ',' outside a function; write 1000 for 1,000 and 1.5 for 1,5");
    EXPECT_EQ(result("sqr(2)"), "at character 1: there is no 'sqr'; did you mean 'sqrt'?");
    EXPECT_THAT(result("sqrt(1, 2)"), HasSubstr("'sqrt' takes 1 argument"));
    EXPECT_THAT(result("atan2(1)"), HasSubstr("'atan2' takes 2 arguments"));
    EXPECT_THAT(result("sqrt 4"), HasSubstr("needs its arguments in parentheses"));
    EXPECT_THAT(result("2 × 3"), HasSubstr("'×' is not an operator"));
    EXPECT_THAT(result("* 3"), HasSubstr("a number is missing before '*'"));
    EXPECT_EQ(result("sqrt(-1)"), "the result is not a real number");
    EXPECT_EQ(result("10 ^ 1000"), "the result is too large");
}

TEST(Calculator, IsSafeWithAnyText) {
    EXPECT_THAT(result(std::string(3000, '(')), HasSubstr("too many levels"));
    EXPECT_THAT(result(std::string(3000, '-') + "1"), HasSubstr("too many levels"));
    EXPECT_THAT(result("2" + std::string("^2")), HasSubstr("4"));
    std::string towers = "1";
    for (int i = 0; i < 500; ++i) towers += "^1";
    EXPECT_THAT(result(towers), HasSubstr("too many levels"));
    EXPECT_THAT(result(std::string(5000, '1')), HasSubstr("longer than"));
    EXPECT_THAT(result(std::string_view("1\0+ 2", 5)), HasSubstr("is not an operator"));
    EXPECT_THAT(result("\xff"), HasSubstr("a number is missing"));
    EXPECT_THAT(result("."), HasSubstr("not a number"));
}

}  // namespace
}  // namespace runnel::tools
