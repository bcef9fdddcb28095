#include "server/console/console.hpp"

#include "server/handlers.hpp"

#include <fmt/format.h>

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

constexpr std::string_view greeting =
    "Runnel " RUNNEL_VERSION
    " is running.\n\nChat:     POST /v1/chat/completions\nModels:   GET /v1/models\n"
    "Health:   GET /healthz\nConsole:  this address, in a browser\n";

Answer send_embedded(http::Responder* responder, FileAnswer answer) {
    co_await responder->send(answer.status, answer.body);
}

}  // namespace

bool wants_page(const http::Request& request) {
    const std::string_view path = request.path();
    return (request.method == "GET" || request.method == "HEAD") &&
           accepts(request.headers.get("Accept"), "text/html") &&
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

// Browsers get the console, programs a few lines of text.
Answer show_home(Call call) {
    if (wants_page(call.request())) return show_page(std::move(call));
    call.answer_headers().add("Vary", "Accept");
    return send(call, 200, "text/plain; charset=utf-8", std::string(greeting));
}

Answer show_page(Call call) {
    const http::Request& request = call.request();
    const SignedIn signed_in = may_administer(call) ? SignedIn::yes : SignedIn::no;
    const auto answer = answer_console(request, signed_in, console_files(), &call.answer_headers());
    if (answer) return send_embedded(call.transaction->responder, *answer);
    return refuse(call, {ErrorKind::not_found,
                         fmt::format("there is nothing at {}; chat is at POST /v1/chat/completions",
                                     request.path())});
}

// The same for everybody, and other only with another version of the program.
Answer show_api_description(Call call) {
    http::HeaderList& headers = call.answer_headers();
    headers.add("Cache-Control", "no-cache");
    return send_embedded(call.transaction->responder,
                         send_file(api_files().front(), call.request(), 200, &headers));
}

}  // namespace runnel::server
