#pragma once

#include "provider/credentials/outside.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace runnel::testing {

// A world to look for credentials in: what is asked is noted and answered by a script, and work
// waits until a test does it.
class FakeOutside final : public provider::Outside {
public:
    Result<provider::OutsideReply> ask(const provider::OutsideRequest& request) override {
        asked.push_back(request);
        if (replies.empty()) return fail(ErrorKind::upstream_unreachable, "nobody is there");
        auto reply = std::move(replies.front());
        replies.pop_front();
        return reply;
    }
    Result<std::string> run(const std::vector<std::string>& command) override {
        ran.push_back(command);
        return printed;
    }
    Result<std::string> read_file(const std::string& path) override {
        const auto found = files.find(path);
        if (found == files.end()) return fail(ErrorKind::not_found, path + " is not there");
        return found->second;
    }
    std::string variable(const char* name) override { return variables[name]; }
    Time now() override { return time; }
    double random() override { return chance; }
    void start(std::move_only_function<void()> work) override {
        const std::scoped_lock lock(mutex);
        works.push_back(std::move(work));
    }

    // Does what waits; says how much that was.
    int work() {
        int count = 0;
        while (true) {
            std::move_only_function<void()> next;
            {
                const std::scoped_lock lock(mutex);
                if (works.empty()) return count;
                next = std::move(works.front());
                works.pop_front();
            }
            next();
            ++count;
        }
    }

    void reply(int status, std::string body, std::string date = {}) {
        replies.push_back(provider::OutsideReply{status, std::move(body), std::move(date)});
    }

    std::vector<provider::OutsideRequest> asked;
    std::deque<Result<provider::OutsideReply>> replies;
    std::vector<std::vector<std::string>> ran;
    std::string printed;
    std::map<std::string, std::string> files;
    std::map<std::string, std::string> variables;
    Time time{std::chrono::seconds(1'800'000'000)};
    double chance = 0;
    std::mutex mutex;
    std::deque<std::move_only_function<void()>> works;
};

}  // namespace runnel::testing
