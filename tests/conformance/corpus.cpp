#include "corpus.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>

namespace runnel::conformance {
namespace {

namespace fs = std::filesystem;

fs::path corpus_folder() {
    if (const char* shared = std::getenv("RUNNEL_SHARED")) return fs::path(shared) / "corpus";
    return fs::path(RUNNEL_SOURCE_DIR) / ".." / "shared" / "corpus";
}

Format format_named(std::string_view name) {
    if (name == "openai-chat") return Format::openai_chat;
    if (name == "anthropic") return Format::anthropic;
    if (name == "gemini") return Format::gemini;
    if (name == "ollama") return Format::ollama;
    if (name.starts_with("bedrock-")) return Format::bedrock;
    return Format::other;
}

Kind kind_named(std::string_view name) {
    if (name == "stream") return Kind::stream;
    if (name == "json") return Kind::body;
    return Kind::error;
}

// "none" is the manifest's word for a body in no provider's format: a proxy's page or plain text.
bool is_in_scope(std::string_view format) {
    return format == "none" || format_named(format) != Format::other;
}

std::vector<Recording> read_manifest() {
    std::vector<Recording> found;
    std::ifstream manifest(corpus_folder() / "manifest.jsonl");
    for (std::string line; std::getline(manifest, line);) {
        const auto entry = nlohmann::json::parse(line);
        const std::string format = entry.at("api_format");
        if (!is_in_scope(format)) continue;
        found.push_back({.provider = entry.at("provider"),
                         .file = entry.at("body_file"),
                         .format = format_named(format),
                         .kind = kind_named(entry.at("kind").get<std::string>()),
                         .status = entry.at("http_status")});
    }
    return found;
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

constexpr std::array<std::string_view, 16> openai_like_kinds = {
    "openai",   "azure", "xai",      "deepseek",  "mistral",    "moonshot",
    "minimax",  "groq",  "together", "fireworks", "openrouter", "perplexity",
    "cerebras", "vllm",  "llamacpp", "lmstudio"};

constexpr std::array<std::string_view, 5> no_chat_answers = {
    // Gemini's cachedContents: a resource, not an answer.
    "gemini/prism-use-cache-with-text-1-15ece3.json",
    // The own formats of models that are asked by Converse, or not at all any more.
    "bedrock/dd-trace-py-ai21_invoke-0d703c.json",
    "bedrock/openllmetry-test_guardrail_invoke_stream-fc7821.eventstream",
    "bedrock/openllmetry-test_titan_invoke_model_guardrail-198a20.json",
    "bedrock/openllmetry-test_titan_invoke_stream_guardrail-1da6d2.eventstream",
};

}  // namespace

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Recording::bytes() const {
    return read_file((corpus_folder() / provider / file).string());
}

std::string Recording::from() const {
    if (provider == "bedrock") return "bedrock";
    if (provider == "vertexai") return "vertex";
    switch (format) {
        case Format::anthropic: return "anthropic";
        case Format::gemini: return "gemini";
        case Format::ollama: return "ollama";
        case Format::bedrock: return "bedrock";
        case Format::openai_chat:
            return contains(openai_like_kinds, provider) ? provider : "openai-compatible";
        case Format::other: break;
    }
    return "openai-compatible";
}

void PrintTo(const Recording& recording, std::ostream* out) { *out << recording.name(); }

const std::vector<Recording>& corpus() {
    static const std::vector<Recording> recordings = read_manifest();
    return recordings;
}

bool is_no_chat_answer(const Recording& recording) {
    return contains(no_chat_answers, recording.name());
}

std::vector<Recording> recordings_of(Kind kind) {
    std::vector<Recording> chosen;
    std::ranges::copy_if(corpus(), std::back_inserter(chosen), [&](const Recording& recording) {
        return recording.kind == kind && !is_no_chat_answer(recording);
    });
    if (chosen.empty()) chosen.push_back({.provider = "absent", .file = ""});
    return chosen;
}

std::string why_no_corpus() {
    if (!corpus().empty()) return "";
    return "no corpus: " + (corpus_folder() / "manifest.jsonl").string() +
           " is not there (RUNNEL_SHARED names its parent folder)";
}

std::string test_name_of(std::string_view name) {
    std::string out(name);
    std::ranges::replace_if(out, [](unsigned char c) { return !std::isalnum(c); }, '_');
    return out;
}

}  // namespace runnel::conformance
