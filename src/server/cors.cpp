#include "server/cors.hpp"

#include "base/web_origin.hpp"

#include <algorithm>

namespace runnel::server {

Pages pages_for(const http::Request& request, const Gatekeeper& gatekeeper, access::UtcTime now) {
    const std::string origin = web_origin(request.headers.get("Origin"));
    const std::vector<std::string>& origins = *gatekeeper.pages.origins;
    if (std::ranges::find(origins, "*") != origins.end()) return Pages::of_every_origin;
    if (origin.empty()) return Pages::none;
    if (lists_origin(origins, origin)) return Pages::of_this_origin;
    const auto& ring = *gatekeeper.ring;
    if (gatekeeper.settings->mode == access::AuthSettings::Mode::open || ring == nullptr)
        return Pages::none;
    if (request.method == "OPTIONS")
        return ring->is_for_pages_of(origin) ? Pages::of_this_origin : Pages::none;
    const auto key = key_of(request, gatekeeper, now);
    if (key == nullptr) return Pages::none;
    const bool every_page = key->kind == access::Key::Kind::browser && key->origins.empty();
    return every_page || std::ranges::find(key->origins, origin) != key->origins.end()
               ? Pages::of_this_origin
               : Pages::none;
}

void add_cors(const http::HeaderList& request, Pages pages, http::HeaderList* response) {
    const std::string_view origin = request.get("Origin");
    if (origin.empty()) return;
    response->add("Vary", "Origin, Access-Control-Request-Headers");
    if (pages == Pages::none) return;
    response->add("Access-Control-Allow-Origin",
                  pages == Pages::of_every_origin ? std::string_view("*") : origin);
    response->add("Access-Control-Expose-Headers",
                  "X-Request-ID, X-Completion-Id, X-Model-Used, X-Cache, X-RateLimit-Limit, "
                  "X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Stream-Dialect, "
                  "X-Gateway-Attempts, X-Gateway-Warnings");
}

void add_preflight(const http::HeaderList& request, http::HeaderList* response) {
    response->add("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    const std::string_view wanted = request.get("Access-Control-Request-Headers");
    response->add("Access-Control-Allow-Headers",
                  wanted.empty() ? std::string_view("authorization, content-type") : wanted);
    response->add("Access-Control-Max-Age", "86400");
}

}  // namespace runnel::server
