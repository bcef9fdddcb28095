#include "exchange/attempts/race.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <new>

namespace runnel::exchange {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

// What happens when there is no memory left in the middle of an answer.
class BreakingWire final : public provider::Wire {
    std::unique_ptr<framing::Framing> framing_for(char) const override { throw std::bad_alloc(); }
    void on_frame(const framing::Frame&, provider::Turn&) override {}
    void on_body(Padded, provider::Turn&) override {}
};

class BreakingProvider final : public provider::Provider {
    std::string_view origin() const override { return ""; }
    std::string_view display_name() const override { return "Nobody"; }
    Result<provider::Outgoing> write_request(const chat::Request&,
                                             std::string_view) const override {
        return provider::Outgoing{};
    }
    std::unique_ptr<provider::Wire> make_wire(json::Parser*) const override {
        return std::make_unique<BreakingWire>();
    }
    Error read_error(const provider::ErrorReply&) const override { return {}; }
    provider::TurnOptions turn_options(std::string_view) const override { return {}; }
};

std::shared_ptr<Attempt> breaking_attempt(Worker* worker, const ProviderSlot* slot) {
    using namespace std::chrono_literals;
    provider::Outgoing outgoing;
    outgoing.script = provider::Script{.pieces = {{1ms, "data: {}\n\n"}}};
    return std::make_shared<Attempt>(
        nullptr, worker, nullptr, router::Attempt{},
        UpstreamCall::Question{slot, nullptr, std::move(outgoing), {10s, 10s, 10s, 10s}},
        api::Envelope::Reasoning::shown, AnswerGate::WhenSpoken(), nullptr);
}

awaitable<void> wait_for_it(Race* race, std::shared_ptr<Attempt>* arrived) {
    co_await race->wait(std::nullopt);
    *arrived = race->take_arrived();
}

TEST(Race, HearsOfAnAttemptThatBreaks) {
    asio::io_context loop;
    http::UpstreamTls tls;
    Worker worker(&loop, &tls);
    const ProviderSlot slot{
        .name = "nobody", .kind = "demo", .provider = std::make_unique<BreakingProvider>()};
    Race race(&worker.tasks);
    race.enter(breaking_attempt(&worker, &slot));
    std::shared_ptr<Attempt> arrived;
    asio::co_spawn(loop, wait_for_it(&race, &arrived),
                   [&loop](const std::exception_ptr&) { loop.stop(); });
    loop.run();
    ASSERT_TRUE(arrived);
    ASSERT_TRUE(arrived->gate.failure());
    EXPECT_EQ(arrived->gate.failure()->kind, ErrorKind::internal_error);
    EXPECT_FALSE(arrived->gate.spoke());
}

}  // namespace
}  // namespace runnel::exchange
