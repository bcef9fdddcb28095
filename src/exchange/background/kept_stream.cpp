#include "exchange/background/kept_stream.hpp"

#include "exchange/background/limits.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace runnel::exchange {
namespace {

constexpr std::string_view frame_end = "\n\n";

}  // namespace

bool KeptStream::add(std::string_view bytes) {
    std::vector<Waiter> waiters;
    {
        const std::lock_guard lock(mutex_);
        const std::size_t size = bytes_.size() + bytes.size();
        if (ended_ || size > limits::kept_stream_bytes) return false;
        // The string grows by doubling, and each frame has a place besides.
        if (!memory_.resize(2 * size + ends_.capacity() * sizeof(std::size_t))) return false;
        std::size_t end = bytes_.size();
        bytes_ += bytes;
        while ((end = bytes_.find(frame_end, end)) != std::string::npos)
            ends_.push_back(end += frame_end.size());
        waiters = std::exchange(waiters_, {});
    }
    wake_all(std::move(waiters));
    return true;
}

void KeptStream::end() {
    std::vector<Waiter> waiters;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        waiters = std::exchange(waiters_, {});
    }
    wake_all(std::move(waiters));
}

KeptStream::Piece KeptStream::read(std::size_t first, std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    Piece piece{.next = first, .ended = ended_ && first >= ends_.size()};
    if (first >= ends_.size()) return piece;
    const std::size_t begin = first == 0 ? 0 : ends_[first - 1];
    const auto last = std::ranges::upper_bound(ends_.begin() + static_cast<std::ptrdiff_t>(first),
                                               ends_.end(), begin + bytes_max);
    piece.next = std::max(static_cast<std::size_t>(last - ends_.begin()), first + 1);
    piece.bytes = bytes_.substr(begin, ends_[piece.next - 1] - begin);
    return piece;
}

std::size_t KeptStream::frames() const {
    const std::lock_guard lock(mutex_);
    return ends_.size();
}

std::string KeptStream::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

KeptStream::WaiterId KeptStream::wake_at(std::size_t frame,
                                         const boost::asio::any_io_executor& executor,
                                         std::function<void()> wake) {
    {
        const std::lock_guard lock(mutex_);
        if (!ended_ && frame >= ends_.size()) {
            waiters_.push_back({++last_waiter_, executor, std::move(wake)});
            return last_waiter_;
        }
    }
    boost::asio::post(executor, std::move(wake));
    return 0;
}

void KeptStream::forget(WaiterId waiter) {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiters_, [waiter](const Waiter& one) { return one.id == waiter; });
}

void KeptStream::wake_all(std::vector<Waiter> waiters) {
    for (Waiter& waiter : waiters) boost::asio::post(waiter.executor, std::move(waiter.wake));
}

}  // namespace runnel::exchange
