#include "agent/time_zone.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace runnel::agent {
namespace {

constexpr std::string_view zone_folder = "/usr/share/zoneinfo/";
constexpr std::size_t zone_file_bytes_max = 64 * 1024;
constexpr std::size_t zone_name_bytes_max = 64;

// Big-endian numbers, one after the other; past the end they are 0 and `ok` is false.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_(bytes) {}

    std::int64_t number(std::size_t width) {
        const std::string_view bytes = text(width);
        std::uint64_t value = !bytes.empty() && (bytes.front() & 0x80) ? ~0ull : 0;
        for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
        return static_cast<std::int64_t>(value);
    }
    std::string_view text(std::size_t width) {
        ok = ok && width <= rest_.size();
        if (!ok) return {};
        const std::string_view taken = rest_.substr(0, width);
        rest_.remove_prefix(width);
        return taken;
    }
    std::string_view rest() const { return rest_; }

    bool ok = true;

private:
    std::string_view rest_;
};

struct Counts {
    std::size_t utc_marks = 0, standard_marks = 0, leaps = 0, times = 0, types = 0, letters = 0;

    std::size_t block_bytes(std::size_t time_width) const {
        return times * (time_width + 1) + types * 6 + letters + leaps * (time_width + 4) +
               standard_marks + utc_marks;
    }
};

std::optional<Counts> read_header(Bytes& bytes) {
    if (bytes.text(4) != "TZif") return std::nullopt;
    bytes.text(16);
    Counts counts;
    for (std::size_t* count : {&counts.utc_marks, &counts.standard_marks, &counts.leaps,
                               &counts.times, &counts.types, &counts.letters}) {
        *count = static_cast<std::size_t>(bytes.number(4));
        if (*count > zone_file_bytes_max) return std::nullopt;
    }
    if (!bytes.ok || counts.types == 0) return std::nullopt;
    return counts;
}

// The offset that a block of transitions gives; `after_last` where the rule behind it counts.
struct BlockAnswer {
    ZoneOffset offset;
    bool after_last = false;
};

std::optional<BlockAnswer> read_block(std::string_view block, const Counts& counts,
                                      std::int64_t time) {
    Bytes bytes(block);
    std::size_t before = 0;
    for (std::size_t i = 0; i < counts.times; ++i)
        if (bytes.number(8) <= time) before = i + 1;
    const std::string_view types_of_times = bytes.text(counts.times);
    const std::string_view types = bytes.text(counts.types * 6);
    const std::string_view letters = bytes.text(counts.letters);
    const std::size_t type =
        before == 0 ? 0 : static_cast<unsigned char>(types_of_times[before - 1]);
    if (!bytes.ok || type >= counts.types) return std::nullopt;
    Bytes entry(types.substr(type * 6, 6));
    BlockAnswer answer;
    answer.offset.east_of_utc = std::chrono::seconds(entry.number(4));
    entry.text(1);
    const auto name = static_cast<std::size_t>(entry.number(1) & 0xFF);
    if (name >= letters.size()) return std::nullopt;
    answer.offset.abbreviation = letters.substr(name, letters.find('\0', name) - name);
    answer.after_last = before == counts.times;
    return answer;
}

bool is_zone_name(std::string_view name) {
    const auto legal = [](char c) {
        return ascii::is_alphanumeric(c) || c == '/' || c == '_' || c == '-' || c == '+';
    };
    return !name.empty() && name.size() <= zone_name_bytes_max && name.front() != '/' &&
           std::ranges::all_of(name, legal);
}

}  // namespace

std::optional<ZoneOffset> offset_at(std::string_view zone_file, UtcTime time) {
    // The first block is for programs that can't count past 2038; the second has all.
    Bytes bytes(zone_file);
    const auto old_counts = read_header(bytes);
    if (!old_counts || zone_file[4] < '2') return std::nullopt;
    bytes.text(old_counts->block_bytes(4));
    const auto counts = read_header(bytes);
    if (!counts) return std::nullopt;
    const std::string_view block = bytes.text(counts->block_bytes(8));
    const std::int64_t seconds = time.time_since_epoch().count();
    const auto answer = bytes.ok ? read_block(block, *counts, seconds) : std::nullopt;
    if (!answer) return std::nullopt;
    std::string_view rule = bytes.rest();
    rule.remove_prefix(std::min<std::size_t>(1, rule.size()));
    rule = rule.substr(0, rule.find('\n'));
    if (answer->after_last && !rule.empty()) return offset_by_rule(rule, time);
    return answer->offset;
}

Result<std::string> read_zone_file(std::string_view name) {
    // No dot is legal, so that no name leads out of the folder.
    std::ifstream file;
    if (is_zone_name(name)) file.open(fmt::format("{}{}", zone_folder, name), std::ios::binary);
    std::ostringstream text;
    if (!file.is_open() || !(text << file.rdbuf()) || !text.view().starts_with("TZif") ||
        text.view().size() > zone_file_bytes_max)
        return fail(ErrorKind::invalid_value,
                    fmt::format("there is no time zone '{}' here; it is an IANA name such as "
                                "Europe/Berlin, or UTC",
                                utf8_prefix(name, zone_name_bytes_max)));
    return text.str();
}

}  // namespace runnel::agent
