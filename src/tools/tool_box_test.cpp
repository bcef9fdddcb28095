#include "tools/tool_box.hpp"

#include "base/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace runnel::tools {
namespace {

using boost::asio::awaitable;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Offers what it is told to, or is not there.
class FakeSource final : public ToolSource {
public:
    explicit FakeSource(Result<std::vector<std::string>> names) : names_(std::move(names)) {}

    awaitable<Result<std::vector<ToolSpec>>> list(http::Stop*) override {
        ++listed;
        if (!names_) co_return propagate(names_);
        std::vector<ToolSpec> specs;
        for (const std::string& name : *names_) specs.push_back({name, "", "{}"});
        co_return specs;
    }
    awaitable<ToolOutcome> run(ToolCall call, http::Stop*) override {
        co_return ToolOutcome{ToolOutcome::Kind::completed, "ran " + call.name, "{}"};
    }

    static inline std::atomic<int> listed = 0;

private:
    Result<std::vector<std::string>> names_;
};

class ToolBoxTest : public ::testing::Test {
protected:
    void add(std::string entry, Result<std::vector<std::string>> names) {
        entries_.push_back({std::move(entry), std::make_unique<FakeSource>(std::move(names))});
    }
    ToolBox& box() {
        if (!box_) box_.emplace(&thread_, std::move(entries_));
        return *box_;
    }
    template <class T>
    T wait_for(awaitable<T> work) {
        auto result = boost::asio::co_spawn(loop_, std::move(work), boost::asio::use_future);
        loop_.restart();
        loop_.run();
        return result.get();
    }
    ToolBox::Offer offer(std::vector<std::string> names) {
        return wait_for(box().offer(names, &stop_));
    }
    static std::vector<std::string> names_of(const ToolBox::Offer& offer) {
        std::vector<std::string> names;
        for (const ToolBox::Offered& tool : offer.tools) names.push_back(tool.spec.name);
        return names;
    }

    boost::asio::io_context loop_;
    http::Stop stop_;
    http::UpstreamTls tls_;
    ToolThread thread_{&tls_};
    std::vector<ToolBox::Entry> entries_;
    std::optional<ToolBox> box_;
};

TEST_F(ToolBoxTest, GivesToolsOfTheSameNameNamesOfTheirOwn) {
    const std::string name_64(64, 'x');
    add("one", std::vector<std::string>{"find", "two_find", name_64});
    add("two", std::vector<std::string>{"find", name_64});
    add("three", std::vector<std::string>{"find", "get"});
    const ToolBox::Offer all = offer({"one", "two", "three"});
    EXPECT_FALSE(all.missing);
    EXPECT_THAT(names_of(all), ElementsAre("find", "two_find", name_64, "two_find_2",
                                           "two_" + std::string(60, 'x'), "three_find", "get"));
    const ToolOutcome outcome = wait_for(box().run(all.tools[3], {}, &stop_));
    EXPECT_EQ(outcome.text, "ran find");
    EXPECT_THAT(names_of(offer({"three"})), ElementsAre("find", "get"));
}

TEST_F(ToolBoxTest, LetsNoSourceHaveTheNameOfAnotherEntry) {
    add("notes", std::vector<std::string>{"calculator", "notes", "find"});
    add("calculator", std::vector<std::string>{"calculator"});
    const ToolBox::Offer all = offer({"notes", "calculator"});
    EXPECT_THAT(names_of(all), ElementsAre("notes_calculator", "notes", "find", "calculator"));
    EXPECT_THAT(names_of(offer({"notes"})), ElementsAre("calculator", "notes", "find"));
}

TEST_F(ToolBoxTest, SaysWhichToolIsNotThereWithoutSayingWhere) {
    add("here", std::vector<std::string>{"find"});
    add("gone", fail(ErrorKind::upstream_unreachable, "tools.gone: at http://10.0.0.7: refused"));
    const ToolBox::Offer both = offer({"here", "gone"});
    EXPECT_THAT(names_of(both), ElementsAre("find"));
    ASSERT_TRUE(both.missing);
    EXPECT_EQ(both.missing->kind, ErrorKind::model_unavailable);
    EXPECT_EQ(both.missing->message,
              "the tool 'gone' is not available now: its server can't be reached");
    EXPECT_EQ(both.missing->detail, "tools.gone: at http://10.0.0.7: refused");
    EXPECT_FALSE(offer({"here"}).missing);
}

// No memory, or a bug.
class BreakingSource final : public ToolSource {
public:
    explicit BreakingSource(int lists) : lists_left_(lists) {}

    awaitable<Result<std::vector<ToolSpec>>> list(http::Stop*) override {
        if (lists_left_-- == 0) throw std::bad_alloc();
        co_return std::vector{ToolSpec{"find", "", "{}"}};
    }
    awaitable<ToolOutcome> run(ToolCall call, http::Stop*) override {
        if (!call.arguments_json.empty()) throw std::bad_alloc();
        co_return ToolOutcome{};
    }

private:
    int lists_left_;
};

TEST_F(ToolBoxTest, TellsWhoeverWaitsThatAToolsWorkBroke) {
    entries_.push_back({"breaks", std::make_unique<BreakingSource>(1)});
    const ToolBox::Offer there = offer({"breaks"});
    ASSERT_EQ(there.tools.size(), 1U);
    ToolCall call;
    call.arguments_json = "{}";
    const ToolOutcome outcome = wait_for(box().run(there.tools[0], call, &stop_));
    EXPECT_EQ(outcome.kind, ToolOutcome::Kind::failed);
    EXPECT_EQ(outcome.text, "the tool failed inside the gateway; its log has why");
    const ToolBox::Offer broken = offer({"breaks"});
    ASSERT_TRUE(broken.missing);
    EXPECT_EQ(broken.missing->kind, ErrorKind::internal_error);
}

TEST_F(ToolBoxTest, WarnsOfToolsThatAreNotThereBeforeTheyAreNeeded) {
    add("here", std::vector<std::string>{"find"});
    add("gone", fail(ErrorKind::upstream_unreachable, "tools.gone: refused"));
    FakeSource::listed = 0;
    log::set_up(log::Format::text, log::Level::warning);
    ::testing::internal::CaptureStderr();
    box().get_ready();
    offer({"here"});  // comes after it, on the same thread
    log::flush();
    log::set_up(log::format_for_stderr(), log::Level::info);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("tools.gone: refused"), HasSubstr("correct tools.gone"),
                      Not(HasSubstr("tools.here"))));
    EXPECT_EQ(FakeSource::listed, 3);
}

}  // namespace
}  // namespace runnel::tools
