#include "http/client/resolver.hpp"

#include "http/as_error.hpp"
#include "http/client/name_channel.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace runnel::http {

namespace asio = boost::asio;
using asio::awaitable;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t names_max = 1024;         // that are remembered, or looked up at a time
constexpr std::size_t name_addresses_max = 16;  // of one name
constexpr std::chrono::seconds kept_min = 1s, kept_max = 300s, kept_of_file = 30s;
// That there is no such name, and that nobody knows.
constexpr std::chrono::seconds not_found_kept = 5s, unknown_kept = 1s;
// Once there are addresses of one kind, how long the others are waited for (RFC 8305, section 3).
constexpr std::chrono::milliseconds other_kind_time = 50ms;

Error not_found(std::string why) {
    return {ErrorKind::upstream_unreachable, "its host name was not found", {}, std::move(why)};
}

// Also in the spellings that the system's own lookup takes for one (127.1, 0x7f000001, 0177.0.0.1),
// so that no name server has a say in what they mean.
std::optional<asio::ip::address> written_address(const std::string& host) {
    boost::system::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) return address;
    in_addr number{};
    if (inet_aton(host.c_str(), &number) == 0) return std::nullopt;
    return asio::ip::address_v4(ntohl(number.s_addr));
}

using Family = NameChannel::Family;

}  // namespace

// What is known of a name, or being found out.
struct Name {
    explicit Name(asio::io_context* loop) : grace(*loop) {}

    int open = 0;  // questions without an answer
    bool settled = false;
    Resolver::Addresses v6, v4;
    std::chrono::seconds kept = kept_max;
    std::string why;  // there are none
    std::chrono::seconds kept_without = not_found_kept;
    Clock::time_point until{};
    asio::steady_timer grace;
    std::vector<std::shared_ptr<asio::steady_timer>> waiting;

    bool any() const { return !v6.empty() || !v4.empty(); }
};

struct Resolver::State : std::enable_shared_from_this<State> {
    State(asio::io_context* on, std::string servers) : loop(on), channel(on, std::move(servers)) {}

    using NamePointer = std::shared_ptr<Name>;

    NamePointer look_up(const std::string& host) {
        const auto now = Clock::now();
        auto found = names.find(host);
        if (found != names.end() && found->second->settled && found->second->until <= now) {
            names.erase(found);
            found = names.end();
        }
        if (found != names.end()) return found->second;
        if (names.size() >= names_max)
            std::erase_if(names, [&](const auto& entry) {
                return entry.second->settled && entry.second->until <= now;
            });
        if (names.size() >= names_max)
            std::erase_if(names, [](const auto& entry) { return entry.second->settled; });
        if (names.size() >= names_max) return nullptr;
        auto name = std::make_shared<Name>(loop);
        names.emplace(host, name);
        begin(host, name);
        return name;
    }

    void begin(const std::string& host, const NamePointer& name) {
        name->v6 = channel.in_hosts_file(host, Family::v6);
        name->v4 = channel.in_hosts_file(host, Family::v4);
        if (name->any()) {
            name->kept = kept_of_file;
            settle(name);
            return;
        }
        name->open = 2;
        const auto ask = [&](Family family) {
            channel.ask(host, family,
                        [self = weak_from_this(), name, family](NameChannel::Answer answer) {
                            if (const auto here = self.lock())
                                here->note(name, family, std::move(answer));
                        });
        };
        ask(Family::v6);
        ask(Family::v4);
    }

    void note(const NamePointer& name, Family family, NameChannel::Answer answer) {
        --name->open;
        if (name->settled) return;
        if (!answer.addresses.empty()) {
            name->kept = std::min(name->kept, std::max(answer.kept, kept_min));
            (family == Family::v6 ? name->v6 : name->v4) = std::move(answer.addresses);
        } else {
            if (name->why.empty() || !answer.is_certain) name->why = std::move(answer.why);
            if (!answer.is_certain) name->kept_without = unknown_kept;
        }
        if (name->open == 0) {
            settle(name);
        } else if (name->any()) {
            name->grace.expires_after(other_kind_time);
            name->grace.async_wait(
                [self = weak_from_this(), name](const boost::system::error_code& error) {
                    const auto here = self.lock();
                    if (!error && here && !name->settled) here->settle(name);
                });
        }
    }

    void settle(const NamePointer& name) {
        name->settled = true;
        name->until = Clock::now() + (name->any() ? name->kept : name->kept_without);
        name->grace.cancel();
        for (const auto& bell : std::exchange(name->waiting, {})) bell->cancel();
    }

    asio::io_context* loop;
    NameChannel channel;
    std::map<std::string, NamePointer, std::less<>> names;
};

Resolver::Resolver(asio::io_context* loop, std::string servers)
    : state_(std::make_shared<State>(loop, std::move(servers))) {}

Resolver::~Resolver() = default;

awaitable<Result<Resolver::Addresses>> Resolver::resolve(std::string host, Stop* stop) {
    if (const auto address = written_address(host)) co_return Addresses{*address};
    const std::shared_ptr<Name> name = state_->look_up(host);
    if (!name) co_return fail(not_found("too many names are being looked up"));
    if (!name->settled) {
        const auto bell =
            std::make_shared<asio::steady_timer>(*state_->loop, Clock::time_point::max());
        name->waiting.push_back(bell);
        const Stop::Guard guard(stop, [bell] { bell->cancel(); });
        if (!stop->requested()) co_await bell->async_wait(as_error);
        std::erase(name->waiting, bell);
        if (!name->settled) co_return fail(not_found("nobody waits for it any more"));
    }
    if (!name->any()) co_return fail(not_found(name->why));
    co_return in_turns(name->v6, name->v4);
}

Resolver::Addresses in_turns(const Resolver::Addresses& v6, const Resolver::Addresses& v4) {
    Resolver::Addresses all;
    for (std::size_t i = 0; i < std::max(v6.size(), v4.size()); ++i)
        for (const auto* family : {&v6, &v4})
            if (i < family->size() && all.size() < name_addresses_max) all.push_back((*family)[i]);
    return all;
}

std::string environment_name_servers() {
    const char* servers =
        std::getenv("RUNNEL_DNS_SERVERS");  // NOLINT(concurrency-mt-unsafe): nobody changes it
    return servers != nullptr ? servers : "";
}

}  // namespace runnel::http
