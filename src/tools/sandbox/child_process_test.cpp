#include "tools/sandbox/child_process.hpp"

#include "tools/sandbox/landlock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include <unistd.h>

namespace runnel::tools {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

ChildProcess::Command shell(std::string script) {
    return {"sh", {"-c", std::move(script)}, {"PATH=/usr/bin:/bin", "WORD=hello"}, ""};
}

class ChildProcessTest : public testing::Test {
protected:
    std::unique_ptr<ChildProcess> start(const ChildProcess::Command& command) {
        auto child = ChildProcess::start(loop_.get_executor(), command);
        EXPECT_TRUE(child);
        return std::move(*child);
    }
    template <class T>
    T wait(asio::awaitable<T> work) {
        std::optional<T> out;
        asio::co_spawn(loop_, std::move(work), [&](std::exception_ptr failure, T value) {
            EXPECT_FALSE(failure);
            out = std::move(value);
        });
        loop_.restart();
        loop_.run();
        return std::move(*out);
    }
    bool ended(ChildProcess* child, std::chrono::milliseconds time = 10s) {
        return wait(child->ended_within(time));
    }
    static asio::awaitable<std::string> line_of(ChildProcess* child) {
        std::string text;
        co_await asio::async_read_until(child->output(), asio::dynamic_buffer(text), '\n',
                                        asio::use_awaitable);
        co_return text;
    }
    static asio::awaitable<bool> end_of(ChildProcess* child) {
        co_await child->end();
        co_return true;
    }

    asio::io_context loop_;
};

TEST_F(ChildProcessTest, TalksThroughItsPipes) {
    const auto child = start(shell("read x; echo \"$WORD $x\""));
    asio::write(child->input(), asio::buffer(std::string("world\n")));
    EXPECT_EQ(wait(line_of(child.get())), "hello world\n");
    EXPECT_TRUE(ended(child.get()));
    EXPECT_EQ(child->how_it_ended(), "exited with status 0");
}

TEST_F(ChildProcessTest, SaysHowItEnded) {
    auto child = start(shell("exit 3"));
    EXPECT_TRUE(ended(child.get()));
    EXPECT_EQ(child->how_it_ended(), "exited with status 3");
    child = start(shell("kill -9 $$"));
    EXPECT_TRUE(ended(child.get()));
    EXPECT_EQ(child->how_it_ended(), "was killed by signal 9");
}

TEST_F(ChildProcessTest, DoesNotWaitLongerThanItIsTold) {
    const auto child = start(shell("sleep 1000"));
    EXPECT_FALSE(ended(child.get(), 20ms));
}

TEST_F(ChildProcessTest, RunsInTheFolderItIsTold) {
    auto command = shell("pwd");
    command.folder = "/";
    EXPECT_EQ(wait(line_of(start(command).get())), "/\n");
}

TEST_F(ChildProcessTest, IsKilledWhenItWillNotGo) {
    const auto child = start(shell("trap '' TERM; echo ready; while :; do sleep 1000; done"));
    EXPECT_EQ(wait(line_of(child.get())), "ready\n");
    EXPECT_TRUE(wait(end_of(child.get())));
    EXPECT_EQ(child->how_it_ended(), "was killed by signal 9");
}

TEST_F(ChildProcessTest, TakesItsGroupAlong) {
    auto child = start(shell("sleep 1000 & echo $!; wait"));
    const pid_t grandchild = std::stoi(wait(line_of(child.get())));
    EXPECT_EQ(::kill(grandchild, 0), 0);
    child.reset();
    // It may stay a zombie until whoever adopted it has looked: it no longer runs.
    const auto until = Clock::now() + 10s;
    std::string state = "?";
    while (Clock::now() < until) {
        std::FILE* status =
            std::fopen(("/proc/" + std::to_string(grandchild) + "/stat").c_str(), "r");
        if (status == nullptr) return;
        char letter = '?';
        EXPECT_EQ(std::fscanf(status, "%*d %*s %c", &letter), 1);
        std::fclose(status);
        state = letter;
        if (state == "Z" || state == "X") return;
    }
    ADD_FAILURE() << "still in state " << state;
}

TEST_F(ChildProcessTest, GainsNoPrivilegesAndHasAFolderOfItsOwn) {
    auto child = start(shell("grep NoNewPrivs /proc/self/status; read x"));
    EXPECT_EQ(wait(line_of(child.get())), "NoNewPrivs:\t1\n");
    child = start(shell("echo kept > $TMPDIR/x && echo $TMPDIR; read x"));
    std::string folder = wait(line_of(child.get()));
    folder.pop_back();
    EXPECT_TRUE(std::filesystem::exists(folder + "/x"));
    child.reset();
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(ChildProcessTest, MayNotReadWhatIsHidden) {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    std::string file = std::filesystem::temp_directory_path() / "runnel-hidden-XXXXXX";
    const int opened = ::mkstemp(file.data());
    ASSERT_GE(opened, 0);
    ASSERT_EQ(::write(opened, "secret\n", 7), 7);
    ::close(opened);
    auto command = shell("cat " + file + " 2>/dev/null || echo refused");
    EXPECT_EQ(wait(line_of(start(command).get())), "secret\n");
    command.hidden = {file};
    EXPECT_EQ(wait(line_of(start(command).get())), "refused\n");
    command.sandbox.on = false;
    EXPECT_EQ(wait(line_of(start(command).get())), "secret\n");
    std::filesystem::remove(file);
}

TEST_F(ChildProcessTest, SaysWhatIsMissing) {
    auto child = ChildProcess::start(loop_.get_executor(), {"no-such-program", {}, {}, ""});
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().message, "can't be started: No such file or directory; is "
                                     "'no-such-program' installed and in PATH?");
    auto command = shell("true");
    command.folder = "/no/such/folder";
    child = ChildProcess::start(loop_.get_executor(), command);
    ASSERT_FALSE(child);
    EXPECT_NE(child.error().message.find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace runnel::tools
