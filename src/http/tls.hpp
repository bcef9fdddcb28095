#pragma once

#include "base/result.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>

typedef struct ssl_session_st SSL_SESSION;

namespace runnel::http {

// What all upstream TLS connections share: certificates verified against the system's (or
// SSL_CERT_FILE's) roots, TLS 1.2 and up. Reading the roots takes tens of milliseconds, so there is
// one for all threads, made when the first config needs it.
class UpstreamTls {
public:
    // From any thread. The first call makes it; whoever brings in a config that needs TLS calls it
    // before the threads do.
    boost::asio::ssl::context& get();

private:
    std::once_flag once_;
    std::unique_ptr<boost::asio::ssl::context> context_;
};

// One thread's upstream TLS: checks the host name, sends SNI, and keeps sessions per host so that
// the next connection resumes.
class ClientTls {
public:
    // `shared` must outlive this.
    explicit ClientTls(UpstreamTls* shared) : shared_(shared) {}
    ClientTls(const ClientTls&) = delete;
    ClientTls& operator=(const ClientTls&) = delete;

    using Stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;
    // A stream ready for its handshake with `host`.
    std::unique_ptr<Stream> wrap(boost::asio::ip::tcp::socket socket, const std::string& host);

private:
    struct FreeSession {
        void operator()(SSL_SESSION* session) const;
    };
    friend class UpstreamTls;
    static int keep_session(SSL* ssl, SSL_SESSION* session);

    UpstreamTls* shared_;
    using Session = std::unique_ptr<SSL_SESSION, FreeSession>;
    std::map<std::string, Session> sessions_;  // by host
};

// The listener's side: files in PEM, of a certificate with those above it, its key, and of who
// signs the certificates of clients.
struct ServerTlsFiles {
    std::string cert;
    std::string key;
    std::string client_ca{};  // empty: clients need no certificate; else all others are refused
};

// TLS 1.2 and up, with ciphers that keep what was said secret also when the key is lost later.
// Reads the files; the error names the one at fault.
Result<std::shared_ptr<boost::asio::ssl::context>> make_server_tls(const ServerTlsFiles& files);

}  // namespace runnel::http
