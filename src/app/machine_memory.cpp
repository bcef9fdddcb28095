#include "app/machine_memory.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

namespace runnel::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// "max", and a file that is not there, are no limit.
std::size_t limit_in(const fs::path& file) {
    std::ifstream in(file);
    std::string word;
    in >> word;
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
    return error == std::errc() && end == word.data() + word.size() ? bytes : unlimited;
}

// A group's limits hold for all groups below it.
std::size_t limit_on_the_way(const fs::path& root, std::string_view group,
                             std::initializer_list<const char*> files) {
    std::size_t least = unlimited;
    fs::path folder = root;
    const auto look = [&] {
        for (const char* const file : files) least = std::min(least, limit_in(folder / file));
    };
    look();
    for (const fs::path& name : fs::path(group).relative_path()) {
        folder /= name;
        look();
    }
    return least;
}

// Lines such as "0::/system.slice/runnel.service", or "4:memory:/docker/…" of version 1.
std::size_t cgroup_limit(const fs::path& proc, const fs::path& cgroups) {
    std::ifstream in(proc / "self/cgroup");
    std::size_t least = unlimited;
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty())
            least =
                std::min(least, limit_on_the_way(cgroups, group, {"memory.max", "memory.high"}));
        if ((',' + controllers + ',').contains(",memory,"))
            least = std::min(
                least, limit_on_the_way(cgroups / "memory", group, {"memory.limit_in_bytes"}));
    }
    return least;
}

std::size_t installed(const fs::path& proc) {
    std::ifstream in(proc / "meminfo");
    for (std::string name; in >> name;) {
        std::size_t kib = 0;
        if (name == "MemTotal:" && in >> kib) return kib * limits::kib;
        in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return unlimited;
}

}  // namespace

std::size_t machine_memory(const fs::path& proc, const fs::path& cgroups) {
    const std::size_t least = std::min(installed(proc), cgroup_limit(proc, cgroups));
    return least == unlimited ? 0 : least;
}

std::size_t default_memory_budget(std::size_t machine_bytes) {
    return std::max(machine_bytes / 2, limits::memory_bytes_min);
}

}  // namespace runnel::app
