#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace runnel::telemetry {

// Stands for every value of a label that nobody configured.
inline constexpr std::string_view other_label = "other";

// One value for each combination of labels that was met; of so many at most, however many there
// are: the rest are counted together.
template <std::size_t Labels, class Value>
class ByLabels {
public:
    using Names = std::array<std::string_view, Labels>;

    static constexpr std::size_t series_max = 1000;

    Value& at(const Names& labels) {
        if (const auto found = values_.find(labels); found != values_.end()) return found->second;
        if (values_.size() < series_max) return values_[owned(labels)];
        Names others;
        others.fill(other_label);
        return values_[owned(others)];
    }

    ByLabels& operator+=(const ByLabels& more) {
        for (const auto& [labels, value] : more.values_) {
            Names names;
            std::ranges::copy(labels, names.begin());
            at(names) += value;
        }
        return *this;
    }

    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

private:
    using Owned = std::array<std::string, Labels>;

    struct Less {
        using is_transparent = void;
        static bool operator()(const auto& a, const auto& b) {
            return std::ranges::lexicographical_compare(
                a, b, [](std::string_view x, std::string_view y) { return x < y; });
        }
    };

    static Owned owned(const Names& labels) {
        Owned copy;
        std::ranges::copy(labels, copy.begin());
        return copy;
    }

    std::map<Owned, Value, Less> values_;
};

}  // namespace runnel::telemetry
