#include "server/console/embedded_files.hpp"

#include <algorithm>
#include <ranges>

namespace runnel::server {

bool accepts(std::string_view values, std::string_view wanted) {
    return std::ranges::any_of(std::views::split(values, ','), [&](auto part) {
        std::string_view value(part.begin(), part.end());
        value = value.substr(0, value.find(';'));
        const std::size_t begin = std::min(value.find_first_not_of(' '), value.size());
        const std::size_t end = value.find_last_not_of(' ') + 1;
        return value.substr(begin, end - begin) == wanted;
    });
}

FileAnswer send_file(const EmbeddedFile& file, const http::Request& request, int status,
                     http::HeaderList* headers) {
    headers->add("Content-Type", file.type);
    headers->add("ETag", file.etag);
    headers->add("Vary", "Accept-Encoding");
    headers->add("X-Content-Type-Options", "nosniff");
    if (status == 200 && request.headers.get("If-None-Match") == file.etag) return {304, {}};
    if (file.gzip.empty() || !accepts(request.headers.get("Accept-Encoding"), "gzip"))
        return {status, file.body};
    headers->add("Content-Encoding", "gzip");
    return {status, file.gzip};
}

}  // namespace runnel::server
