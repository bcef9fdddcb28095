#pragma once

#include "config/config.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

// Config files as tests write them: what they say, and what is wrong with them.
namespace runnel::testing {

inline const char* test_environment(const char* name) {
    if (std::strcmp(name, "OPENAI_API_KEY") == 0) return "sk-from-the-environment";
    if (std::strcmp(name, "EMPTY") == 0) return "";
    if (std::strcmp(name, "PORT") == 0) return "9000";
    if (std::strcmp(name, "TWO_LINES") == 0) return "one\ntwo";
    return nullptr;
}

inline config::Config read(std::string_view yaml) {
    auto config = config::read_config(yaml, test_environment);
    if (config) return std::move(*config);
    for (const config::Problem& problem : config.error())
        ADD_FAILURE() << problem.line << ":" << problem.column << ": " << problem.message;
    return {};
}

// Every problem as "LINE:COLUMN: message".
inline std::vector<std::string> problems(std::string_view yaml) {
    std::vector<std::string> lines;
    const auto config = config::read_config(yaml, test_environment);
    if (config) return lines;
    for (const config::Problem& problem : config.error())
        lines.push_back(std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
                        problem.message);
    return lines;
}

// The one problem of a file.
inline std::string problem(std::string_view yaml) {
    const auto all = problems(yaml);
    EXPECT_EQ(all.size(), 1u) << yaml << ::testing::PrintToString(all);
    return all.empty() ? "" : all.front();
}

// Of a provider that has only `field` wrong.
inline std::string provider_problem(const std::string& field) {
    return problem("providers:\n  p:\n    kind: openai\n    " + field + "\n");
}

}  // namespace runnel::testing
