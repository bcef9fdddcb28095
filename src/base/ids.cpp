#include "base/ids.hpp"

#include <array>
#include <chrono>

namespace runnel {
namespace {

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr int length = 24;
constexpr int time_length = 9;       // milliseconds; enough for 3,000 years
constexpr int digits_per_word = 12;  // 36^12 < 2^64

std::uint64_t milliseconds_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

IdSource::IdSource() : begins_with_(Beginning::time) {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(),
                       device(), device(), device(), device()};
    engine_.seed(seed);
}

std::string IdSource::next(std::string_view prefix) {
    std::array<char, length> id_digits;
    for (int word = 0; word < length / digits_per_word; ++word) {
        std::uint64_t bits = engine_();
        for (int i = 0; i < digits_per_word; ++i, bits /= digits.size())
            id_digits[word * digits_per_word + i] = digits[bits % digits.size()];
    }
    if (begins_with_ == Beginning::time) {
        std::uint64_t time = milliseconds_now();
        for (int i = time_length - 1; i >= 0; --i, time /= digits.size())
            id_digits[i] = digits[time % digits.size()];
    }
    std::string id;
    id.reserve(prefix.size() + length);
    id += prefix;
    id.append(id_digits.data(), id_digits.size());
    return id;
}

}  // namespace runnel
