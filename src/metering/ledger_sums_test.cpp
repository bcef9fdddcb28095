#include "metering/ledger_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// A ledger that answers when it is told to.
struct Ledger {
    struct Question {
        Holder holder;
        access::UtcTime since;
        LedgerAnswer answer;
    };
    std::vector<Question> questions{};

    AskLedger asker() {
        return [this](const Holder& holder, access::UtcTime since, LedgerAnswer answer) {
            questions.push_back({holder, since, std::move(answer)});
        };
    }
    void answer(Result<LedgerSum> sum) {
        auto asked = std::exchange(questions, {});
        for (Question& question : asked) question.answer(sum);
    }
};

class LedgerSumsTest : public ::testing::Test {
protected:
    Claim claim(std::string key = "k1") const {
        access::Key owner{std::move(key)};
        owner.limits.rpm = 5;
        owner.budget = access::Budget{Money::from_usd(1), access::Budget::Period::day};
        return make_claim("c", {&owner, "m"}, {}, access::UtcTime{});
    }
    void find() {
        sums.find(claim(), [this](Result<LedgerSums::Sums> found) {
            answers.push_back(found ? found->at(0).spent.nano_usd : -1);
        });
    }

    Ledger ledger;
    LedgerSums::Clock::time_point now{};
    LedgerSums sums{ledger.asker(), [this] { return now; }};
    std::vector<std::int64_t> answers{};
};

TEST_F(LedgerSumsTest, AsksOnceForAllWhoWait) {
    EXPECT_FALSE(sums.known(claim()));
    find();
    find();
    ASSERT_EQ(ledger.questions.size(), 1u);
    EXPECT_EQ(ledger.questions[0].holder, (Holder{Holder::Kind::key, "k1"}));
    ledger.answer(Money{7});
    EXPECT_THAT(answers, ElementsAre(7, 7));
    ASSERT_TRUE(sums.known(claim()));
    EXPECT_EQ(sums.known(claim())->at(0).spent, Money{7});
    EXPECT_EQ(sums.known(claim())->at(1).spent, Money{});
}

TEST_F(LedgerSumsTest, GivesOldSumsWhileItAsksAgain) {
    find();
    ledger.answer(Money{7});
    now += 61s;
    EXPECT_FALSE(sums.known(claim()));
    find();
    find();
    EXPECT_THAT(answers, ElementsAre(7, 7, 7));
    EXPECT_EQ(ledger.questions.size(), 1u);
    ledger.answer(Money{9});
    find();
    EXPECT_THAT(answers, ElementsAre(7, 7, 7, 9));
    // A ledger that is away changes nothing.
    now += 61s;
    find();
    ledger.answer(fail(ErrorKind::store_unavailable, "away"));
    find();
    EXPECT_THAT(answers, ElementsAre(7, 7, 7, 9, 9, 9));
}

TEST_F(LedgerSumsTest, AsksAgainAfterAFailureAndWhenTold) {
    find();
    ledger.answer(fail(ErrorKind::store_unavailable, "away"));
    EXPECT_THAT(answers, ElementsAre(-1));
    find();
    ledger.answer(Money{3});
    EXPECT_THAT(answers, ElementsAre(-1, 3));
    sums.doubt(LedgerSums::OldOnes::will_do);
    EXPECT_FALSE(sums.known(claim()));
    find();
    EXPECT_THAT(answers, ElementsAre(-1, 3));
    ledger.answer(Money{4});
    EXPECT_THAT(answers, ElementsAre(-1, 3, 4));
    sums.doubt(LedgerSums::OldOnes::will_do);
    find();
    ledger.answer(fail(ErrorKind::store_unavailable, "away"));
    EXPECT_THAT(answers, ElementsAre(-1, 3, 4, 4));
    EXPECT_TRUE(sums.known(claim()));
}

TEST_F(LedgerSumsTest, GivesNoOldSumWhereOnlyANewOneWillDo) {
    find();
    ledger.answer(Money{3});
    sums.doubt(LedgerSums::OldOnes::will_not_do);
    for (int i = 0; i < 2; ++i) {
        find();
        ledger.answer(fail(ErrorKind::store_unavailable, "away"));
        EXPECT_FALSE(sums.known(claim()));
    }
    find();
    ledger.answer(Money{4});
    find();
    EXPECT_THAT(answers, ElementsAre(3, -1, -1, 4, 4));
}

TEST_F(LedgerSumsTest, SaysNoLessThanWhoeverElseCounts) {
    find();
    ledger.answer(Money{3});
    LedgerSums::Sums told(claim().holds.size());
    told[0] = {Money{5}, now};
    sums.hear(claim(), told);
    told[0] = {Money{4}, now};  // has lost something
    sums.hear(claim(), told);
    sums.doubt(LedgerSums::OldOnes::will_not_do);
    find();
    ledger.answer(Money{3});
    EXPECT_THAT(answers, ElementsAre(3, 5));
    EXPECT_EQ(sums.known(claim())->at(0).as_of, now);
    sums.doubt(LedgerSums::OldOnes::will_not_do);
    find();
    ledger.answer(Money{6});
    EXPECT_THAT(answers, ElementsAre(3, 5, 6));
}

TEST_F(LedgerSumsTest, AsksMoreOftenWhereNobodyElseKnows) {
    find();
    ledger.answer(Money{3});
    now += 6s;
    EXPECT_TRUE(sums.known(claim()));
    sums.refresh(LedgerSums::Refresh::often);
    EXPECT_FALSE(sums.known(claim()));
    sums.refresh(LedgerSums::Refresh::seldom);
    EXPECT_TRUE(sums.known(claim()));
}

TEST(LedgerSums, AreZeroWithoutALedgerAndWithoutABudget) {
    LedgerSums sums{nullptr};
    access::Key key{"k1"};
    key.budget = access::Budget{Money::from_usd(1)};
    EXPECT_THAT(*sums.known(make_claim("c", {&key, "m"}, {}, access::UtcTime{})),
                ElementsAre(LedgerSum{}));
}

}  // namespace
}  // namespace runnel::metering
