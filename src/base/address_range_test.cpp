#include "base/address_range.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace runnel {
namespace {

bool bit_of(const IpBytes& address, unsigned bit) { return address[bit / 8] >> (7 - bit % 8) & 1; }

std::string plain_v6(const IpBytes& address) {
    std::string text;
    for (std::size_t i = 0; i < address.size(); i += 2)
        text += fmt::format("{}{:x}", i == 0 ? "" : ":", address[i] << 8 | address[i + 1]);
    return text;
}

std::string v4_text(const IpBytes& address) {
    return fmt::format("{}.{}.{}.{}", address[12], address[13], address[14], address[15]);
}

// The same address with a run of zero groups left out, if there is one.
std::string short_v6(const IpBytes& address) {
    const std::string text = ":" + plain_v6(address) + ":";
    const std::size_t zeros = text.find(":0:");
    if (zeros == std::string::npos) return plain_v6(address);
    const std::string before = text.substr(0, zeros), after = text.substr(zeros + 3);
    return (before.empty() ? "" : before.substr(1)) +
           "::" + (after.empty() ? "" : after.substr(0, after.size() - 1));
}

class RandomAddresses : public ::testing::Test {
protected:
    IpBytes address() {
        IpBytes bytes;
        for (auto& byte : bytes)
            byte = random_() % 3 == 0 ? 0 : static_cast<std::uint8_t>(random_() % 256);
        if (random_() % 2 == 0) bytes = *read_address(v4_text(bytes));
        return bytes;
    }
    // One that shares the first bits with `other`, and whose next bit differs.
    IpBytes like(const IpBytes& other, unsigned bits) {
        IpBytes bytes = address();
        for (unsigned bit = 0; bit < bits; ++bit) set(bytes, bit, bit_of(other, bit));
        if (bits < 128) set(bytes, bits, !bit_of(other, bits));
        return bytes;
    }
    static void set(IpBytes& bytes, unsigned bit, bool value) {
        const auto mask = static_cast<std::uint8_t>(1 << (7 - bit % 8));
        bytes[bit / 8] =
            static_cast<std::uint8_t>(value ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
    }
    static bool is_v4(const IpBytes& bytes) {
        return plain_v6(bytes).starts_with("0:0:0:0:0:ffff:");
    }

    std::mt19937 random_{7};
};

TEST_F(RandomAddresses, AreReadInEverySpelling) {
    for (int i = 0; i < 5000; ++i) {
        const IpBytes bytes = address();
        EXPECT_EQ(read_address(plain_v6(bytes)), bytes) << plain_v6(bytes);
        EXPECT_EQ(read_address(short_v6(bytes)), bytes) << short_v6(bytes);
        EXPECT_EQ(read_address(plain_v6(bytes) + "%eth0"), bytes);
        if (!is_v4(bytes)) continue;
        EXPECT_EQ(read_address(v4_text(bytes)), bytes) << v4_text(bytes);
        EXPECT_EQ(read_address("::ffff:" + v4_text(bytes)), bytes);
        EXPECT_EQ(read_address("::FFFF:" + v4_text(bytes)), bytes);
    }
}

TEST_F(RandomAddresses, AreInARangeIfAndOnlyIfItsBitsAreTheirs) {
    for (int i = 0; i < 20000; ++i) {
        const IpBytes first = address();
        const bool v4 = is_v4(first);
        const auto bits = static_cast<unsigned>(random_() % (v4 ? 33 : 129));
        const auto range =
            read_address_range(fmt::format("{}/{}", v4 ? v4_text(first) : plain_v6(first), bits));
        ASSERT_TRUE(range);
        const unsigned all_bits = v4 ? bits + 96 : bits;
        const IpBytes other =
            like(first, std::min(128u, all_bits + static_cast<unsigned>(random_() % 5) - 2));
        bool same = is_v4(other) == v4;
        for (unsigned bit = 0; bit < all_bits; ++bit)
            same &= bit_of(first, bit) == bit_of(other, bit);
        EXPECT_EQ(range->contains(other), same)
            << plain_v6(first) << "/" << all_bits << " " << plain_v6(other);
        EXPECT_TRUE(range->contains(first));
    }
}

TEST(AddressRange, WithoutAPrefixIsOneAddress) {
    const auto range = read_address_range("192.0.2.7");
    EXPECT_TRUE(range->contains(*read_address("192.0.2.7")));
    EXPECT_TRUE(range->contains(*read_address("::ffff:192.0.2.7")));
    EXPECT_FALSE(range->contains(*read_address("192.0.2.6")));
}

TEST(AddressRange, OfAllOfOneKindHasNoneOfTheOther) {
    EXPECT_FALSE(read_address_range("::/0")->contains(*read_address("10.0.0.1")));
    EXPECT_TRUE(read_address_range("::/0")->contains(*read_address("2001:db8::1")));
    EXPECT_TRUE(read_address_range("0.0.0.0/0")->contains(*read_address("10.0.0.1")));
    EXPECT_FALSE(read_address_range("0.0.0.0/0")->contains(*read_address("2001:db8::1")));
}

TEST(AddressRange, IsNotReadFromWhatIsNone) {
    for (const char* text : {"",
                             "10",
                             "10.0.0",
                             "10.0.0.0.0",
                             "10.0.0.256",
                             "010.0.0.1",
                             "10.0.0.0/33",
                             "10.0.0.0/",
                             "10.0.0.0/-1",
                             "10.0.0.0/+1",
                             "10.0.0.0/8/8",
                             "a.b.c.d",
                             "10.0.0.1 ",
                             " 10.0.0.1",
                             ":",
                             ":::",
                             "1:2:3:4:5:6:7",
                             "1:2:3:4:5:6:7:8:9",
                             "1::2::3",
                             "::1:",
                             ":1::",
                             "12345::",
                             "::g",
                             "::/129",
                             "1:2:3:4:5:6:7:8::",
                             "1.2.3.4::",
                             "::1.2.3",
                             "::1.2.3.4:5",
                             "example.com",
                             "1:2:3:4:5:6:7:1.2.3.4",
                             "fe80::1%eth0/64",
                             "localhost",
                             "*"})
        EXPECT_FALSE(read_address_range(text)) << text;
}

}  // namespace
}  // namespace runnel
