#include "http/client/name_channel.hpp"

#include "base/ascii.hpp"
#include "base/log.hpp"

#include <ares.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>

namespace runnel::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr int try_ms = 2000;  // the first wait for a server; later ones are longer
constexpr int tries = 3;
constexpr std::size_t answer_addresses_max = 64;  // that are taken from one answer

// c-ares wants to be set up once per process, before there are threads that use it.
bool is_set_up() {
    static const bool done = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS;
    return done;
}

int as_af(NameChannel::Family family) {
    return family == NameChannel::Family::v6 ? AF_INET6 : AF_INET;
}

asio::ip::address_v4 v4_of(const void* bytes) {
    asio::ip::address_v4::bytes_type copy;
    std::copy_n(static_cast<const unsigned char*>(bytes), copy.size(), copy.begin());
    return asio::ip::address_v4(copy);
}

asio::ip::address_v6 v6_of(const void* bytes) {
    asio::ip::address_v6::bytes_type copy;
    std::copy_n(static_cast<const unsigned char*>(bytes), copy.size(), copy.begin());
    return asio::ip::address_v6(copy);
}

std::optional<asio::ip::address> address_of(const ares_addrinfo_node& node) {
    if (node.ai_family == AF_INET)
        return v4_of(&reinterpret_cast<const sockaddr_in*>(node.ai_addr)->sin_addr);
    if (node.ai_family == AF_INET6)
        return v6_of(&reinterpret_cast<const sockaddr_in6*>(node.ai_addr)->sin6_addr);
    return std::nullopt;
}

NameChannel::Answer answer_of(int status, const ares_addrinfo* result) {
    NameChannel::Answer answer;
    auto kept = std::chrono::seconds::max();
    for (const auto* node = result != nullptr ? result->nodes : nullptr; node != nullptr;
         node = node->ai_next) {
        const auto address = address_of(*node);
        if (!address || answer.addresses.size() == answer_addresses_max) continue;
        answer.addresses.push_back(*address);
        kept = std::min(kept, std::chrono::seconds(std::max(node->ai_ttl, 0)));
    }
    if (!answer.addresses.empty()) {
        answer.kept = kept;
        return answer;
    }
    answer.why = ares_strerror(status == ARES_SUCCESS ? ARES_ENODATA : status);
    answer.is_certain = status == ARES_SUCCESS || status == ARES_ENOTFOUND ||
                        status == ARES_ENODATA || status == ARES_EBADNAME;
    return answer;
}

struct Question {
    std::function<void(NameChannel::Answer)> answer;
};

void on_answer(void* asked, int status, int, ares_addrinfo* result) {
    const std::unique_ptr<Question> question(static_cast<Question*>(asked));
    const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned(result,
                                                                             ares_freeaddrinfo);
    if (status == ARES_EDESTRUCTION) return;
    question->answer(answer_of(status, result));
}

}  // namespace

// A socket of c-ares', which opens and closes it.
struct NameChannel::Watch {
    Watch(asio::io_context* loop, int socket) : descriptor(*loop, socket) {}
    ~Watch() {
        if (descriptor.is_open()) descriptor.release();
    }

    asio::posix::stream_descriptor descriptor;
    Wants wants{false, false};
    bool reading = false, writing = false;  // is being waited for
};

NameChannel::NameChannel(asio::io_context* loop, std::string servers) : loop_(loop), timer_(*loop) {
    ares_options options{};
    options.timeout = try_ms;
    options.tries = tries;
    char from_servers[] = "b";  // /etc/hosts is read here, for both families at once
    options.lookups = from_servers;
    options.sock_state_cb_data = this;
    options.sock_state_cb = [](void* self, ares_socket_t socket, int readable, int writable) {
        static_cast<NameChannel*>(self)->watch(socket, {readable != 0, writable != 0});
    };
    const int given =
        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
    int status = ARES_ENOTINITIALIZED;
    if (is_set_up()) status = ares_init_options(&channel_, &options, given);
    if (status != ARES_SUCCESS) channel_ = nullptr;
    if (channel_ != nullptr && !servers.empty())
        status = ares_set_servers_ports_csv(channel_, servers.c_str());
    if (status != ARES_SUCCESS)
        log::Line(log::Level::error, "name servers can't be asked")
            .add("error", ares_strerror(status))
            .add("servers", servers.empty() ? std::string("/etc/resolv.conf") : servers)
            .add("cure", "correct RUNNEL_DNS_SERVERS or /etc/resolv.conf")
            .write();
}

