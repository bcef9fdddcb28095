#include "server/console.hpp"

#include "server/accepted.hpp"

#include <algorithm>

namespace runnel::server {
namespace {

constexpr std::string_view page_path = "/index.html";
constexpr std::string_view assets = "/assets/";

// What belongs to programs, whatever a browser says it accepts.
constexpr std::string_view api_paths[] = {"/v1/", "/api/", "/admin/", "/auth/", assets};

constexpr std::string_view policy =
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

constexpr std::string_view not_built =
    "Runnel " RUNNEL_VERSION " is running, but it was built without its console.\n\n"
    "To have one, install Node.js 18 or newer with npm, and build again: ./dev build\n";

}  // namespace

bool wants_page(const http::Request& request) {
    const std::string_view path = request.path();
    return (request.method == "GET" || request.method == "HEAD") &&
           lists(request.headers.get("Accept"), "text/html") &&
           std::ranges::none_of(api_paths, [&](auto prefix) { return path.starts_with(prefix); });
}

std::optional<FileAnswer> answer_console(const http::Request& request, SignedIn signed_in,
                                         std::span<const EmbeddedFile> files,
                                         http::HeaderList* headers) {
    if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
    const bool page = wants_page(request);
    if (!page && !request.path().starts_with(assets)) return std::nullopt;
    if (page && files.empty()) {
        headers->add("Content-Type", "text/plain; charset=utf-8");
        return FileAnswer{200, not_built};
    }
    const auto file =
        std::ranges::find(files, page ? page_path : request.path(), &EmbeddedFile::path);
    if (file == files.end()) return std::nullopt;
    headers->add("X-Content-Type-Options", "nosniff");
    if (!page) {
        // The hash in its name is another when the file is.
        headers->add("Cache-Control", "public, max-age=31536000, immutable");
        return send_file(*file, request, 200, headers);
    }
    headers->add("Cache-Control", "no-cache");
    headers->add("Content-Security-Policy", policy);
    headers->add("Referrer-Policy", "no-referrer");
    headers->add("X-Frame-Options", "DENY");
    headers->add("Cross-Origin-Opener-Policy", "same-origin");
    return send_file(*file, request, signed_in == SignedIn::yes ? 200 : 401, headers);
}

}  // namespace runnel::server
