#include "api/responses/sealed.hpp"

#include "api/issued.hpp"

#include <utility>

namespace runnel::api::responses {
namespace {

constexpr std::string_view signature_mark = "signature:";
constexpr std::string_view encrypted_mark = "encrypted:";

bool is_openais(std::string_view issuer) {
    const std::string_view kind = issuer.substr(0, issuer.find('/'));
    return kind == "openai" || kind == "azure";
}

}  // namespace

void append_sealed(std::string& out, Seal seal, std::string_view issuer, std::string_view data) {
    if (seal == Seal::encrypted && is_openais(issuer)) {
        out += data;
        return;
    }
    const std::string_view mark = seal == Seal::signature ? signature_mark : encrypted_mark;
    append_issued(out, issuer, std::string(mark).append(data));
}

void read_sealed(std::string_view carried_escaped, chat::Reasoning& reasoning) {
    Issued issued = read_issued(carried_escaped);
    std::string_view data = issued.data_escaped;
    if (data.empty()) return;
    if (issued.issuer.empty()) {
        reasoning.issuer = "openai";
        reasoning.encrypted_escaped = data;
        return;
    }
    reasoning.issuer = std::move(issued.issuer);
    if (data.starts_with(signature_mark)) {
        reasoning.signature_escaped = data.substr(signature_mark.size());
    } else if (data.starts_with(encrypted_mark)) {
        reasoning.encrypted_escaped = data.substr(encrypted_mark.size());
    }
    if (!reasoning.is_signed()) reasoning.issuer.clear();
}

}  // namespace runnel::api::responses