NameChannel::~NameChannel() {
    *alive_ = false;
    if (channel_ != nullptr) ares_destroy(std::exchange(channel_, nullptr));
}

void NameChannel::ask(const std::string& host, Family family, std::function<void(Answer)> answer) {
    if (channel_ == nullptr) {
        answer({.why = "c-ares could not be set up", .is_certain = false});
        return;
    }
    ares_addrinfo_hints hints{};
    hints.ai_family = as_af(family);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = ARES_AI_NOSORT;
    auto question = std::make_unique<Question>(std::move(answer));
    ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, on_answer, question.release());
    arm_timer();
}

NameChannel::Addresses NameChannel::in_hosts_file(const std::string& host, Family family) const {
    Addresses addresses;
    hostent* found = nullptr;
    if (channel_ != nullptr &&
        ares_gethostbyname_file(channel_, host.c_str(), as_af(family), &found) == ARES_SUCCESS) {
        const std::unique_ptr<hostent, decltype(&ares_free_hostent)> owned(found,
                                                                           ares_free_hostent);
        for (char** at = found->h_addr_list; *at != nullptr; ++at) {
            if (found->h_addrtype == AF_INET) addresses.emplace_back(v4_of(*at));
            if (found->h_addrtype == AF_INET6) addresses.emplace_back(v6_of(*at));
        }
    }
    // RFC 6761: whatever a server says.
    if (addresses.empty() && ascii::equal_ignoring_case(host, "localhost")) {
        if (family == Family::v6) addresses.emplace_back(asio::ip::address_v6::loopback());
        if (family == Family::v4) addresses.emplace_back(asio::ip::address_v4::loopback());
    }
    return addresses;
}

void NameChannel::watch(int socket, Wants wants) {
    if (!wants.read && !wants.write) {
        const auto closing = watches_.find(socket);
        if (closing == watches_.end()) return;
        // Now: the next socket may have the same number before this one's last handler has ended.
        closing->second->descriptor.release();
        watches_.erase(closing);
        return;
    }
    std::shared_ptr<Watch>& watch = watches_[socket];
    if (!watch) watch = std::make_shared<Watch>(loop_, socket);
    watch->wants = wants;
    wait(watch);
}

void NameChannel::wait(const std::shared_ptr<Watch>& watch) {
    using Descriptor = asio::posix::stream_descriptor;
    const auto wait_for = [this, &watch](Descriptor::wait_type type, bool Watch::* pending) {
        (*watch).*pending = true;
        const int socket = watch->descriptor.native_handle();
        // A watch that has gone was let go of with its socket: what was waited for there is over.
        watch->descriptor.async_wait(type, [this, alive = alive_, weak = std::weak_ptr(watch), type,
                                            pending, socket](const error_code& error) {
            const auto still = weak.lock();
            if (!*alive || !still) return;
            (*still).*pending = false;
            if (error) return;
            const bool reads = type == Descriptor::wait_read;
            ares_process_fd(channel_, reads ? socket : ARES_SOCKET_BAD,
                            reads ? ARES_SOCKET_BAD : socket);
            const auto known = watches_.find(socket);
            if (known != watches_.end() && known->second == still) wait(still);
            arm_timer();
        });
    };
    if (watch->wants.read && !watch->reading) wait_for(Descriptor::wait_read, &Watch::reading);
    if (watch->wants.write && !watch->writing) wait_for(Descriptor::wait_write, &Watch::writing);
}

void NameChannel::arm_timer() {
    timeval left{};
    if (ares_timeout(channel_, nullptr, &left) == nullptr) {
        timer_.cancel();
        return;
    }
    timer_.expires_after(std::chrono::seconds(left.tv_sec) +
                         std::chrono::microseconds(left.tv_usec));
    timer_.async_wait([this, alive = alive_](const error_code& error) {
        if (error || !*alive) return;
        ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
        arm_timer();
    });
}

}  // namespace runnel::http
