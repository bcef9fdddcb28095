#include "base/ids.hpp"

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
    std::string id;
    id.reserve(prefix.size() + length);
    id += prefix;
    for (int word = 0; word < length / digits_per_word; ++word) {
        std::uint64_t bits = engine_();
        for (int i = 0; i < digits_per_word; ++i, bits /= digits.size())
            id += digits[bits % digits.size()];
    }
    return id;
}

}  // namespace runnel
