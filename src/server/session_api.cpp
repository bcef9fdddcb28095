#include "server/session_api.hpp"

#include "json/form.hpp"
#include "json/writer.hpp"
#include "server/own_page.hpp"

#include <fmt/format.h>

#include <optional>

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

Result<std::string> close_session(const Arrival& arrival, Sessions* sessions) {
    if (!is_from_own_page(arrival)) return fail(other_page());
    sessions->close(session_of(arrival));
    return cookie(arrival, "", std::chrono::seconds(0));
}

Result<std::string> link_answer(ConsoleState* console, Tickets::Clock::time_point now) {
    auto ticket = console->tickets.make(now);
    if (!ticket) return propagate(ticket);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("url").string(console_link(console->url, *ticket));
    out.key("expires_in").number(std::chrono::seconds(Tickets::lifetime).count()).end_object();
    return body;
}

}  // namespace runnel::server
