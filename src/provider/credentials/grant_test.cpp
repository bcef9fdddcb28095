#include "provider/credentials/grant.hpp"

#include "provider/credentials/granted.hpp"
#include "support/fake_outside.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;
using testing::FakeOutside;

// Gives t1, t2, … that are good for an hour, or the failure that is set.
class NumberedSource final : public GrantSource {
public:
    NumberedSource(FakeOutside* outside, std::atomic<int>* fetches,
                   const std::optional<Error>* failure)
        : outside_(outside),
          fetches_(fetches),
          failure_(failure) {}

    Result<Grant> fetch() override {
        const int number = ++*fetches_;
        if (*failure_) return fail(**failure_);
        return Grant{.secret = Secret("t" + std::to_string(number)),
                     .expires = outside_->now() + 1h};
    }

private:
    FakeOutside* outside_;
    std::atomic<int>* fetches_;
    const std::optional<Error>* failure_;
};

class GrantTest : public ::testing::Test {
protected:
    // The token, or what went wrong; "waits" while neither is there.
    std::shared_ptr<std::string> get() {
        auto out = std::make_shared<std::string>("waits");
        keeper_->get([out](Result<GrantKeeper::Current> grant) {
            *out = grant ? (*grant)->secret.reveal() : grant.error().message;
        });
        return out;
    }

    FakeOutside outside_;
    std::atomic<int> fetches_ = 0;
    std::optional<Error> failure_;
    std::shared_ptr<GrantKeeper> keeper_ = std::make_shared<GrantKeeper>(
        std::make_unique<NumberedSource>(&outside_, &fetches_, &failure_), &outside_);
};

TEST_F(GrantTest, IsFetchedOnceAndGivenToAll) {
    const auto first = get();
    const auto second = get();
    EXPECT_EQ(*first, "waits");
    EXPECT_EQ(outside_.work(), 1);
    EXPECT_EQ(*first, "t1");
    EXPECT_EQ(*second, "t1");
    EXPECT_EQ(*get(), "t1");
    EXPECT_EQ(fetches_, 1);
}

TEST_F(GrantTest, IsRenewedBeforeItEndsWhileTheOldOneIsGivenOut) {
    get();
    outside_.work();
    outside_.time += 54min;
    EXPECT_EQ(*get(), "t1");
    EXPECT_EQ(outside_.work(), 0);
    outside_.time += 90s;
    EXPECT_EQ(*get(), "t1");
    EXPECT_EQ(*get(), "t1");
    EXPECT_EQ(outside_.work(), 1);
    EXPECT_EQ(*get(), "t2");
}

TEST_F(GrantTest, IsRenewedEarlierByChance) {
    outside_.chance = 0.99;
    get();
    outside_.work();
    outside_.time += 54min + 10s;
    get();
    EXPECT_EQ(outside_.work(), 1);
}

TEST_F(GrantTest, IsWaitedForWhereItHasEnded) {
    get();
    outside_.work();
    outside_.time += 60min;
    const auto late = get();
    EXPECT_EQ(*late, "waits");
    outside_.work();
    EXPECT_EQ(*late, "t2");
}

TEST_F(GrantTest, IsFetchedAgainWhereTheClockWasSetBack) {
    get();
    outside_.work();
    outside_.time -= 2h;
    EXPECT_EQ(*get(), "waits");
}

TEST_F(GrantTest, TellsAFailureToAllWhoWaitAndTriesAgainAMomentLater) {
    failure_ = Error{ErrorKind::upstream_unreachable, "nobody is there"};
    const auto first = get();
    const auto second = get();
    outside_.work();
    EXPECT_EQ(*first, "nobody is there");
    EXPECT_EQ(*second, "nobody is there");
    EXPECT_EQ(*get(), "nobody is there");
    EXPECT_EQ(outside_.work(), 0);
    outside_.time += 2s;
    failure_.reset();
    const auto third = get();
    EXPECT_EQ(outside_.work(), 1);
    EXPECT_EQ(*third, "t2");
}

TEST_F(GrantTest, OutlivesARenewalThatFails) {
    get();
    outside_.work();
    failure_ = Error{ErrorKind::upstream_failed, "broken"};
    outside_.time += 56min;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(*get(), "t1");
    EXPECT_EQ(outside_.work(), 1);
    EXPECT_EQ(*get(), "t1");
    EXPECT_EQ(outside_.work(), 0) << "it is not tried again at once";
    outside_.time += 11s;
    get();
    EXPECT_EQ(outside_.work(), 1);
}

TEST_F(GrantTest, IsGivenUpWhereTheProviderRefusesIt) {
    get();
    outside_.work();
    EXPECT_FALSE(keeper_->forget()) << "it was fetched only now";
    outside_.time += 1min;
    EXPECT_TRUE(keeper_->forget());
    EXPECT_EQ(*get(), "waits");
    outside_.work();
    EXPECT_EQ(*get(), "t2");
}

TEST_F(GrantTest, ThatHasEndedWhenItComesIsAFailure) {
    class Late final : public GrantSource {
        Result<Grant> fetch() override {
            return Grant{.secret = Secret("old"), .expires = Outside::Time{}};
        }
    };
    keeper_ = std::make_shared<GrantKeeper>(std::make_unique<Late>(), &outside_);
    const auto late = get();
    outside_.work();
    EXPECT_EQ(*late, "the credentials that were fetched have expired");
}

TEST_F(GrantTest, OfAThousandAtTheMomentOfItsEndIsRenewedOnce) {
    get();
    outside_.work();
    outside_.time += 61min;
    constexpr int threads = 8;
    constexpr int each = 125;
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < threads; ++i)
            all.emplace_back([&] {
                for (int k = 0; k < each; ++k)
                    keeper_->get([&](Result<GrantKeeper::Current> grant) {
                        if (grant && (*grant)->secret.reveal() == "t2") ++right;
                    });
            });
    }
    EXPECT_EQ(outside_.work(), 1);
    EXPECT_EQ(right, threads * each);
    EXPECT_EQ(fetches_, 2);
}

std::vector<std::string> proof_lines(const Credentials& credentials, FakeOutside& outside) {
    std::vector<std::string> lines;
    credentials.prove({"POST", "https://a", "/", {}, "{}"}, [&](const Credentials::Proof& proof) {
        if (!proof) lines.push_back("failed: " + proof.error().message);
        if (!proof) return;
        for (const HeaderField& header : *proof) lines.push_back(header.name + ": " + header.value);
    });
    outside.work();
    return lines;
}

TEST_F(GrantTest, IsInTheHeaderWhereTheProviderLooksForIt) {
    const TokenCredentials credentials(keeper_, {});
    EXPECT_EQ(proof_lines(credentials, outside_),
              std::vector<std::string>{"authorization: Bearer t1"});
    EXPECT_FALSE(credentials.renew());
}

TEST_F(GrantTest, SignsForAws) {
    class Keys final : public GrantSource {
        Result<Grant> fetch() override { return Grant{"AKID", Secret("key"), Secret("session")}; }
    };
    const AwsCredentials credentials(
        std::make_shared<GrantKeeper>(std::make_unique<Keys>(), &outside_),
        {"us-east-1", "bedrock"}, &outside_);
    const auto lines = proof_lines(credentials, outside_);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0], "x-amz-date: 20270115T080000Z");
    EXPECT_EQ(lines[1], "x-amz-security-token: session");
    EXPECT_TRUE(lines[2].starts_with("authorization: AWS4-HMAC-SHA256 Credential=AKID/20270115/"));
}

}  // namespace
}  // namespace runnel::provider
