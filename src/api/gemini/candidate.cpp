#include "api/gemini/candidate.hpp"

#include "api/gemini/signature.hpp"
#include "api/tool_arguments.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace runnel::api::gemini {
namespace {

// Several of its words mean the same to others.
std::string_view finish_reason(timeline::Finish finish, std::string_view native) {
    constexpr std::array<std::string_view, 11> filters{
        "RECITATION",         "LANGUAGE",    "BLOCKLIST",
        "PROHIBITED_CONTENT", "SPII",        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",   "MODEL_ARMOR", "IMAGE_SAFETY",
        "JAILBREAK",          "OTHER"};
    const auto* word = std::ranges::find(filters, native);
    const bool is_filter = finish == timeline::Finish::content_filter;
    if (is_filter && word != filters.end()) return *word;
    if (finish == timeline::Finish::stop && native == "OTHER") return "OTHER";
    switch (finish) {
        case timeline::Finish::stop:
        case timeline::Finish::tool_calls:
        case timeline::Finish::pause: return "STOP";
        case timeline::Finish::length: return "MAX_TOKENS";
        case timeline::Finish::content_filter: return "SAFETY";
    }
    return "STOP";
}

void append_token(std::string& out, const timeline::TokenLogprob& token) {
    json::Writer(out)
        .begin_object()
        .key("token")
        .escaped(token.token)
        .key("logProbability")
        .raw(token.logprob_raw)
        .end_object();
}

}  // namespace

bool is_ours(const timeline::NativeJson& json) {
    return json.api == chat::name_of(chat::Api::gemini) && json.raw.starts_with('{') &&
           json.raw.ends_with('}');
}

void Candidate::finish(timeline::Finish finish, std::string_view native) {
    finish_reason_ = finish_reason(finish, native);
}

void Candidate::part(const timeline::NativeJson& json) {
    if (!is_ours(json)) return;
    write_waiting();
    json::Writer(parts_).raw(json.raw);
}

void Candidate::fields(const timeline::NativeJson& json) {
    if (!is_ours(json) || json.raw.size() <= 2) return;
    has_own_sources_ = has_own_sources_ || json.raw.contains(R"("groundingMetadata":)") ||
                       json.raw.contains(R"("citationMetadata":)");
    has_own_logprobs_ = has_own_logprobs_ || json.raw.contains(R"("logprobsResult":)");
    fields_.append(1, ',').append(json.raw.substr(1, json.raw.size() - 2));
}

void Candidate::begin_text(std::string_view escaped) {
    json::Writer(parts_).begin_object().key("text").escaped(escaped);
}

void Candidate::end_part(std::string& signature) {
    json::Writer writer(parts_);
    if (!signature.empty()) writer.key("thoughtSignature").escaped(signature);
    signature.clear();
    writer.end_object();
}

void Candidate::write_waiting() {
    if (signature_.empty()) return;
    begin_text({});
    end_part(signature_);
}

void Candidate::text(std::string_view escaped) {
    begin_text(escaped);
    end_part(signature_);
}

void Candidate::thought(std::string_view escaped) {
    write_waiting();
    begin_text(escaped);
    json::Writer(parts_).key("thought").boolean(true).end_object();
}

void Candidate::sign(std::string_view signature, std::string_view issuer) {
    write_waiting();
    std::string carried;
    append_signature(carried, issuer, signature);
    if (is_own(issuer)) {
        signature_ = std::move(carried);
        return;
    }
    begin_text({});
    json::Writer(parts_).key("thought").boolean(true);
    end_part(carried);
}

void Candidate::encrypted(std::string_view data, std::string_view issuer) {
    write_waiting();
    append_encrypted(signature_, issuer, data);
}

void Candidate::begin_call(int index, std::string_view id, std::string_view name) {
    call_bytes_ += id.size() + name.size() + sizeof(Call);
    calls_[index] = {.id = std::string(id),
                     .name = std::string(name),
                     .signature = std::exchange(signature_, {})};
}

void Candidate::add_arguments(int index, std::string_view fragment) {
    const auto call = calls_.find(index);
    if (call == calls_.end()) return;
    call->second.arguments_escaped += fragment;
    call_bytes_ += fragment.size();
}

