#pragma once

#include <string>

namespace runnel::app {

struct ServeOptions {
    std::string config_file;  // empty: the embedded defaults
    std::string listen;       // empty: the config's
    std::string data;         // empty: the config's
    int threads = -1;         // -1: the config's
    bool take_over = false;   // the port may be another process's, which is about to end
};

// Serves until SIGINT or SIGTERM; returns the process's exit code.
int serve(const ServeOptions& options);

}  // namespace runnel::app
