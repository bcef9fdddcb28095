#include "app/privacy.hpp"

#include "config/config_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace runnel::app {

void keep_memory_private() {
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

namespace {

namespace fs = std::filesystem;

// Where services keep the variables of a config: /etc/runnel/runnel.env, .env.
void add_variable_files(const std::string& folder, std::vector<std::string>& files) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
        const std::string name = entry.path().filename();
        if (name.ends_with(".env") || name.starts_with(".env")) files.push_back(entry.path());
    }
}

// Where libpq looks for passwords and keys of the store.
void add_postgres_files(std::vector<std::string>& files) {
    const char* home = config::environment("HOME");
    if (home == nullptr) return;
    std::error_code error;
    for (const char* name : {".pgpass", ".postgresql"})
        if (const fs::path path = fs::path(home) / name; fs::exists(path, error))
            files.push_back(path);
}

}  // namespace

std::vector<std::string> own_files(const config::Config& config, const std::string& config_file) {
    std::vector<std::string> files = {config.data};
    if (!config_file.empty()) {
        files.push_back(config_file);
        add_variable_files(config::folder_of(config_file), files);
    }
    if (config.tls) files.push_back(config.tls->key);
    if (const char* credentials = config::environment("CREDENTIALS_DIRECTORY"))
        files.emplace_back(credentials);
    add_postgres_files(files);
    files.insert(files.end(), config.secret_files.begin(), config.secret_files.end());
    return files;
}

std::vector<std::string> warnings_about_files(const config::Config& config) {
    std::vector<std::string> warnings;
    struct stat data{};
    if (::stat(config.data.c_str(), &data) == 0 && (data.st_mode & S_IWOTH) != 0)
        warnings.push_back(fmt::format("everybody on this machine can put files of their own into "
                                       "the data folder '{}'; chmod 0700 it",
                                       config.data));
    for (const std::string& file : config.secret_files) {
        struct stat facts{};
        if (::stat(file.c_str(), &facts) == 0 && (facts.st_mode & (S_IROTH | S_IWOTH)) != 0)
            warnings.push_back(fmt::format("everybody on this machine can read the secret in '{}'; "
                                           "chmod 0600 it",
                                           file));
    }
    return warnings;
}

}  // namespace runnel::app