void Candidate::end_call(int index) {
    const auto call = calls_.find(index);
    if (call == calls_.end()) return;
    write_call(call->second);
    calls_.erase(call);
    if (calls_.empty()) call_bytes_ = 0;
}

void Candidate::write_call(Call& call) {
    json::Writer writer(parts_);
    writer.begin_object().key("functionCall").begin_object();
    writer.key("id").string(call.id).key("name").string(call.name).key("args");
    write_arguments_object(writer, call.arguments_escaped);
    writer.end_object();
    end_part(call.signature);
}

void Candidate::media(const timeline::Media& media) {
    const bool is_image = media.kind == timeline::Media::Kind::image;
    const std::string_view usual = is_image ? "image/png" : "audio/pcm";
    const std::string_view type = media.media_type.empty() ? usual : media.media_type;
    if (!media.transcript.empty()) text(media.transcript);
    if (media.data.empty() && media.url.empty()) return;
    json::Writer writer(parts_);
    if (media.data.empty()) {
        writer.begin_object().key("fileData").begin_object().key("mimeType").string(type);
        writer.key("fileUri").escaped(media.url);
    } else {
        writer.begin_object().key("inlineData").begin_object().key("mimeType").string(type);
        writer.key("data").escaped(media.data);
    }
    writer.end_object();
    end_part(signature_);
}

// Sources are told at the end: pages, and what was found in the request's own documents.
void Candidate::cite(const timeline::Citation& citation) {
    using Kind = timeline::Citation::Kind;
    const bool is_page = citation.kind == Kind::address ||
                         (citation.kind == Kind::search_result && citation.url.starts_with("http"));
    if (is_page && citation.url.empty()) return;
    json::Writer writer(sources_);
    writer.begin_object();
    is_page ? writer.key("web") : writer.key("retrievedContext");
    writer.begin_object();
    if (!citation.url.empty()) writer.key("uri").escaped(citation.url);
    if (!citation.title.empty()) writer.key("title").escaped(citation.title);
    if (!is_page && !citation.cited_text.empty()) writer.key("text").escaped(citation.cited_text);
    writer.end_object().end_object();
}

void Candidate::logprobs(const timeline::Logprobs& logprobs) {
    for (const timeline::TokenLogprob& token : logprobs.tokens) {
        append_token(chosen_, token);
        json::Writer writer(top_);
        writer.begin_object().key("candidates").begin_array();
        for (const timeline::TokenLogprob& other : token.top) append_token(top_, other);
        writer.end_array().end_object();
    }
}

bool Candidate::write_more(std::string& out, int index) {
    if (parts_.empty()) return false;
    write_content(out, index);
    return true;
}

void Candidate::write_last(std::string& out, int index) {
    for (auto& [_, call] : calls_) write_call(call);
    calls_.clear();
    call_bytes_ = 0;
    write_waiting();
    // Clients take a content without parts for a broken one.
    if (parts_.empty()) text({});
    write_content(out, index);
    json::Writer writer(out);
    writer.key("finishReason").string(finish_reason_);
    if (!sources_.empty() && !has_own_sources_) {
        writer.key("groundingMetadata").begin_object().key("groundingChunks").begin_array();
        out += sources_;
        writer.end_array().end_object();
    }
    writer.end_object();
}

void Candidate::write_content(std::string& out, int index) {
    out += R"({"content":{"role":"model","parts":[)";
    out += parts_;
    out += "]}";
    parts_.clear();
    json::Writer writer(out);
    if (!chosen_.empty() && !has_own_logprobs_) {
        writer.key("logprobsResult").begin_object().key("topCandidates").begin_array();
        out += top_;
        writer.end_array().key("chosenCandidates").begin_array();
        out += chosen_;
        writer.end_array().end_object();
        top_.clear();
        chosen_.clear();
    }
    writer.key("index").number(index);
    out += std::exchange(fields_, {});
}

std::size_t Candidate::held_bytes() const {
    return call_bytes_ + parts_.size() + signature_.size() + sources_.size() + chosen_.size() +
           fields_.size() + top_.size();
}

}  // namespace runnel::api::gemini
