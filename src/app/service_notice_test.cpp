#include "app/service_notice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace runnel::app {
namespace {

// A service manager's end: a datagram socket bound to a path.
class ServiceNotice : public testing::Test {
protected:
    ServiceNotice()
        : path_(testing::TempDir() + "runnel_notice_" + std::to_string(::getpid())),
          socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
        std::filesystem::remove(path_);
    }
    ~ServiceNotice() override {
        ::unsetenv("NOTIFY_SOCKET");
        ::close(socket_);
        std::filesystem::remove(path_);
    }

    void bind_to(const std::string& name) const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name.data(), name.size());
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        ASSERT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    }

    std::string received() const {
        std::array<char, 100> buffer{};
        const auto size = ::recv(socket_, buffer.data(), buffer.size(), 0);
        return size < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(size));
    }

    std::string path_;
    int socket_;
};

TEST_F(ServiceNotice, ReachesTheSocketThatIsNamed) {
    bind_to(path_);
    ::setenv("NOTIFY_SOCKET", path_.c_str(), 1);
    tell_service_manager("READY=1");
    EXPECT_EQ(received(), "READY=1");
}

TEST_F(ServiceNotice, ReachesASocketWithoutAFile) {
    const std::string name = "runnel-notice-" + std::to_string(::getpid());
    bind_to(std::string(1, '\0') + name);
    ::setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
    tell_service_manager("STOPPING=1");
    EXPECT_EQ(received(), "STOPPING=1");
}

TEST_F(ServiceNotice, IsNoTroubleWhereNobodyListens) {
    tell_service_manager("READY=1");
    for (const std::string& name : {std::string(), path_, std::string(500, 'x')}) {
        ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
        tell_service_manager("READY=1");
    }
}

}  // namespace
}  // namespace runnel::app
