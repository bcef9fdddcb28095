#pragma once

#include "base/header_field.hpp"
#include "base/result.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace runnel::provider {

struct OutsideRequest {
    std::string method = "GET";
    std::string url{};
    std::vector<HeaderField> headers{};
    std::string body{};
};

struct OutsideReply {
    int status = 0;
    std::string body{};
    std::string date{};  // the header of that name
};

// What those who look for credentials ask of the world. The core has no sockets, so this is given
// to it. Safe from any thread.
class Outside {
public:
    using Time = std::chrono::system_clock::time_point;

    virtual ~Outside() = default;
    // These three block, within a time that they limit themselves. Their errors have no secrets in
    // them.
    virtual Result<OutsideReply> ask(const OutsideRequest& request) = 0;
    // What the program prints.
    virtual Result<std::string> run(const std::vector<std::string>& command) = 0;
    virtual Result<std::string> read_file(const std::string& path) = 0;

    // Of the environment; empty where it is not set.
    virtual std::string variable(const char* name) = 0;
    virtual Time now() = 0;
    virtual double random() = 0;  // from 0 to 1
    // Does `work` on a thread where it may block.
    virtual void start(std::move_only_function<void()> work) = 0;
};

}  // namespace runnel::provider
