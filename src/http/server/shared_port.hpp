#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runnel::http {

// "process 4711 (runnel) listens", for whoever finds the port taken; none where it can't be known,
// as with a process of another user.
std::optional<std::string> listening_process(unsigned short port);

// A port that another process may listen on too (SO_REUSEPORT), so that a new process can take over
// from an old one without a failed connection.
//
// The kernel spreads new connections over all sockets that listen, by a hash. It counts them in
// the order in which they began to listen, and fills the gap of one that closes with the last. So
// the sockets of a process stand first once those that were there before it have closed, and the
// next process's follow: a program that names one of these by its number has every new connection
// go there. The old process can then take in what had already come to it, and close.
class SharedPort {
public:
    // `own`: this process's sockets, in the order in which they began to listen. They must stay
    // open as long as anything below is called.
    explicit SharedPort(std::vector<int> own);

    // True while sockets listen that were there before this process's.
    bool has_predecessor() const;
    // Has the kernel hand new connections to another process; false when there is none to do so, or
    // no kernel that can.
    bool hand_over() const;
    // The predecessor has left: what it told the kernel is out of date.
    void take_over() const;

private:
    using Inode = std::uint64_t;
    // Every socket that shares the address, own ones included.
    std::vector<Inode> listening() const;

    std::vector<int> own_;
    std::vector<Inode> own_inodes_;
    std::vector<Inode> earlier_;
};

}  // namespace runnel::http
