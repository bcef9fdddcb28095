#pragma once

#include "http/client/client.hpp"
#include "http/tls.hpp"
#include "provider/credentials/outside.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <list>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace runnel::exchange {

// Where this process looks for credentials: services that it asks, programs that it runs, files and
// its environment. Each piece of work has a thread of its own, as long as it takes: there are few,
// and a slow service holds up nobody else.
class Surroundings final : public provider::Outside {
public:
    // `tls` must outlive it.
    explicit Surroundings(http::UpstreamTls* tls) : tls_(tls) {}
    ~Surroundings() override { close(); }
    // Ends what still runs, and waits for it: those who wait for its results must still be there.
    void close();
    Surroundings(const Surroundings&) = delete;
    Surroundings& operator=(const Surroundings&) = delete;

    Result<provider::OutsideReply> ask(const provider::OutsideRequest& request) override;
    Result<std::string> run(const std::vector<std::string>& command) override;
    Result<std::string> read_file(const std::string& path) override;
    std::string variable(const char* name) override;
    Time now() override;
    double random() override;
    void start(std::move_only_function<void()> work) override;

private:
    struct Work {
        std::jthread thread;
        bool ended = false;
    };
    // A loop that runs until what is waited for has come, or the process ends.
    class Waiting;

    http::UpstreamTls* tls_;
    std::mutex mutex_;
    std::list<Work> works_;
    std::list<boost::asio::io_context*> loops_;  // that run now
    bool closing_ = false;
    std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace runnel::exchange
