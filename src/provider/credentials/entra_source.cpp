#include "base/percent_encoding.hpp"
#include "json/writer.hpp"
#include "provider/credentials/jwt.hpp"
#include "provider/credentials/replies.hpp"
#include "provider/credentials/sources.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view entra_service = "Microsoft Entra";
constexpr std::string_view azure_scope = "https://cognitiveservices.azure.com/.default";
constexpr std::string_view default_scope = "/.default";
constexpr std::string_view assertion_type =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr std::chrono::seconds entra_assertion_time = 10min;

class EntraSource final : public GrantSource {
public:
    EntraSource(EntraIdentity identity, Outside* outside)
        : identity_(std::move(identity)),
          outside_(outside) {
        if (identity_.scope.empty()) identity_.scope = azure_scope;
    }

    Result<Grant> fetch() override {
        if (!identity_.managed) return application();
        if (const std::string file = outside_->variable("AZURE_FEDERATED_TOKEN_FILE");
            !file.empty())
            return workload(file);
        return managed();
    }

private:
    std::string token_url(const std::string& tenant) const {
        std::string authority = outside_->variable("AZURE_AUTHORITY_HOST");
        while (authority.ends_with('/')) authority.pop_back();
        if (authority.empty()) authority = "https://login.microsoftonline.com";
        return fmt::format("{}/{}/oauth2/v2.0/token", authority, percent_encoded(tenant));
    }

    Result<Grant> application() {
        const std::string url = token_url(identity_.tenant);
        std::vector<FormField> fields = {{"grant_type", "client_credentials"},
                                         {"client_id", identity_.client_id},
                                         {"scope", identity_.scope}};
        Result<std::string> assertion = std::string();
        if (identity_.certificate.empty()) {
            fields.emplace_back("client_secret", identity_.client_secret.reveal());
        } else {
            assertion = assertion_for(url);
            if (!assertion) return propagate(assertion);
            fields.emplace_back("client_assertion_type", assertion_type);
            fields.emplace_back("client_assertion", *assertion);
        }
        return token_from(form_request(url, fields), entra_service);
    }

    Result<std::string> assertion_for(const std::string& url) const {
        auto thumbprint = certificate_thumbprint(identity_.certificate.reveal());
        if (!thumbprint) return propagate(thumbprint);
        const auto now =
            std::chrono::duration_cast<std::chrono::seconds>(outside_->now().time_since_epoch())
                .count();
        std::string header;
        json::Writer(header)
            .begin_object()
            .key("alg")
            .string("RS256")
            .key("typ")
            .string("JWT")
            .key("x5t#S256")
            .string(*thumbprint)
            .end_object();
        std::string claims;
        json::Writer(claims)
            .begin_object()
            .key("aud")
            .string(url)
            .key("iss")
            .string(identity_.client_id)
            .key("sub")
            .string(identity_.client_id)
            .key("jti")
            .string(fmt::format("{}-{:.17f}", now, outside_->random()))
            .key("nbf")
            .number(now)
            .key("exp")
            .number(now + entra_assertion_time.count())
            .end_object();
        return signed_jwt(header, claims, identity_.certificate);
    }

    // A pod's identity in AKS: its token is the assertion.
    Result<Grant> workload(const std::string& file) {
        auto token = outside_->read_file(file);
        if (!token)
            return fail({ErrorKind::upstream_auth,
                         "the file of AZURE_FEDERATED_TOKEN_FILE can't be read",
                         {},
                         token.error().message});
        const std::string client = identity_.client_id.empty()
                                       ? outside_->variable("AZURE_CLIENT_ID")
                                       : identity_.client_id;
        const std::string tenant =
            identity_.tenant.empty() ? outside_->variable("AZURE_TENANT_ID") : identity_.tenant;
        while (token->ends_with('\n')) token->pop_back();
        return token_from(
            form_request(token_url(tenant), {{"grant_type", "client_credentials"},
                                             {"client_id", client},
                                             {"scope", identity_.scope},
                                             {"client_assertion_type", assertion_type},
                                             {"client_assertion", *token}}),
            entra_service);
    }

    // App Service and its like tell where to ask; virtual machines have an address that is the same
    // everywhere.
    Result<Grant> managed() {
        std::string resource = identity_.scope;
        if (resource.ends_with(default_scope))
            resource.resize(resource.size() - default_scope.size());
        const std::string endpoint = outside_->variable("IDENTITY_ENDPOINT");
        if (!endpoint.empty()) {
            const std::string query = form_of({{"api-version", "2019-08-01"},
                                               {"resource", resource},
                                               {"client_id", identity_.client_id}});
            return token_from({"GET",
                               fmt::format("{}?{}", endpoint, query),
                               {{"x-identity-header", outside_->variable("IDENTITY_HEADER")}}},
                              machine_service);
        }
        std::string host = outside_->variable("AZURE_POD_IDENTITY_AUTHORITY_HOST");
        while (host.ends_with('/')) host.pop_back();
        if (host.empty()) host = "http://169.254.169.254";
        const std::string query = form_of({{"api-version", "2018-02-01"},
                                           {"resource", resource},
                                           {"client_id", identity_.client_id}});
        return token_from({"GET",
                           fmt::format("{}/metadata/identity/oauth2/token?{}", host, query),
                           {{"metadata", "true"}}},
                          machine_service);
    }

    Result<Grant> token_from(const OutsideRequest& request, std::string_view service) {
        auto reply = ask_service(*outside_, request, service);
        if (!reply) return propagate(reply);
        return read_token_reply(reply->body, outside_->now(), service);
    }

    static constexpr std::string_view machine_service = "the machine's identity service";

    EntraIdentity identity_;
    Outside* outside_;
};

}  // namespace

std::unique_ptr<GrantSource> make_entra_source(EntraIdentity identity, Outside* outside) {
    return std::make_unique<EntraSource>(std::move(identity), outside);
}

}  // namespace runnel::provider
