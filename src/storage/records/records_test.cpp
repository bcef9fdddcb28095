#include "storage/records/records.hpp"

#include "storage/journal/entry.hpp"
#include "telemetry/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace runnel::storage {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using telemetry::RequestRecord;
using ::testing::HasSubstr;
using ::testing::Not;

// As it goes through the journal and the store.
Record stored(const RequestRecord& request, std::string_view id) {
    std::string lines;
    std::string details;
    telemetry::append_cost_lines(lines, request);
    telemetry::append_details(details, request);
    const Closing closing{id, &request, lines, details, {}};
    std::string bytes(closing_bytes(closing), '\0');
    write_closing(closing, bytes.data());
    return read_closing(bytes).value_or(Record{});
}

// Each member has something to say, or not.
class RandomRequests {
public:
    RequestRecord next() {
        RequestRecord request{.request_id = text(), .completion_id = "chatcmpl-1"};
        for (std::string* member :
             {&request.model_asked, &request.model_served, &request.provider, &request.error_kind,
              &request.rerouted_from, &request.continued_by, &request.key_id, &request.team,
              &request.client_address})
            *member = text();
        for (std::string* member :
             {&request.dialect, &request.finish, &request.continuation, &request.cache})
            *member = word();
        if (!request.error_kind.empty()) request.error_detail = text();
        for (microseconds* time : {&request.first_event, &request.total, &request.longest_gap})
            *time = microseconds(number());
        request.began = access::UtcTime(milliseconds(1'790'000'000'000 + number()));
        request.stream = number() > 0;
        request.client_closed = number() > 0;
        request.status = number() > 0 ? 200 : 429;
        request.bytes_out = static_cast<std::uint64_t>(number());
        request.malformed_frames = static_cast<int>(number());
        request.rounds = static_cast<int>(number());
        if (number() > 0) use_tokens(request);
        for (auto left = number() % 3; left > 0; --left) {
            request.warnings.push_back(text());
            request.guardrails.push_back(text());
            request.attempts.push_back({.target = number() > 0 ? request.model_served : text(),
                                        .key = static_cast<std::size_t>(number()),
                                        .error = word(),
                                        .detail = text(),
                                        .first_token = milliseconds(number()),
                                        .total = milliseconds(number()),
                                        .hedge = number() > 0,
                                        .started = milliseconds(number())});
            request.tools.push_back({.name = text(),
                                     .error = text(),
                                     .time = microseconds(number()),
                                     .started = milliseconds(number())});
        }
        if (number() > 0) request.metadata_json = R"({"user": "ada", "tags": [1, "two"]})";
        return request;
    }

private:
    void use_tokens(RequestRecord& request) {
        auto& usage = request.usage.emplace(timeline::Usage{.fresh_input = number()});
        usage.output = number();
        for (auto* part : {&usage.cache_read, &usage.cache_write, &usage.reasoning})
            if (number() > 0) *part = number();
        using enum RequestRecord::Provenance;
        request.usage_provenance = number() > 0 ? reported : estimated;
        if (number() == 0) return;
        request.cost_lines = {{"input", number(), 3e-6, Money{number()}, "Input tokens"},
                              {"output", number(), 12e-6, Money{number()}, ""}};
        request.cost = total_of(request.cost_lines);
    }
    // Half of them are nothing.
    std::int64_t number() {
        return random_() % 2 == 0 ? 0 : std::uniform_int_distribution(1, 1'000'000)(random_);
    }
    std::string text() {
        return number() > 0 ? "é \"" + std::to_string(random_() % 1000) + "\"\n" : std::string();
    }

    // One of the program's own.
    std::string word() { return number() > 0 ? "word" : ""; }

    std::mt19937 random_{1};
};

TEST(Records, ThatWereStoredTellWhatTheyToldBefore) {
    RandomRequests requests;
    for (int i = 0; i < 2000; ++i) {
        const RequestRecord request = requests.next();
        ASSERT_EQ(record_json(stored(request, request.completion_id), Reader::admin),
                  telemetry::record_json(request));
    }
}

TEST(Records, KeepMaskedWhatWasMasked) {
    RequestRecord request{.request_id = "req_1", .completion_id = "chatcmpl-1"};
    request.error_kind = "upstream_auth";
    request.error_detail = "Incorrect API key provided: sk-live-0123456789abcdef";
    for (const std::string_view metadata :
         {R"({"api_key":"sk-live-0123456789abcdef","pin_token": 12345})",
          "{\"session_token\":\n\"0123456789abcdef\"}", "{\"max_token\":\n5}"}) {
        request.metadata_json = metadata;
        const Record record = stored(request, request.completion_id);
        EXPECT_EQ(record.details_json.find("0123456789"), std::string::npos);
        EXPECT_EQ(record_json(record, Reader::admin), telemetry::record_json(request));
    }
}

TEST(Records, TellTheirOwnerNoAddressOfAProvider) {
    RequestRecord request{.request_id = "req_1", .completion_id = "chatcmpl-1"};
    request.error_kind = "upstream_unreachable";
    request.error_detail = "connect to gpuhost:8000 failed";
    const auto shown = [&](Reader reader) {
        return record_json(stored(request, request.completion_id), reader);
    };
    request.attempts.push_back({.target = "local/m"});
    request.attempts.back().detail = request.error_detail;
    EXPECT_THAT(shown(Reader::admin), HasSubstr("gpuhost"));
    EXPECT_THAT(shown(Reader::owner), Not(HasSubstr("gpuhost")));
    EXPECT_THAT(shown(Reader::owner), HasSubstr(R"("code":"upstream_unreachable","detail":null)"));
    request.attempts.clear();
    request.error_kind = "model_unavailable";
    request.error_detail = "tools.files: the MCP server http://10.0.0.7/ can't be reached";
    EXPECT_THAT(shown(Reader::owner), HasSubstr("the MCP server [address] can't be reached"));
}

TEST(Records, WithoutACompletionHaveNoCompletionId) {
    const RequestRecord request{.request_id = "req_1"};
    EXPECT_THAT(record_json(stored(request, std::string(own_id_prefix) + "1"), Reader::admin),
                HasSubstr(R"({"id":null,"request_id":"req_1")"));
}

TEST(Records, ThatSayLittleAreShort) {
    RequestRecord request{.request_id = "req_1", .completion_id = "chatcmpl-1"};
    request.model_served = "openai/gpt-5-mini";
    request.attempts.push_back({.target = "openai/gpt-5-mini"});
    EXPECT_EQ(stored(request, request.completion_id).details_json,
              R"({"attempts":[{"total_ms":0}],"timings_ms":{"total":0}})");
}

}  // namespace
}  // namespace runnel::storage
