#include "api/registry.hpp"
#include "api_reading.hpp"
#include "corpus.hpp"
#include "plain_json.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <sstream>

// The specification's golden vectors, byte for byte. Each folder of tests/fixtures/golden has what
// upstream sends and, in case.json, the options it is read with; or the events of an answer that
// no single upstream can give. DIALECT.sse is what a client of that dialect must get, and
// DIALECT.json what it must get that does not stream. Ids that the gateway makes up stand there as
// call_1, call_2, ….
namespace runnel::conformance {
namespace {

namespace fs = std::filesystem;

struct Vector {
    std::string folder;
    std::string dialect;
    Form form = Form::stream;

    std::string file(const std::string& name) const { return golden_file(folder + "/" + name); }
    std::string expected() const {
        return file(dialect + (form == Form::stream ? ".sse" : ".json"));
    }
};

void PrintTo(const Vector& vector, std::ostream* out) {
    *out << vector.folder << " in " << vector.dialect
         << (vector.form == Form::whole ? ", whole" : "");
}

std::string name_of(const testing::TestParamInfo<Vector>& info) {
    return test_name_of(info.param.folder + "_" + info.param.dialect +
                        (info.param.form == Form::whole ? "_whole" : ""));
}

// Those with a file of this name.
std::vector<Vector> vectors_from(std::string_view source) {
    std::vector<Vector> vectors;
    const fs::path golden = fs::path(RUNNEL_SOURCE_DIR) / "tests" / "fixtures" / "golden";
    for (const auto& folder : fs::directory_iterator(golden)) {
        if (!fs::exists(folder.path() / source)) continue;
        for (const std::string_view dialect : all_dialects()) {
            const std::string name(dialect);
            const std::string folder_name = folder.path().filename().string();
            if (fs::exists(folder.path() / (name + ".sse")))
                vectors.push_back({folder_name, name, Form::stream});
            if (fs::exists(folder.path() / (name + ".json")))
                vectors.push_back({folder_name, name, Form::whole});
        }
    }
    std::ranges::sort(vectors, {}, [](const Vector& v) { return v.folder + v.dialect; });
    return vectors;
}

class Golden : public testing::TestWithParam<Vector> {
protected:
    void SetUp() override {
        const auto options = nlohmann::json::parse(GetParam().file("case.json"));
        options_.from = options.at("from");
        options_.to = GetParam().dialect;
        options_.json = GetParam().form == Form::whole;
        options_.include_usage = options.value("include_usage", false);
        upstream_ = GetParam().file("upstream.sse");
        expected_ = GetParam().expected();
    }

    std::string client() const {
        return with_minted_ids_numbered(transcoded(options_, upstream_), upstream_);
    }

    cli::TranscodeOptions options_;
    std::string upstream_;
    std::string expected_;
};

TEST_P(Golden, IsMetByteForByte) { EXPECT_TRUE(nothing_in(first_difference(expected_, client()))); }

TEST_P(Golden, IsMetInReadsOfEverySize) {
    for (options_.split = 1; options_.split <= upstream_.size(); ++options_.split)
        ASSERT_TRUE(nothing_in(first_difference(expected_, client())))
            << options_.split << " bytes at a time";
}

TEST_P(Golden, IsMetWhereverItIsCutInTwo) {
    for (std::size_t cut = 1; cut < upstream_.size(); ++cut) {
        options_.cuts = {cut, upstream_.size() - cut};
        ASSERT_TRUE(nothing_in(first_difference(expected_, client())))
            << "cut after " << cut << " bytes";
    }
}

// The reader that judges every other stream must find nothing wrong with these.
TEST_P(Golden, SatisfiesTheStrictReader) {
    const ExpectedEnvelope envelope = envelope_of(options_);
    EXPECT_TRUE(nothing_in(options_.json ? read_any_body(expected_, envelope).report()
                                         : read_any_stream(expected_, envelope).report()));
}

INSTANTIATE_TEST_SUITE_P(Vectors, Golden, testing::ValuesIn(vectors_from("upstream.sse")), name_of);

class GoldenEvents : public testing::TestWithParam<Vector> {
protected:
    // The events of events.jsonl, one a line.
    static void tell(const std::string& lines, timeline::Sink& sink) {
        std::istringstream in(lines);
        for (std::string line; std::getline(in, line);) tell_one(Json::parse(line), sink);
        sink.on(timeline::Ended{});
    }

private:
    static void tell_one(const Json& event, timeline::Sink& sink) {
        using timeline::ServerTool;
        if (event.contains("text")) {
            sink.on(timeline::Text{0, text_field(event, "text")});
        } else if (event.contains("server_tool")) {
            static const std::map<std::string, ServerTool::State> states = {
                {"created", ServerTool::State::created},
                {"running", ServerTool::State::running},
                {"completed", ServerTool::State::completed}};
            const std::string result =
                event.contains("result") ? field(event, "result").dump() : "";
            sink.on(ServerTool{states.at(text_field(event, "server_tool")), text_field(event, "id"),
                               text_field(event, "name"), field(event, "arguments").dump(),
                               result});
        } else if (event.contains("usage")) {
            const Json& usage = field(event, "usage");
            sink.on(timeline::UsageReported{{.fresh_input = *count_field(usage, "input"),
                                             .output = *count_field(usage, "output")}});
        } else {
            sink.on(timeline::Finished{0, timeline::Finish::stop, ""});
        }
    }
};

TEST_P(GoldenEvents, AreToldByteForByte) {
    std::string client;
    cli::TranscodeOptions options;
    options.to = GetParam().dialect;
    const auto encoder =
        api::dialect_named(GetParam().dialect)
            ->make_encoder({envelope_of(options).id, options.created, options.model}, &client);
    tell(GetParam().file("events.jsonl"), *encoder);
    EXPECT_TRUE(nothing_in(first_difference(GetParam().expected(), client)));
}

TEST_P(GoldenEvents, SatisfyTheStrictReader) {
    cli::TranscodeOptions options;
    options.to = GetParam().dialect;
    EXPECT_TRUE(nothing_in(read_any_stream(GetParam().expected(), envelope_of(options)).report()));
}

INSTANTIATE_TEST_SUITE_P(Vectors, GoldenEvents, testing::ValuesIn(vectors_from("events.jsonl")),
                         name_of);

}  // namespace
}  // namespace runnel::conformance
