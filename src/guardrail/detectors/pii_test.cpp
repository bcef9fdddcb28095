#include "guardrail/detectors/pii.hpp"

#include "support/guardrail_rules.hpp"

#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

std::string redacted(std::vector<std::string> kinds, std::string_view text) {
    return testing::redacted("pii", std::move(kinds), text);
}

TEST(Luhn, TellsCardNumbersFromOthers) {
    for (const std::string_view number :
         {"4111111111111111", "5500005555555559", "378282246310005", "6011111111111117",
          "30569309025904", "3530111333300000", "6304000000000000", "4222222222222", "79927398713"})
        EXPECT_TRUE(passes_luhn(number)) << number;
    for (const std::string_view number :
         {"4111111111111112", "79927398710", "1234567812345678", ""})
        EXPECT_FALSE(passes_luhn(number)) << number;
}

TEST(Iban, NeedsItsCountrysLengthAndTheRightRemainder) {
    for (const std::string_view iban :
         {"DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606",
          "NL91ABNA0417164300", "NO9386011117947", "CH9300762011623852957",
          "MT84MALT011000012345MTLCAST001S", "SA0380000000608010167519"})
        EXPECT_TRUE(passes_iban(iban)) << iban;
    for (const std::string_view iban :
         {"DE89370400440532013001", "DE8937040044053201300", "XX89370400440532013000", "DE", ""})
        EXPECT_FALSE(passes_iban(iban)) << iban;
}

TEST(Pii, FindsCardNumbersHoweverTheyAreGrouped) {
    EXPECT_EQ(redacted({"card"}, "Card 4111111111111111."), "Card [card].");
    EXPECT_EQ(redacted({"card"}, "4111 1111 1111 1111 ok"), "[card] ok");
    EXPECT_EQ(redacted({"card"}, "4111-1111-1111-1111"), "[card]");
    EXPECT_EQ(redacted({"card"}, "Amex 3782 822463 10005,"), "Amex [card],");
    EXPECT_EQ(redacted({"card"}, "4111\u00a01111\u20111111\u20131111"), "[card]");
    EXPECT_EQ(redacted({"card"}, "4111 1111 1111 1111 555 items"), "[card] 555 items");
    EXPECT_EQ(redacted({"card"}, "No 123 4111 1111 1111 1111"), "No 123 [card]");
}

TEST(Pii, TakesOtherNumbersForNoCards) {
    for (const std::string_view text :
         {"4111 1111 1111 1112", "12 34 56 78 90 12 34 56", "0000 0000 0000 0000",
          "2024-05-12 10:30:00", "41111111111111110000000", "1 000 000 000", "5.500005555555559"})
        EXPECT_EQ(redacted({"card"}, text), text);
}

TEST(Pii, FindsMailAddresses) {
    EXPECT_EQ(redacted({"email"}, "Write to jane.doe+x@mail.example.co.uk, please"),
              "Write to [email], please");
    EXPECT_EQ(redacted({"email"}, "<a@b.io>."), "<[email]>.");
    EXPECT_EQ(redacted({"email"}, "o'neil@example.com."), "[email].");
    for (const std::string_view text :
         {"me@localhost", "@handle said", "a@b", "x @ y.com", "user@@example.com", "1@2.3"})
        EXPECT_EQ(redacted({"email"}, text), text);
}

TEST(Pii, FindsPhoneNumbersOfSeveralShapes) {
    for (const std::string_view number :
         {"+49 (0)30 1234567", "+1 415-555-2671", "+442079460958", "0033 1 23 45 67 89",
          "(415) 555-2671", "415-555-2671", "415.555.2671", "1-415-555-2671", "030 1234567",
          "0171/1234567", "020 7946 0958", "01 23 45 67 89", "(0171) 123 45 67"})
        EXPECT_EQ(redacted({"phone"}, "Call " + std::string(number) + " now."),
                  "Call [phone] now.");
}

