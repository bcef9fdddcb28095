#include "base/ids.hpp"

#include <array>

namespace runnel {
namespace {

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr int length = 24;
constexpr int digits_per_word = 12;  // 36^12 < 2^64

}  // namespace

IdSource::IdSource() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(),
                       device(), device(), device(), device()};
    engine_.seed(seed);
}

std::string IdSource::next(std::string_view prefix) {
    std::array<char, length> random;
    for (int word = 0; word < length / digits_per_word; ++word) {
        std::uint64_t bits = engine_();
        for (int i = 0; i < digits_per_word; ++i, bits /= digits.size())
            random[word * digits_per_word + i] = digits[bits % digits.size()];
    }
    std::string id;
    id.reserve(prefix.size() + length);
    id += prefix;
    id.append(random.data(), random.size());
    return id;
}

}  // namespace runnel
