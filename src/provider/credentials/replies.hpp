#pragma once

#include "provider/credentials/aws_signature.hpp"
#include "provider/credentials/grant.hpp"
#include "provider/credentials/outside.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What services that give out credentials say, and how they are asked.
namespace runnel::provider {

// Asks, and hands on a reply of status 200. `service` is how messages call it ("the token service
// of Google"). A refusal is an error that has the service's own short code, and not its words.
Result<OutsideReply> ask_service(Outside& outside, const OutsideRequest& request,
                                 std::string_view service);

// The same for a reply that has come.
Result<OutsideReply> taken_reply(Result<OutsideReply> reply, std::string_view service);

// {"access_token": …, "expires_in": 3599}; the end is counted from `now`. Azure's machines write
// the number as a text.
Result<Grant> read_token_reply(std::string_view body, Outside::Time now, std::string_view service);

// {"AccessKeyId", "SecretAccessKey", "Token" or "SessionToken", "Expiration"}, as AWS' machines,
// containers and helper programs give them.
Result<Grant> read_aws_reply(std::string_view body, std::string_view service);
// The same from its parts; an end that is no time is none.
Result<Grant> aws_grant(AwsKeys keys, std::string_view expiration, std::string_view service);

// A field of a JSON object that is a text, or any value as JSON; empty where there is none.
std::string text_in(std::string_view object, std::string_view name);
std::string member_in(std::string_view object, std::string_view name);

// Visible ASCII, and not more than a header takes.
bool is_header_token(std::string_view text);

using FormField = std::pair<std::string_view, std::string_view>;
// application/x-www-form-urlencoded; also what stands behind a URL's question mark.
std::string form_of(const std::vector<FormField>& fields);
OutsideRequest form_request(std::string url, const std::vector<FormField>& fields);

}  // namespace runnel::provider