TEST(Pii, SpacesAndDashesThatDoNotBreakHideNothing) {
    for (const std::string_view number :
         {"+49\u202f(0)30\u202f1234567", "+1\u2011415\u2011555\u20112671",
          "(415)\u00a0555\u20112671", "415\u2013555\u20132671", "030\u00a01234567",
          "01\u202f23\u202f45\u202f67\u202f89", "030\u30001234567"})
        EXPECT_EQ(redacted({"phone"}, "Call " + std::string(number) + " now."),
                  "Call [phone] now.");
    for (const std::string_view account : {"DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000",
                                           "DE89\u20113704\u20110044\u20110532\u20110130\u201100",
                                           "DE89\u202f3704 0044\u20090532\u22120130 00"})
        EXPECT_EQ(redacted({"iban"}, "To " + std::string(account) + "\u00a0!"), "To [iban]\u00a0!");
}

TEST(Pii, WhatNobodySeesHidesNothing) {
    for (const std::string_view unseen :
         {"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200b\u2060"}) {
        // Behind each character.
        const auto strewn = [&](std::string_view text) {
            std::string out;
            for (const char c : text) (out += c) += unseen;
            return out;
        };
        EXPECT_EQ(redacted({"card"}, "No " + strewn("4111 1111 1111 1111") + "."),
                  "No [card]" + std::string(unseen) + ".");
        EXPECT_EQ(redacted({"iban"}, strewn("DE89370400440532013000")),
                  "[iban]" + std::string(unseen));
        EXPECT_EQ(redacted({"email"}, strewn("jane@example.com")), "[email]" + std::string(unseen));
        EXPECT_EQ(redacted({"phone"}, strewn("+1 415-555-2671")), "[phone]" + std::string(unseen));
        EXPECT_EQ(redacted({"secret"}, strewn("AKIAIOSFODNN7EXAMPLE")),
                  "[secret]" + std::string(unseen));
    }
}

TEST(Pii, TakesPlainNumbersForNoPhoneNumbers) {
    for (const std::string_view text :
         {"1234567890", "In 2024, 4155552671 units", "2024-05-12", "192.168.100.200", "3.14159265",
          "100 200 3000", "12:30:45", "+5", "1,234,567", "01.02.2024", "555-2671", "v1.2.345-678"})
        EXPECT_EQ(redacted({"phone"}, text), text);
}

TEST(Pii, FindsBankAccounts) {
    EXPECT_EQ(redacted({"iban"}, "IBAN DE89 3704 0044 0532 0130 00 is mine"),
              "IBAN [iban] is mine");
    EXPECT_EQ(redacted({"iban"}, "de89370400440532013000"), "[iban]");
    EXPECT_EQ(redacted({"iban"}, "GB82 WEST 1234 5698 7654 32."), "[iban].");
    for (const std::string_view text :
         {"DE89 3704 0044 0532 0130 01", "AB12 some words follow here", "XDE89370400440532013000"})
        EXPECT_EQ(redacted({"iban"}, text), text);
}

TEST(Pii, FindsCredentialsOfWellKnownShapes) {
    const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
    for (const std::string& secret_text : std::vector<std::string>{
             "sk-proj-" + letters, "rk-" + letters, "AKIAIOSFODNN7EXAMPLE", "ghp_" + letters,
             "github_pat_" + letters, "xoxb-1234567890-abcdef", "AIza" + letters.substr(0, 35),
             "sk_live_" + letters, "glpat-" + letters, "hf_" + letters,
             "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
             "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAK+/=\nCAQEA\n-----END RSA "
             "PRIVATE KEY-----"})
        EXPECT_EQ(redacted({"secret"}, "key: " + secret_text + " !"), "key: [secret] !");
    for (const std::string_view text :
         {"sk-short", "task-abcdefghijklmnopqrstuvwxyz", "AKIA", "ghp_short", "eyJhbGci.eyJ",
          "-----BEGIN PUBLIC KEY-----", "risk-free-and-something-very-long-indeed"})
        EXPECT_EQ(redacted({"secret"}, text), text);
}

}  // namespace
}  // namespace runnel::guardrail
