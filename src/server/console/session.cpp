#include "json/form.hpp"
#include "json/writer.hpp"
#include "server/admin/audit.hpp"
#include "server/console/console.hpp"
#include "server/handlers.hpp"

#include <fmt/format.h>

#include <optional>

// The console's sign-in, and the links that take its place.
namespace runnel::server {
namespace {

constexpr std::size_t token_bytes_max = 4096;

std::string_view name_of(access::AuthSettings::Mode mode) {
    switch (mode) {
        case access::AuthSettings::Mode::open: return "open";
        case access::AuthSettings::Mode::keys: return "keys";
        case access::AuthSettings::Mode::header: break;
    }
    return "header";
}

// Where TLS ends at a proxy, the page's origin may be all that tells.
std::string cookie(const Arrival& arrival, std::string_view value, std::chrono::seconds lifetime) {
    const bool secure =
        is_encrypted(arrival) || arrival.request->headers.get("Origin").starts_with("https://");
    return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
                       secure ? secure_session_cookie : session_cookie, value, lifetime.count(),
                       secure ? "; Secure" : "");
}

// What somebody signs in with.
struct Shown {
    std::optional<std::string> token{};
    std::optional<std::string> ticket{};
};

Result<Shown> read_shown(std::string_view body) {
    auto form = json::Form::read(body);
    if (!form) return propagate(form);
    auto fields = form->root().fields();
    if (!fields) return propagate(fields);
    Shown shown;
    for (const auto& [name, value] : *fields) {
        if (name != "token" && name != "ticket") continue;
        auto text = value.text(token_bytes_max);
        if (!text) return propagate(text);
        (name == "token" ? shown.token : shown.ticket) = std::move(*text);
    }
    if (shown.token || shown.ticket) return shown;
    return fail_at(ErrorKind::missing_required_field, "token",
                   "token is missing: admin.token of the gateway's config, or ticket: that of a "
                   "link");
}

Error other_page() {
    return {ErrorKind::origin_not_allowed, "only the console's own page can sign in and out"};
}

// Whether the browser may use the admin API, and whether it takes a token to.
std::string session_json(SignedIn signed_in, const Secret& token,
                         const access::AuthSettings& auth) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("signed_in").boolean(signed_in == SignedIn::yes);
    out.key("needs_token").boolean(!token.empty());
    out.key("mode").string(name_of(auth.mode)).end_object();
    return body;
}

// The cookie of a new session, for a Set-Cookie field, in return for {"token"} or a link's
// {"ticket"}.
Result<std::string> open_session(const Arrival& arrival, const Secret& token, ConsoleState* console,
                                 Sessions::Clock::time_point now) {
    if (!is_from_own_page(arrival)) return fail(other_page());
    auto shown = read_shown(arrival.request->body);
    if (!shown) return propagate(shown);
    if (!shown->ticket && token.empty())
        return fail(ErrorKind::insufficient_scope,
                    "the gateway's config has no admin.token to sign in with; `runnel admin-link` "
                    "prints a link that opens the console");
    Guesses& guesses = console->guesses;
    if (auto may = may_guess(arrival.address, guesses, now); !may) return propagate(may);
    const bool right = shown->ticket
                           ? console->tickets.use(*shown->ticket, now) == Tickets::Good::yes
                           : same_secret(*shown->token, token);
    if (!right) {
        guesses.was_wrong(arrival.address, now);
        return fail(ErrorKind::invalid_api_key,
                    shown->ticket ? "this link was used, or is too old; `runnel admin-link` prints "
                                    "another"
                                  : "this is not the gateway's admin token");
    }
    guesses.was_right(arrival.address);
    auto name = console->sessions.open(token, now);
    if (!name) return propagate(name);
    return cookie(arrival, *name, Sessions::lifetime);
}

// The cookie that takes the place of the session's.
Result<std::string> close_session(const Arrival& arrival, Sessions* sessions) {
    if (!is_from_own_page(arrival)) return fail(other_page());
    sessions->close(session_of(arrival));
    return cookie(arrival, "", std::chrono::seconds(0));
}

// An address that opens the console, once.
Result<std::string> link_json(ConsoleState* console, Tickets::Clock::time_point now) {
    auto ticket = console->tickets.make(now);
    if (!ticket) return propagate(ticket);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("url").string(console_link(console->url, *ticket));
    out.key("expires_in").number(std::chrono::seconds(Tickets::lifetime).count()).end_object();
    return body;
}

Answer send_session(const Call& call, SignedIn signed_in) {
    const exchange::Gateway& gateway = call.gateway();
    return send_json(call, 200, session_json(signed_in, gateway.admin_token, gateway.access.auth));
}

Answer send_changed_session(const Call& call, Result<std::string> cookie, SignedIn signed_in) {
    if (!cookie) return refuse(call, std::move(cookie.error()));
    call.answer_headers().add("Set-Cookie", *cookie);
    call.answer_headers().add("Cache-Control", "no-store");
    return send_session(call, signed_in);
}

}  // namespace

Answer show_session(Call call) {
    return send_session(call, may_administer(call) ? SignedIn::yes : SignedIn::no);
}

Answer sign_in(Call call) {
    auto cookie = open_session(arrival_of(*call.transaction), call.gateway().admin_token,
                               call.resources->console, Sessions::Clock::now());
    if (cookie)
        note_action(call.resources->shared->queries, {"console", call.transaction->client_address},
                    "session.open", "", "{}");
    return send_changed_session(call, std::move(cookie), SignedIn::yes);
}

Answer sign_out(Call call) {
    auto cookie = close_session(arrival_of(*call.transaction), &call.resources->console->sessions);
    return send_changed_session(call, std::move(cookie), SignedIn::no);
}

Answer create_link(Call call) {
    auto body = link_json(call.resources->console, Tickets::Clock::now());
    note_action(call.resources->shared->queries, actor_of(call), "link.create", "", "{}");
    return send_secret(call, std::move(body), 201);
}

}  // namespace runnel::server
