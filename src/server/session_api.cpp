#include "server/session_api.hpp"

#include "json/form.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

namespace runnel::server {
namespace {

constexpr std::size_t token_bytes_max = 4096;

std::string_view name_of(policy::AuthSettings::Mode mode) {
    switch (mode) {
        case policy::AuthSettings::Mode::open: return "open";
        case policy::AuthSettings::Mode::keys: return "keys";
        case policy::AuthSettings::Mode::header: break;
    }
    return "header";
}

// Behind a proxy that speaks TLS for the gateway, only the page's origin tells.
std::string cookie(const http::Request& request, std::string_view value,
                   std::chrono::seconds lifetime) {
    const bool encrypted = request.headers.get("Origin").starts_with("https://");
    return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", session_cookie,
                       value, lifetime.count(), encrypted ? "; Secure" : "");
}

Result<std::string> read_token(std::string_view body) {
    auto form = json::Form::read(body);
    if (!form) return propagate(form);
    auto fields = form->root().fields();
    if (!fields) return propagate(fields);
    for (const auto& [name, value] : *fields)
        if (name == "token") return value.text(token_bytes_max);
    return fail_at(ErrorKind::missing_required_field, "token",
                   "token is missing: admin.token of the gateway's config");
}

Error other_page() {
    return {ErrorKind::origin_not_allowed, "only the console's own page can sign in and out"};
}

}  // namespace

std::string session_answer(SignedIn signed_in, const Secret& token,
                           const policy::AuthSettings& auth) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("signed_in").boolean(signed_in == SignedIn::yes);
    out.key("needs_token").boolean(!token.empty());
    out.key("mode").string(name_of(auth.mode)).end_object();
    return body;
}

Result<std::string> open_session(const http::Request& request, const Secret& token,
                                 Sessions* sessions, Sessions::Clock::time_point now) {
    if (!is_from_own_page(request)) return fail(other_page());
    auto given = read_token(request.body);
    if (!given) return propagate(given);
    if (token.empty())
        return fail(ErrorKind::insufficient_scope,
                    "the gateway's config has no admin.token to sign in with");
    if (!same_secret(*given, token))
        return fail(ErrorKind::invalid_api_key, "this is not the gateway's admin token");
    auto name = sessions->open(token, now);
    if (!name) return propagate(name);
    return cookie(request, *name, Sessions::lifetime);
}

Result<std::string> close_session(const http::Request& request, Sessions* sessions) {
    if (!is_from_own_page(request)) return fail(other_page());
    sessions->close(session_of(request.headers));
    return cookie(request, "", std::chrono::seconds(0));
}

}  // namespace runnel::server
