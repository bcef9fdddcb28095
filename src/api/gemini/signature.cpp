#include "api/gemini/signature.hpp"

#include "api/issued.hpp"

#include <utility>

namespace runnel::api::gemini {
namespace {

// Tells thinking from the proof of it. Neither has a colon in it: they are base64.
constexpr std::string_view encrypted_mark = "encrypted:";

}  // namespace

bool is_own(std::string_view issuer) { return issuer == "gemini" || issuer.starts_with("gemini/"); }

void append_signature(std::string& out, std::string_view issuer, std::string_view data_escaped) {
    is_own(issuer) ? (void)out.append(data_escaped) : append_issued(out, issuer, data_escaped);
}

void append_encrypted(std::string& out, std::string_view issuer, std::string_view data_escaped) {
    append_issued(out, issuer, std::string(encrypted_mark).append(data_escaped));
}

chat::Reasoning read_signature(std::string_view carried_escaped) {
    Issued issued = read_issued(carried_escaped);
    chat::Reasoning thought;
    if (issued.data_escaped.starts_with(encrypted_mark)) {
        thought.encrypted_escaped = issued.data_escaped.substr(encrypted_mark.size());
    } else {
        thought.signature_escaped = issued.data_escaped;
    }
    if (thought.is_signed())
        thought.issuer = issued.issuer.empty() ? "gemini" : std::move(issued.issuer);
    return thought;
}

}  // namespace runnel::api::gemini
