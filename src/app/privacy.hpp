#pragma once

#include "config/config.hpp"

#include <string>
#include <vector>

namespace runnel::app {

// Nobody but root may look into this process, through /proc, with a debugger or in what a crash
// leaves behind: the providers' keys are in its environment and memory.
void keep_memory_private();

// The gateway's own files and folders, which programs that it starts may not read: its data, its
// config with the variables beside it, keys of certificates, and secrets.
std::vector<std::string> own_files(const config::Config& config, const std::string& config_file);

// What is legal and still wrong with them: secrets that everybody on this machine can read.
std::vector<std::string> warnings_about_files(const config::Config& config);

}  // namespace runnel::app
