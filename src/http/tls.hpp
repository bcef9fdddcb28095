#pragma once

#include "base/result.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <map>
#include <memory>
#include <string>

typedef struct ssl_session_st SSL_SESSION;

namespace runnel::http {

// What all upstream TLS connections share: certificates verified against the system's (or
// SSL_CERT_FILE's) roots, TLS 1.2 and up. Reading the roots takes tens of milliseconds, so there is
// one for all threads, made before they start.
std::unique_ptr<boost::asio::ssl::context> make_client_tls();

// One thread's upstream TLS: checks the host name, sends SNI, and keeps sessions per host so that
// the next connection resumes.
class ClientTls {
public:
    // `context` is make_client_tls()'s and must outlive this; null where no upstream uses TLS.
    explicit ClientTls(boost::asio::ssl::context* context) : context_(context) {}
    ClientTls(const ClientTls&) = delete;
    ClientTls& operator=(const ClientTls&) = delete;

    using Stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;
    // A stream ready for its handshake with `host`.
    std::unique_ptr<Stream> wrap(boost::asio::ip::tcp::socket socket, const std::string& host);

private:
    struct FreeSession {
        void operator()(SSL_SESSION* session) const;
    };
    friend std::unique_ptr<boost::asio::ssl::context> make_client_tls();
    static int keep_session(SSL* ssl, SSL_SESSION* session);

    boost::asio::ssl::context* context_;
    using Session = std::unique_ptr<SSL_SESSION, FreeSession>;
    std::map<std::string, Session> sessions_;  // by host
};

// The listener's side; the error names the file at fault.
Result<std::unique_ptr<boost::asio::ssl::context>> make_server_tls(const std::string& cert_file,
                                                                   const std::string& key_file);

}  // namespace runnel::http
