#include "server/embedded_files.hpp"

#include "server/accepted.hpp"

namespace runnel::server {

FileAnswer send_file(const EmbeddedFile& file, const http::Request& request, int status,
                     http::HeaderList* headers) {
    headers->add("Content-Type", file.type);
    headers->add("ETag", file.etag);
    headers->add("Vary", "Accept-Encoding");
    headers->add("X-Content-Type-Options", "nosniff");
    if (status == 200 && request.headers.get("If-None-Match") == file.etag) return {304, {}};
    if (file.gzip.empty() || !lists(request.headers.get("Accept-Encoding"), "gzip"))
        return {status, file.body};
    headers->add("Content-Encoding", "gzip");
    return {status, file.gzip};
}

}  // namespace runnel::server
