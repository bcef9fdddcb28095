#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

namespace runnel {

// The memory that requests and answers may take, all together. Whoever keeps bytes whose number
// somebody outside decides takes it from here first. Shared by all threads.
class MemoryBudget {
public:
    MemoryBudget() = default;  // without a limit
    explicit MemoryBudget(std::size_t bytes) : limit_(bytes) {}

    // What it is taken for. A cache is what can be done without.
    enum class Use { bodies, answers, state, cache };
    static constexpr std::size_t uses = 4;

    // Who keeps a cache, and gives up about so many bytes of it when others want them. Said before
    // anybody draws on the budget.
    using GiveUp = std::function<void(std::size_t bytes)>;
    void set_give_up(GiveUp give_up) { give_up_ = std::move(give_up); }

    // What is taken stays taken, however much it is.
    void set_limit(std::size_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
    std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
    std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
    std::size_t taken_for(Use use) const { return by_use(use).load(std::memory_order_relaxed); }
    // Near its end nothing new is begun, so that what runs can go on.
    bool is_short() const { return taken() >= limit() / 8 * 7 + taken_for(Use::cache); }

    // One holder's part, given back when the holder goes. Used by one thread at a time.
    class Share {
    public:
        // null: without a limit
        explicit Share(MemoryBudget* from = nullptr, Use use = Use::bodies)
            : from_(from),
              use_(use) {}
        ~Share() { drop(); }
        Share(Share&& other) noexcept;
        Share& operator=(Share&& other) noexcept;

        // The holder has so many bytes from now on. False, and nothing has changed, where there
        // are not so many.
        [[nodiscard]] bool resize(std::size_t bytes) {
            return bytes <= taken_ && bytes >= low_ ? true : resize_in_steps(bytes);
        }
        void drop();

    private:
        bool resize_in_steps(std::size_t bytes);

        MemoryBudget* from_;
        Use use_;
        std::size_t taken_ = 0;  // whole steps, so that a stream of small pieces seldom asks
        std::size_t low_ = 0;    // below which some of them are given back
    };

private:
    using Count = std::atomic<std::size_t>;
    Count& by_use(Use use) { return by_use_[static_cast<std::size_t>(use)]; }
    const Count& by_use(Use use) const { return by_use_[static_cast<std::size_t>(use)]; }
    bool take(std::size_t bytes, Use use);
    bool try_take(std::size_t bytes, Use use);
    void give_back(std::size_t bytes, Use use);

    Count limit_ = std::numeric_limits<std::size_t>::max();
    Count taken_ = 0;
    std::array<Count, uses> by_use_{};
    GiveUp give_up_;
};

}  // namespace runnel
