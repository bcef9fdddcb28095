#include "json/writer.hpp"
#include "provider/core/retry_delay.hpp"
#include "provider/credentials/jwt.hpp"
#include "provider/credentials/replies.hpp"
#include "provider/credentials/sources.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view google_service = "Google's token service";
constexpr std::string_view google_token_url = "https://oauth2.googleapis.com/token";
constexpr std::string_view google_sts_url = "https://sts.googleapis.com/v1/token";
constexpr std::string_view google_scope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::chrono::seconds assertion_time = 1h;      // the longest that Google takes
constexpr std::chrono::seconds clock_difference = 1min;  // which is worth a second try

std::string or_else(std::string text, std::string_view other) {
    return text.empty() ? std::string(other) : std::move(text);
}

class GoogleSource final : public GrantSource {
public:
    GoogleSource(GoogleIdentity identity, Outside* outside)
        : identity_(std::move(identity)),
          outside_(outside) {}

    Result<Grant> fetch() override {
        if (!identity_.file.empty()) return by_file(identity_.file.reveal());
        if (const std::string path = outside_->variable("GOOGLE_APPLICATION_CREDENTIALS");
            !path.empty()) {
            auto content = outside_->read_file(path);
            if (content) return by_file(*content);
            return fail({ErrorKind::upstream_auth,
                         "the file of GOOGLE_APPLICATION_CREDENTIALS can't be read",
                         {},
                         content.error().message});
        }
        const std::string home = outside_->variable("HOME");
        if (!home.empty())
            if (auto content = outside_->read_file(
                    home + "/.config/gcloud/application_default_credentials.json"))
                return by_file(*content);
        return machine();
    }

private:
    Result<Grant> by_file(const std::string& file) {
        const std::string type = text_in(file, "type");
        if (type == "service_account") return service_account(file);
        if (type == "authorized_user") return user(file);
        if (type == "external_account") return workload(file);
        return fail(ErrorKind::upstream_auth,
                    "the gateway's credentials for Google are no service account's file: its type "
                    "is not service_account, external_account or authorized_user");
    }

    Result<Grant> service_account(const std::string& file) {
        const std::string url = or_else(text_in(file, "token_uri"), google_token_url);
        const auto exchanged = [&](const std::string& assertion) {
            return outside_->ask(
                form_request(url, {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                                   {"assertion", assertion}}));
        };
        auto assertion = assertion_of(file, url, outside_->now());
        if (!assertion) return propagate(assertion);
        auto reply = exchanged(*assertion);
        if (reply && reply->status == 400) {
            // An assertion from another time than theirs is refused; theirs is the clock to go by.
            const auto theirs = read_http_date(reply->date);
            const auto ours = outside_->now();
            const bool differs =
                theirs && (*theirs - ours > clock_difference || ours - *theirs > clock_difference);
            if (differs) assertion = assertion_of(file, url, *theirs);
            if (differs && assertion) reply = exchanged(*assertion);
        }
        return token_of(std::move(reply));
    }

    static Result<std::string> assertion_of(const std::string& file, std::string_view audience,
                                            Outside::Time now) {
        const auto seconds =
            std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
        std::string header;
        json::Writer(header)
            .begin_object()
            .key("alg")
            .string("RS256")
            .key("typ")
            .string("JWT")
            .key("kid")
            .string(text_in(file, "private_key_id"))
            .end_object();
        std::string claims;
        json::Writer(claims)
            .begin_object()
            .key("iss")
            .string(text_in(file, "client_email"))
            .key("scope")
            .string(google_scope)
            .key("aud")
            .string(audience)
            .key("iat")
            .number(seconds)
            .key("exp")
            .number(seconds + assertion_time.count())
            .end_object();
        return signed_jwt(header, claims, Secret(text_in(file, "private_key")));
    }

    // What `gcloud auth application-default login` leaves.
    Result<Grant> user(const std::string& file) {
        const std::string url = or_else(text_in(file, "token_uri"), google_token_url);
        const std::string id = text_in(file, "client_id");
        const std::string secret = text_in(file, "client_secret");
        const std::string refresh = text_in(file, "refresh_token");
        return token_of(outside_->ask(form_request(url, {{"grant_type", "refresh_token"},
                                                         {"client_id", id},
                                                         {"client_secret", secret},
                                                         {"refresh_token", refresh}})));
    }

    // Workload identity federation: a token of somebody whom Google trusts is exchanged, and then
    // perhaps for one of a service account.
    Result<Grant> workload(const std::string& file) {
        auto subject = subject_token(file);
        if (!subject) return propagate(subject);
        const std::string url = or_else(text_in(file, "token_url"), google_sts_url);
        const std::string audience = text_in(file, "audience");
        const std::string type = text_in(file, "subject_token_type");
        auto grant = token_of(outside_->ask(form_request(
            url, {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                  {"audience", audience},
                  {"scope", google_scope},
                  {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                  {"subject_token_type", type},
                  {"subject_token", *subject}})));
        const std::string account = text_in(file, "service_account_impersonation_url");
        if (!grant || account.empty()) return grant;
        std::string body;
        json::Writer(body)
            .begin_object()
            .key("scope")
            .begin_array()
            .string(google_scope)
            .end_array()
            .end_object();
        OutsideRequest request{"POST",
                               account,
                               {{"content-type", "application/json"},
                                {"authorization", "Bearer " + grant->secret.reveal()}},
                               std::move(body)};
        return token_of(outside_->ask(request));
    }

    Result<std::string> subject_token(const std::string& file) {
        const auto source = member_in(file, "credential_source");
        const auto format = member_in(source, "format");
        std::string text;
        if (const std::string path = text_in(source, "file"); !path.empty()) {
            auto content = outside_->read_file(path);
            if (!content)
                return fail({ErrorKind::upstream_auth,
                             "the file of the credential_source can't be read",
                             {},
                             content.error().message});
            text = std::move(*content);
        } else if (const std::string url = text_in(source, "url"); !url.empty()) {
            auto reply = ask_service(*outside_, {.url = url}, "the credential_source");
            if (!reply) return propagate(reply);
            text = std::move(reply->body);
        } else {
            return fail(ErrorKind::upstream_auth,
                        "the credential_source of the gateway's credentials for Google must have a "
                        "file or a url");
        }
        if (text_in(format, "type") == "json")
            text = text_in(text, text_in(format, "subject_token_field_name"));
        while (text.ends_with('\n')) text.pop_back();
        return text;
    }

    Result<Grant> machine() {
        constexpr std::string_view service = "Google's metadata server";
        const std::string host =
            or_else(outside_->variable("GCE_METADATA_HOST"), "metadata.google.internal");
        auto reply = ask_service(
            *outside_,
            {"GET",
             fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/default/token",
                         host),
             {{"metadata-flavor", "Google"}}},
            service);
        if (!reply) return propagate(reply);
        return read_token_reply(reply->body, outside_->now(), service);
    }

    Result<Grant> token_of(Result<OutsideReply> reply) {
        auto taken = taken_reply(std::move(reply), google_service);
        if (!taken) return propagate(taken);
        return read_token_reply(taken->body, outside_->now(), google_service);
    }

    GoogleIdentity identity_;
    Outside* outside_;
};

}  // namespace

std::unique_ptr<GrantSource> make_google_source(GoogleIdentity identity, Outside* outside) {
    return std::make_unique<GoogleSource>(std::move(identity), outside);
}

}  // namespace runnel::provider
