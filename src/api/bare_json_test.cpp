#include "api/registry.hpp"
#include "timeline/answer.hpp"

#include <gtest/gtest.h>

namespace runnel::api {
namespace {

using namespace timeline;

constexpr std::string_view dialects[] = {"openai", "timeline", "agent", "agent-raw"};

Envelope json_only() {
    Envelope envelope;
    envelope.id = "chatcmpl-T";
    envelope.model = "m1";
    envelope.usage = Envelope::Usage::shown;
    envelope.form = Envelope::Form::bare_json;
    return envelope;
}

void answer(Sink& sink) {
    sink.on(Started{});
    sink.on(ServerTool{ServerTool::State::completed, "srv_1", "gas", "{}", "1"});
    sink.on(Reasoning{0, "hm"});
    sink.on(Text{0, R"({\"a\":\"é\\n\"})"});
    sink.on(Finished{0, Finish::stop, "stop"});
    sink.on(UsageReported{{.fresh_input = 7, .output = 2}});
    sink.on(Ended{});
}

TEST(BareJson, IsOneEventInEveryDialect) {
    for (const std::string_view name : dialects) {
        std::string out;
        answer(*dialect_named(name)->make_encoder(json_only(), &out));
        EXPECT_EQ(out, "data: {\"a\":\"é\\n\"}\n\ndata: [DONE]\n\n") << name;
    }
}

TEST(BareJson, IsTheWholeBodyInEveryDialect) {
    for (const std::string_view name : dialects) {
        Fold fold;
        answer(fold);
        EXPECT_EQ(dialect_named(name)->write_answer(json_only(), fold.answer()), "{\"a\":\"é\\n\"}")
            << name;
    }
}

TEST(BareJson, FailsWithABareErrorFrame) {
    for (const std::string_view name : dialects) {
        std::string out;
        const auto encoder = dialect_named(name)->make_encoder(json_only(), &out);
        encoder->on(Failed{{ErrorKind::response_schema_unsatisfied, "no JSON"}});
        encoder->on(Ended{});
        EXPECT_EQ(out,
                  "data: {\"error\":{\"message\":\"no JSON\",\"type\":\"server_error\",\"code\":"
                  "\"response_schema_unsatisfied\",\"param\":null}}\n\ndata: [DONE]\n\n")
            << name;
    }
}

}  // namespace
}  // namespace runnel::api
