#include "http/tls.hpp"

#include <boost/asio/ssl/host_name_verification.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

namespace runnel::http {

namespace ssl = boost::asio::ssl;

namespace {

constexpr std::size_t sessions_max = 1024;  // hosts whose sessions are kept

// Where a connection remembers the ClientTls and the host it belongs to.
int owner_index() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

}  // namespace

void ClientTls::FreeSession::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

ssl::context& UpstreamTls::get() {
    std::call_once(once_, [this] {
        auto context = std::make_unique<ssl::context>(ssl::context::tls_client);
        context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                             ssl::context::no_tlsv1_1);
        context->set_default_verify_paths();
        context->set_verify_mode(ssl::verify_peer);
        SSL_CTX* native = context->native_handle();
        SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
        SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(native, &ClientTls::keep_session);
        context_ = std::move(context);
    });
    return *context_;
}

int ClientTls::keep_session(SSL* ssl, SSL_SESSION* session) {
    auto* self = static_cast<ClientTls*>(SSL_get_ex_data(ssl, owner_index()));
    const char* host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (self == nullptr || host == nullptr) return 0;
    if (self->sessions_.size() >= sessions_max && !self->sessions_.contains(host))
        self->sessions_.clear();
    // A copy: a connection that ends without a farewell makes its own session unusable.
    self->sessions_[host].reset(SSL_SESSION_dup(session));
    return 0;
}

std::unique_ptr<ClientTls::Stream> ClientTls::wrap(boost::asio::ip::tcp::socket socket,
                                                   const std::string& host) {
    auto stream = std::make_unique<Stream>(std::move(socket), shared_->get());
    SSL* ssl = stream->native_handle();
    SSL_set_ex_data(ssl, owner_index(), this);
    SSL_set_tlsext_host_name(ssl, host.c_str());
    stream->set_verify_callback(ssl::host_name_verification(host));
    if (const auto found = sessions_.find(host); found != sessions_.end()) {
        const Session copy(SSL_SESSION_dup(found->second.get()));
        SSL_set_session(ssl, copy.get());
    }
    return stream;
}

Result<std::shared_ptr<ssl::context>> make_server_tls(const ServerTlsFiles& files) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                         ssl::context::no_tlsv1_1 | ssl::context::no_compression |
                         SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX* native = context->native_handle();
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");  // of TLS 1.2
    boost::system::error_code error;
    // A key with a pass phrase can't be used: nobody is asked for it at a terminal while all wait.
    context->set_password_callback(
        [](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
    const auto bad = [&error](std::string_view key, const std::string& file) {
        return fail(ErrorKind::internal_error,
                    fmt::format("tls.{}: cannot use '{}': {}", key, file, error.message()));
    };
    context->use_certificate_chain_file(files.cert, error);
    if (error) return bad("cert", files.cert);
    context->use_private_key_file(files.key, ssl::context::pem, error);
    if (error) return bad("key", files.key);
    if (files.client_ca.empty()) return context;
    context->load_verify_file(files.client_ca, error);
    if (error) return bad("client_ca", files.client_ca);
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    // What clients are told about whose certificates are wanted; it takes the list over.
    SSL_CTX_set_client_CA_list(native, SSL_load_client_CA_file(files.client_ca.c_str()));
    // Sessions of clients that showed a certificate are resumed only under a name.
    constexpr unsigned char name[] = "runnel";
    SSL_CTX_set_session_id_context(native, name, sizeof name - 1);
    return context;
}

}  // namespace runnel::http
