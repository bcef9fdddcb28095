#pragma once

#include "base/redis_address.hpp"
#include "storage/redis/connection.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace runnel::testing {

inline int free_loopback_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(socket);
    return ntohs(address.sin_port);
}

// A real redis-server on a free port, with its data in a folder of its own. It goes with the test,
// however that ends.
class RedisServer {
public:
    enum class Keeps { nothing, everything };

    explicit RedisServer(Keeps keeps = Keeps::nothing, std::vector<std::string> options = {})
        : keeps_(keeps),
          options_(std::move(options)) {
        std::string name =
            (std::filesystem::temp_directory_path() / "runnel-redis-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        address_.host = "127.0.0.1";
        address_.port = free_loopback_port();
    }
    ~RedisServer() {
        kill();
        std::filesystem::remove_all(folder_);
    }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    // Where it is installed. Tests that need one are skipped elsewhere.
    static bool is_installed() { return !program().empty(); }

    const RedisAddress& address() const { return address_; }

    void start() {
        const std::string port = std::to_string(address_.port);
        const std::string log = folder_ + "/log";
        const bool keeps = keeps_ == Keeps::everything;
        std::vector<std::string> words{program(),
                                       "--port",
                                       port,
                                       "--bind",
                                       "127.0.0.1",
                                       "--dir",
                                       folder_,
                                       "--save",
                                       "",
                                       "--appendonly",
                                       keeps ? "yes" : "no",
                                       "--appendfsync",
                                       "no",
                                       "--logfile",
                                       log,
                                       "--daemonize",
                                       "no"};
        words.insert(words.end(), options_.begin(), options_.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
        using namespace std::chrono_literals;
        for (int i = 0; i < 400; ++i) {
            if (storage::RedisConnection::open(address_, 500ms, 500ms)) return;
            std::this_thread::sleep_for(25ms);
        }
        ADD_FAILURE() << "redis-server does not start; see " << log;
    }

    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    // It accepts connections and says nothing.
    void freeze() { ::kill(pid_, SIGSTOP); }
    void thaw() { ::kill(pid_, SIGCONT); }

private:
    static std::string program() {
        for (const char* path : {"/usr/bin/redis-server", "/usr/local/bin/redis-server"})
            if (::access(path, X_OK) == 0) return path;
        return {};
    }

    Keeps keeps_;
    std::vector<std::string> options_;
    std::string folder_;
    RedisAddress address_{};
    pid_t pid_ = 0;
};

}  // namespace runnel::testing
