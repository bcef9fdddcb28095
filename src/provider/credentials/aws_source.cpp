#include "base/ascii.hpp"
#include "provider/credentials/replies.hpp"
#include "provider/credentials/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;

constexpr auto profile_time = 15min;  // after which a profile's file is read again
constexpr std::string_view container_host = "http://169.254.170.2";
constexpr std::string_view machine_host = "http://169.254.169.254";

// [name] and what stands in it: key = value.
using Section = std::map<std::string, std::string>;

std::string_view without_space(std::string_view text) {
    while (!text.empty() && std::string_view(" \t\r").contains(text.front())) text.remove_prefix(1);
    while (!text.empty() && std::string_view(" \t\r").contains(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view without_line_end(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

// The first section of one of these names.
Section section_of(std::string_view file, std::string_view name, std::string_view other_name) {
    Section section;
    bool inside = false;
    while (!file.empty()) {
        const std::size_t end = std::min(file.find('\n'), file.size());
        const std::string_view line = without_space(file.substr(0, end));
        file.remove_prefix(std::min(end + 1, file.size()));
        if (line.empty() || line.starts_with('#') || line.starts_with(';')) continue;
        if (line.starts_with('[')) {
            const auto title = without_space(line.substr(1, line.find(']') - 1));
            inside = title == name || title == other_name;
            continue;
        }
        const std::size_t equals = line.find('=');
        if (!inside || equals == std::string_view::npos) continue;
        section.try_emplace(ascii::lowered(without_space(line.substr(0, equals))),
                            without_space(line.substr(equals + 1)));
    }
    return section;
}

// A command line's words; quotes keep spaces together.
std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    char quote = '\0';
    bool any = false;
    for (const char c : line) {
        if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
            quote = quote == '\0' ? c : '\0';
            any = true;
        } else if (quote == '\0' && (c == ' ' || c == '\t')) {
            if (any) words.push_back(std::exchange(word, {}));
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any) words.push_back(std::move(word));
    return words;
}

class AwsSource final : public GrantSource {
public:
    AwsSource(AwsIdentity identity, std::string region, Outside* outside)
        : identity_(std::move(identity)),
          region_(std::move(region)),
          outside_(outside) {}

    Result<Grant> fetch() override {
        const AwsKeys& keys = identity_.keys;
        if (!keys.id.empty()) return Grant{keys.id, keys.secret, keys.session_token};
        if (!identity_.profile.empty()) return profile(identity_.profile, Absent::is_wrong);
        if (const std::string id = outside_->variable("AWS_ACCESS_KEY_ID"); !id.empty())
            return Grant{id, Secret(outside_->variable("AWS_SECRET_ACCESS_KEY")),
                         Secret(outside_->variable("AWS_SESSION_TOKEN"))};
        if (const std::string file = outside_->variable("AWS_WEB_IDENTITY_TOKEN_FILE");
            !file.empty())
            return web_identity(file);
        const std::string named = outside_->variable("AWS_PROFILE");
        auto found = profile(named.empty() ? "default" : named,
                             named.empty() ? Absent::is_fine : Absent::is_wrong);
        if (found ? !found->id.empty() : !named.empty()) return found;
        if (const std::string path = outside_->variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
            !path.empty())
            return container(std::string(container_host) + path);
        if (const std::string url = outside_->variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
            !url.empty())
            return container(url);
        if (ascii::lowered(outside_->variable("AWS_EC2_METADATA_DISABLED")) == "true")
            return fail(ErrorKind::upstream_auth, "the gateway has no credentials for AWS");
        return machine();
    }

private:
    enum class Absent { is_fine, is_wrong };

    std::string file_named_by(const char* variable, std::string_view usual) const {
        if (std::string path = outside_->variable(variable); !path.empty()) return path;
        return fmt::format("{}/.aws/{}", outside_->variable("HOME"), usual);
    }

    // A profile may be in either of two files. No id: it is in none, which is fine.
    Result<Grant> profile(const std::string& name, Absent absent) {
        const auto credentials =
            outside_->read_file(file_named_by("AWS_SHARED_CREDENTIALS_FILE", "credentials"));
        Section section = section_of(credentials.value_or(""), name, name);
        if (!section.contains("aws_access_key_id")) {
            const auto config = outside_->read_file(file_named_by("AWS_CONFIG_FILE", "config"));
            section.merge(section_of(config.value_or(""), fmt::format("profile {}", name),
                                     name == "default" ? name : ""));
        }
        if (section.contains("credential_process") && !section.contains("aws_access_key_id")) {
            auto printed = outside_->run(words_of(section["credential_process"]));
            if (!printed) return propagate(printed);
            return read_aws_reply(*printed, "the credential_process of the profile");
        }
        Grant grant{section["aws_access_key_id"], Secret(section["aws_secret_access_key"]),
                    Secret(section["aws_session_token"]), outside_->now() + profile_time};
        if (!grant.id.empty() && !grant.secret.empty()) return grant;
        if (absent == Absent::is_fine) return Grant{};
        return fail(ErrorKind::upstream_auth,
                    "the AWS profile of the gateway's config has no keys in ~/.aws/credentials or "
                    "~/.aws/config");
    }

    // A pod's role in EKS: its token is exchanged for keys.
    Result<Grant> web_identity(const std::string& file) {
        constexpr std::string_view service = "AWS' token service (STS)";
        auto token = outside_->read_file(file);
        if (!token)
            return fail({ErrorKind::upstream_auth,
                         "the file of AWS_WEB_IDENTITY_TOKEN_FILE can't be read",
                         {},
                         token.error().message});
        const std::string role = outside_->variable("AWS_ROLE_ARN");
        const std::string session = outside_->variable("AWS_ROLE_SESSION_NAME");
        std::string url = outside_->variable("AWS_ENDPOINT_URL_STS");
        if (url.empty()) url = fmt::format("https://sts.{}.amazonaws.com", region_);
        auto request =
            form_request(url + "/", {{"Action", "AssumeRoleWithWebIdentity"},
                                     {"Version", "2011-06-15"},
                                     {"RoleArn", role},
                                     {"RoleSessionName", session.empty() ? "runnel" : session},
                                     {"WebIdentityToken", without_line_end(*token)}});
        request.headers.back().value = "text/xml";
        auto reply = ask_service(*outside_, request, service);
        if (!reply) return propagate(reply);
        return read_sts_reply(reply->body, service);
    }

    // XML: what stands in the first element of each name.
    static Result<Grant> read_sts_reply(const std::string& body, std::string_view service) {
        const auto element = [&](std::string_view name) -> std::string {
            const std::string open = fmt::format("<{}>", name);
            const std::size_t at = body.find(open);
            const std::size_t end = body.find(fmt::format("</{}>", name), at);
            if (at == std::string::npos || end == std::string::npos) return {};
            return body.substr(at + open.size(), end - at - open.size());
        };
        return aws_grant({element("AccessKeyId"), Secret(element("SecretAccessKey")),
                          Secret(element("SessionToken"))},
                         element("Expiration"), service);
    }

    Result<Grant> container(const std::string& url) {
        constexpr std::string_view service = "the container's credentials endpoint";
        OutsideRequest request{.url = url};
        std::string token = outside_->variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
        if (const std::string file = outside_->variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
            !file.empty()) {
            auto read = outside_->read_file(file);
            if (!read)
                return fail({ErrorKind::upstream_auth,
                             "the file of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE can't be read",
                             {},
                             read.error().message});
            token = without_line_end(*read);
        }
        if (!token.empty()) request.headers.push_back({"authorization", token});
        auto reply = ask_service(*outside_, request, service);
        if (!reply) return propagate(reply);
        return read_aws_reply(reply->body, service);
    }

    // IMDSv2: a token first, then the role's name, then its keys.
    Result<Grant> machine() {
        constexpr std::string_view service = "the machine's metadata service";
        std::string host = outside_->variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
        while (host.ends_with('/')) host.pop_back();
        if (host.empty()) host = machine_host;
        auto token = ask_service(
            *outside_,
            {"PUT", host + "/latest/api/token", {{"x-aws-ec2-metadata-token-ttl-seconds", "300"}}},
            service);
        if (!token) return propagate(token);
        const std::string roles = host + "/latest/meta-data/iam/security-credentials/";
        const auto get = [&](const std::string& url) {
            return ask_service(*outside_, {"GET", url, {{"x-aws-ec2-metadata-token", token->body}}},
                               service);
        };
        auto names = get(roles);
        if (!names) return propagate(names);
        const std::string role = names->body.substr(0, names->body.find('\n'));
        auto reply = get(roles + role);
        if (!reply) return propagate(reply);
        return read_aws_reply(reply->body, service);
    }

    AwsIdentity identity_;
    std::string region_;
    Outside* outside_;
};

}  // namespace

std::unique_ptr<GrantSource> make_aws_source(AwsIdentity identity, std::string region,
                                             Outside* outside) {
    return std::make_unique<AwsSource>(std::move(identity), std::move(region), outside);
}

}  // namespace runnel::provider
