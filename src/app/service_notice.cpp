#include "app/service_notice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace runnel::app {

void tell_service_manager(std::string_view state) {
    const char* named = std::getenv("NOTIFY_SOCKET");
    const std::string_view path = named ? named : "";
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::ranges::copy(path, address.sun_path);
    if (path.front() == '@') address.sun_path[0] = '\0';  // no file: a name of the kernel's own
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    const int link = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (link < 0) return;
    ::sendto(link, state.data(), state.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address), size);
    ::close(link);
}

}  // namespace runnel::app
