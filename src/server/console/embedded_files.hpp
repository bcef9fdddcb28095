#pragma once

#include "http/server/request_reader.hpp"

#include <span>
#include <string_view>

// Files that are part of the program. Made by tools/embed_files.cmake.
namespace runnel::server {

struct EmbeddedFile {
    std::string_view path;  // /index.html, /assets/…
    std::string_view type;
    std::string_view etag;
    std::string_view body;
    std::string_view gzip;  // the same, compressed; may be empty
};

// The web console, as `npm run build` made it. Empty where the program was built without it.
std::span<const EmbeddedFile> console_files();

// The API's description, /openapi.json.
std::span<const EmbeddedFile> api_files();

struct FileAnswer {
    int status;
    std::string_view body;  // lives as long as the program
};

// What a GET for the file is answered with: with `status`, or that the client has it already. The
// header fields are added to `headers`.
FileAnswer send_file(const EmbeddedFile& file, const http::Request& request, int status,
                     http::HeaderList* headers);

// Whether a value is among those of a field such as Accept-Encoding, however they are weighted.
bool accepts(std::string_view values, std::string_view wanted);

}  // namespace runnel::server
