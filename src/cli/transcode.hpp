#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::cli {

struct TranscodeOptions {
    std::string from;  // provider kind or preset
    std::string to = "openai";
    std::string model = "m1";
    bool include_usage = false;
    bool json = false;      // fold into one whole answer
    std::size_t split = 0;  // feed so many bytes at a time; 0: all at once
    int status = 200;       // another one: the input is an error body
    std::string id{};       // empty: what the API's ids begin with, and T
    std::int64_t created = 1700000000;
    std::vector<std::size_t> cuts{};  // sizes of the reads; wins over split
};

// What a client would get of a provider's response (`input`), without any network. The same for the
// same input: ids that must be made up are made from a fixed seed. Where the provider failed that
// is no error here but what the client would see of it. An error says what is wrong with the
// options.
Result<std::string> transcode(const TranscodeOptions& options, std::string_view input);

}  // namespace runnel::cli
