#pragma once

#include "tools/sandbox/account.hpp"
#include "tools/sandbox/sandbox.hpp"

#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace runnel::tools {

// A program about to be started. A view: what it points to outlives the call.
struct Launch {
    std::string program;             // its path
    std::vector<std::string> words;  // its name and its arguments
    std::vector<std::string> environment;
    std::string folder;                // to run in; empty: ours
    std::array<int, 3> streams{};      // its standard input, output and errors
    const Account* account = nullptr;  // null: ours
    const Sandbox* sandbox = nullptr;  // null: none
};

inline constexpr std::string_view sandbox_step = "its sandbox";

struct LaunchFailure {
    std::string_view step;  // that failed; empty: to run the program
    int error = 0;
};

// It leads a session of its own without a terminal, has these streams and no other descriptor, can
// gain no privileges, dies with the thread that started it, and runs the program: or none of it.
std::expected<pid_t, LaunchFailure> launch(const Launch& wanted);

// Where a shell would find it in our PATH; as it is where there is a slash in it. Empty: nowhere.
std::string find_program(const std::string& name);

}  // namespace runnel::tools
