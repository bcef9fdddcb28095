#pragma once

#include "base/memory_budget.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::exchange {

// The frames of a server-sent stream, kept for whoever wants to read it, from any frame on, now or
// later: each reader gets each frame once and in order. One thread writes, any thread reads; the
// lock is taken for each piece that is written, not for each frame.
class KeptStream {
public:
    // What it keeps is taken from `memory`; null: without a limit.
    explicit KeptStream(MemoryBudget* memory) : memory_(memory, MemoryBudget::Use::state) {}

    // Whole frames, each with the empty line after it. False: there is no room, and nothing was
    // added.
    [[nodiscard]] bool add(std::string_view bytes);
    // Nothing more is added.
    void end();

    // Frames, whole, from the one of that number on (they are numbered from 0): at least one, where
    // there are any, and not many more bytes than `bytes_max`.
    struct Piece {
        std::string bytes{};
        std::size_t next = 0;  // frame to ask for after these
        bool ended = false;    // and there will be none
    };
    Piece read(std::size_t first, std::size_t bytes_max) const;
    std::size_t frames() const;
    std::string bytes() const;

    // Has `wake` called once, on its executor: when there is a frame of that number or the stream
    // has ended, which may be so already. What it returns is for whoever waits no longer.
    using WaiterId = std::uint64_t;
    WaiterId wake_at(std::size_t frame, const boost::asio::any_io_executor& executor,
                     std::function<void()> wake);
    void forget(WaiterId waiter);

private:
    struct Waiter {
        WaiterId id;
        boost::asio::any_io_executor executor;
        std::function<void()> wake;
    };
    static void wake_all(std::vector<Waiter> waiters);

    mutable std::mutex mutex_;
    MemoryBudget::Share memory_;
    std::string bytes_;
    std::vector<std::size_t> ends_;  // of the frames, in bytes_
    bool ended_ = false;
    std::vector<Waiter> waiters_;
    WaiterId last_waiter_ = 0;
};

}  // namespace runnel::exchange
