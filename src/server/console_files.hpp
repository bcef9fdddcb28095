#pragma once

#include <span>
#include <string_view>

namespace runnel::server {

// A file of the web console, as `npm run build` made it. It is part of the program.
struct ConsoleFile {
    std::string_view path;  // /index.html, /assets/…
    std::string_view type;
    std::string_view etag;
    std::string_view body;
    std::string_view gzip;  // the same, compressed
};

// Empty where the program was built without the console. Made by tools/embed_console.cmake.
std::span<const ConsoleFile> console_files();

}  // namespace runnel::server
