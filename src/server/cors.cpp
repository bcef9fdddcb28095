#include "server/cors.hpp"

namespace runnel::server {

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
