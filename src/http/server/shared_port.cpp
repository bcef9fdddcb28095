#include "http/server/shared_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <linux/filter.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace runnel::http {
namespace {

std::uint64_t inode_of(int socket) {
    struct stat facts{};
    return ::fstat(socket, &facts) == 0 ? facts.st_ino : 0;
}

struct Row {
    std::string local_address;
    std::uint64_t inode = 0;
};

// The listening sockets of /proc/net/tcp or tcp6; they come before all others there.
std::vector<Row> listening_sockets(const char* table) {
    constexpr std::string_view listen_state = "0A";
    std::vector<Row> rows;
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);  // the heading
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string number, local, remote, state, queues, timer, retransmits, user, timeout;
        Row row;
        fields >> number >> row.local_address >> remote >> state >> queues >> timer >>
            retransmits >> user >> timeout >> row.inode;
        if (!fields || state != listen_state) break;
        rows.push_back(std::move(row));
    }
    return rows;
}

bool contains(const std::vector<std::uint64_t>& inodes, std::uint64_t inode) {
    return std::ranges::find(inodes, inode) != inodes.end();
}

bool has_socket(const std::filesystem::path& process, const std::vector<std::string>& sockets) {
    std::error_code error;
    std::filesystem::directory_iterator entry(process / "fd", error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        const auto target = std::filesystem::read_symlink(entry->path(), ignored);
        if (std::ranges::find(sockets, target.string()) != sockets.end()) return true;
    }
    return false;
}

}  // namespace

std::optional<std::string> listening_process(unsigned short port) {
    const std::string suffix = fmt::format(":{:04X}", port);
    std::vector<std::string> sockets;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"})
        for (const Row& row : listening_sockets(table))
            if (row.local_address.ends_with(suffix))
                sockets.push_back(fmt::format("socket:[{}]", row.inode));
    std::error_code error;
    std::filesystem::directory_iterator entry("/proc", error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (!has_socket(entry->path(), sockets)) continue;
        std::ifstream file(entry->path() / "comm");
        std::string program;
        std::getline(file, program);
        return fmt::format("process {} ({}) listens", name, program);
    }
    return std::nullopt;
}

SharedPort::SharedPort(std::vector<int> own) : own_(std::move(own)) {
    for (const int socket : own_) own_inodes_.push_back(inode_of(socket));
    earlier_ = listening();
    std::erase_if(earlier_, [&](Inode inode) { return contains(own_inodes_, inode); });
}

std::vector<SharedPort::Inode> SharedPort::listening() const {
    std::vector<Inode> inodes;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        const std::vector<Row> rows = listening_sockets(table);
        const auto own = std::ranges::find(rows, own_inodes_.front(), &Row::inode);
        if (own == rows.end()) continue;
        for (const Row& row : rows)
            if (row.local_address == own->local_address) inodes.push_back(row.inode);
    }
    return inodes;
}

bool SharedPort::has_predecessor() const {
    if (earlier_.empty()) return false;
    const std::vector<Inode> now = listening();
    return std::ranges::any_of(earlier_, [&](Inode inode) { return contains(now, inode); });
}

bool SharedPort::hand_over() const {
    if (listening().size() <= own_.size()) return false;
    const std::size_t first_of_others = has_predecessor() ? 0 : own_.size();
    sock_filter code{BPF_RET | BPF_K, 0, 0, static_cast<std::uint32_t>(first_of_others)};
    const sock_fprog program{1, &code};
    return ::setsockopt(own_.front(), SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program,
                        sizeof program) == 0;
}

void SharedPort::take_over() const {
    const int unused = 0;
    ::setsockopt(own_.front(), SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &unused, sizeof unused);
}

}  // namespace runnel::http
