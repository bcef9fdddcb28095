#pragma once

#include "cli/transcode.hpp"
#include "client_body.hpp"
#include "client_stream.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

// Shorthand for tests that run one upstream response through the gateway's core.
namespace runnel::conformance {

// Whether there is nothing to report; a failed EXPECT_TRUE prints the report as it is.
testing::AssertionResult nothing_in(const std::string& report);

// The client's bytes. A transcode that fails outright fails the test: whatever upstream sends, the
// client gets an answer.
std::string transcoded(const cli::TranscodeOptions& options, std::string_view upstream);

// The same with the defaults: a stream in the default dialect, without usage.
std::string transcoded(std::string_view from, std::string_view upstream);

ExpectedEnvelope envelope_of(const cli::TranscodeOptions& options);

// The answer in the client's stream; what is wrong with the stream fails the test.
Answer streamed_answer(const cli::TranscodeOptions& options, std::string_view upstream);
Answer streamed_answer(std::string_view from, std::string_view upstream);

// The answer in the client's one JSON object; what is wrong with it fails the test.
Answer folded_answer(cli::TranscodeOptions options, std::string_view upstream);

// The only choice of an answer that succeeded.
Choice only_choice(const Answer& answer);

// Ids that the gateway made up are random: in `client` those that `upstream` does not hold become
// call_1, call_2, ….
std::string with_minted_ids_numbered(std::string client, std::string_view upstream);

// A file of tests/fixtures/golden.
std::string golden_file(const std::string& path);

// Upstream streams from their messages.
std::string sse(std::initializer_list<std::string_view> messages);  // data: …
std::string
openai_sse(std::initializer_list<std::string_view> messages);  // … and [DONE] at the end
std::string json_lines(std::initializer_list<std::string_view> messages);

}  // namespace runnel::conformance
