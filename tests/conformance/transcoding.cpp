#include "transcoding.hpp"

#include "corpus.hpp"

#include <map>

namespace runnel::conformance {
namespace {

// Enough of a long answer to see what is wrong with it.
std::string_view excerpt(std::string_view client) { return client.substr(0, 4000); }

}  // namespace

testing::AssertionResult nothing_in(const std::string& report) {
    if (report.empty()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "\n" << report;
}

std::string transcoded(const cli::TranscodeOptions& options, std::string_view upstream) {
    auto client = cli::transcode(options, upstream);
    if (!client) {
        ADD_FAILURE() << "transcode failed outright: " << client.error().message;
        return "";
    }
    return *client;
}

std::string transcoded(std::string_view from, std::string_view upstream) {
    cli::TranscodeOptions options;
    options.from = from;
    return transcoded(options, upstream);
}

ExpectedEnvelope envelope_of(const cli::TranscodeOptions& options) {
    const std::string prefix = options.to == "messages"    ? "msg_"
                               : options.to == "responses" ? "resp_"
                                                           : "chatcmpl-";
    return {.id = prefix + "T",
            .created = options.created,
            .model = options.model,
            .include_usage = options.include_usage,
            .dialect = options.to};
}

Answer streamed_answer(const cli::TranscodeOptions& options, std::string_view upstream) {
    const std::string client = transcoded(options, upstream);
    ClientStream stream = read_client_stream(client, envelope_of(options));
    EXPECT_TRUE(nothing_in(stream.report())) << "in the stream\n" << excerpt(client);
    return std::move(stream.answer);
}

Answer streamed_answer(std::string_view from, std::string_view upstream) {
    cli::TranscodeOptions options;
    options.from = from;
    return streamed_answer(options, upstream);
}

Answer folded_answer(cli::TranscodeOptions options, std::string_view upstream) {
    options.json = true;
    const std::string client = transcoded(options, upstream);
    ClientBody body = read_client_body(client, envelope_of(options));
    EXPECT_TRUE(nothing_in(body.report())) << "in the body\n" << excerpt(client);
    return std::move(body.answer);
}

Choice only_choice(const Answer& answer) {
    EXPECT_FALSE(answer.failed) << answer.failure;
    EXPECT_EQ(answer.choices.size(), 1u);
    return answer.choices.empty() ? Choice{} : answer.choices.begin()->second;
}

std::string with_minted_ids_numbered(std::string client, std::string_view upstream) {
    constexpr std::string_view before = R"(id":"call_)";
    std::map<std::string, std::string> names;
    std::size_t at = 0;
    while ((at = client.find(before, at)) != std::string::npos) {
        const std::size_t from = at + before.size();
        const std::size_t end = client.find('"', from);
        if (end == std::string::npos) break;
        const std::string native = client.substr(from, end - from);
        at = end;
        // Anthropic's ids carry the prefix on the client's side only.
        if (!native.empty() && upstream.find(native) != std::string_view::npos) continue;
        const auto name = names.try_emplace(native, std::to_string(names.size() + 1)).first->second;
        client.replace(from, end - from, name);
        at = from;
    }
    return client;
}

std::string golden_file(const std::string& path) {
    return read_file(std::string(RUNNEL_SOURCE_DIR) + "/tests/fixtures/golden/" + path);
}

std::string sse(std::initializer_list<std::string_view> messages) {
    std::string stream;
    for (const std::string_view message : messages)
        stream.append("data: ").append(message).append("\n\n");
    return stream;
}

std::string openai_sse(std::initializer_list<std::string_view> messages) {
    return sse(messages) + "data: [DONE]\n\n";
}

std::string json_lines(std::initializer_list<std::string_view> messages) {
    std::string stream;
    for (const std::string_view message : messages) stream.append(message).append("\n");
    return stream;
}

}  // namespace runnel::conformance
