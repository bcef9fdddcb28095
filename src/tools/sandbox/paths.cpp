#include "tools/sandbox/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <system_error>

namespace runnel::tools {
namespace {

namespace fs = std::filesystem;
using Right = Grant::Right;

// What programs need to run at all, wherever a distribution keeps it.
constexpr std::string_view system_folders[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    // Of other processes, what is secret there is behind another check: that of who may trace them.
    "/proc", "/sys",
    // Name servers, where /etc/resolv.conf is a link.
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/etc/resolv.conf",
    "/var/lib/ca-certificates"};

// Not a disk among them, which has every file in it, nor a terminal: who opens one gets what
// somebody types there.
constexpr std::string_view devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                        "/dev/urandom"};

struct Fetcher {
    std::string_view program;
    std::string_view folder;  // below the home
};
constexpr Fetcher fetchers[] = {{"npx", ".npm"},
                                {"npm", ".npm"},
                                {"pnpm", ".local/share/pnpm"},
                                {"bunx", ".bun"},
                                {"bun", ".bun"},
                                {"uvx", ".local/share/uv"},
                                {"uv", ".local/share/uv"},
                                {"pipx", ".local/share/pipx"}};

// A folder with more entries than this, and something hidden in it, is given in part.
constexpr std::size_t entries_max = 10'000;

// Links followed; empty where there is nothing.
fs::path real_path(const fs::path& path) {
    std::error_code error;
    fs::path real = fs::canonical(path, error);
    return error ? fs::path() : real;
}

bool is_in_or_is(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

class Giver {
public:
    explicit Giver(const std::vector<std::string>& hidden) {
        for (const std::string& path : hidden) {
            std::error_code error;
            hidden_.push_back(fs::weakly_canonical(fs::absolute(path, error), error));
        }
        hidden_.emplace_back("/dev/shm");  // the journal is there
    }

    // What there is at `path`, without what is hidden in it.
    void give(const fs::path& path, Right right) { give_real(real_path(path), right); }
    // The same, also where that is in something hidden: a cache in the home of a service, which is
    // the folder of its data.
    void give_anyway(const fs::path& path, Right right) {
        if (const fs::path real = real_path(path); !real.empty()) put(real, right);
    }
    std::vector<Grant> take() { return std::move(grants_); }

private:
    void give_real(const fs::path& path, Right right) {
        const auto hides = [&](const fs::path& secret) { return is_in_or_is(path, secret); };
        const auto holds = [&](const fs::path& secret) { return is_in_or_is(secret, path); };
        if (path.empty() || std::ranges::any_of(hidden_, hides)) return;
        if (std::ranges::none_of(hidden_, holds)) return put(path, right);
        std::error_code error;
        std::size_t count = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
            if (++count > entries_max) return;
            // A link is nothing by itself: what counts is where its target is. Devices are for
            // those whose config names them.
            if (!entry.is_symlink(error) && entry.path() != "/dev") give_real(entry.path(), right);
        }
    }
    void put(const fs::path& path, Right right) {
        Grant grant{path.string(), right};
        if (std::ranges::find(grants_, grant) == grants_.end()) grants_.push_back(std::move(grant));
    }

    std::vector<fs::path> hidden_;
    std::vector<Grant> grants_;
};

bool is_folder(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool may_be_path(std::string_view arg) { return arg.contains('/') || arg == "." || arg == ".."; }

// Programs in PATH may be anybody's own, with their libraries beside them: ~/.nvm/…/bin/node.
void give_programs(const Surroundings& around, Giver& giver) {
    for (const auto part : std::views::split(std::string_view(around.path), ':')) {
        const fs::path folder{std::string_view(part)};
        if (folder.empty()) continue;
        giver.give(folder, Right::read);
        const fs::path above = real_path(folder).parent_path();
        const bool is_home = !around.home.empty() && is_in_or_is(real_path(around.home), above);
        if (folder.filename().string().ends_with("bin") && !is_home) giver.give(above, Right::read);
    }
    giver.give(around.program, Right::read);
}

void give_what_is_read(const SandboxConfig& config, const Surroundings& around, Giver& giver) {
    if (!config.read) return giver.give("/", Right::read);
    for (const std::string_view folder : system_folders) giver.give(folder, Right::read);
    give_programs(around, giver);
    giver.give(around.folder.empty() ? "." : around.folder, Right::read);
    for (const std::string& arg : around.args)
        if (may_be_path(arg)) giver.give(fs::path(around.folder) / arg, Right::read);
    for (const std::string& path : *config.read) giver.give(path, Right::read);
}

}  // namespace

std::vector<std::string> cache_folders(const Surroundings& around) {
    std::vector<std::string> folders;
    if (!around.cache.empty()) folders.push_back(around.cache);
    if (around.home.empty()) return folders;
    const fs::path home(around.home);
    if (around.cache.empty()) folders.push_back(home / ".cache");
    const std::string name = fs::path(around.program).filename();
    for (const Fetcher& fetcher : fetchers) {
        const std::string folder = home / fetcher.folder;
        const bool wanted = fetcher.program == name || is_folder(folder);
        if (wanted && std::ranges::find(folders, folder) == folders.end())
            folders.push_back(folder);
    }
    return folders;
}

std::vector<Grant> grants_of(const SandboxConfig& config, const Surroundings& around) {
    Giver giver(around.hidden);
    giver.give_anyway("/", Right::list);
    give_what_is_read(config, around, giver);
    for (const std::string_view device : devices) giver.give_anyway(device, Right::write);
    giver.give_anyway(around.temporary, Right::write);
    for (const std::string& folder : cache_folders(around)) giver.give_anyway(folder, Right::write);
    for (const std::string& arg : around.args) {
        const fs::path named = fs::path(around.folder) / arg;
        if (may_be_path(arg) && is_folder(named)) giver.give(named, Right::write);
    }
    for (const std::string& path : config.write) giver.give(path, Right::write);
    return giver.take();
}

}  // namespace runnel::tools
