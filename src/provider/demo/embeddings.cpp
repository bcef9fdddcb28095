#include "provider/demo/embeddings.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace runnel::provider::demo {
namespace {

constexpr std::int64_t default_dimensions = 64;
constexpr std::int64_t most_dimensions = 1024;

constexpr std::uint64_t fnv_offset = 14'695'981'039'346'656'037U;
constexpr std::uint64_t fnv_prime = 1'099'511'628'211U;

// FNV-1a: the same on every machine, as std::hash need not be.
std::uint64_t hash_of(std::string_view word) {
    std::uint64_t hash = fnv_offset;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * fnv_prime;
    return hash;
}

bool is_in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
}

class WordSums {
public:
    explicit WordSums(std::size_t dimensions) : sums_(dimensions) {}

    void add_words_of(std::string_view text) {
        const std::string lowered = ascii::lowered(text);
        std::size_t at = 0;
        while (at < lowered.size()) {
            std::size_t end = at;
            while (end < lowered.size() && is_in_word(lowered[end])) ++end;
            if (end > at) add(std::string_view(lowered).substr(at, end - at));
            at = end + 1;
        }
    }

    // Each word has a place of its own, and a sign.
    void add(std::string_view word) {
        ++words_;
        const std::uint64_t hash = hash_of(word);
        sums_[hash % sums_.size()] += (hash >> 63) != 0 ? -1 : 1;
    }

    std::size_t words() const { return words_; }

    // Of length one, as most models give them.
    void write(json::Writer& out) const {
        double squares = 0;
        for (const int sum : sums_) squares += static_cast<double>(sum) * sum;
        const double length = squares > 0 ? std::sqrt(squares) : 1;
        out.begin_array();
        for (const int sum : sums_) out.raw(fmt::format("{:.6f}", sum / length));
        out.end_array();
    }

private:
    std::vector<int> sums_;
    std::size_t words_ = 0;
};

}  // namespace

Result<Script> embeddings_of(const operation::EmbeddingBatch& batch) {
    const std::int64_t dimensions = batch.request->dimensions.value_or(default_dimensions);
    if (dimensions > most_dimensions)
        return fail_at(ErrorKind::invalid_value, "dimensions",
                       fmt::format("demo/embedding has {} dimensions at most", most_dimensions));
    std::string body;
    json::Writer out(body);
    std::size_t words = 0;
    std::int64_t index = 0;
    out.begin_object().key("data").begin_array();
    for (const operation::EmbeddingInput& input : batch.inputs) {
        WordSums sums(static_cast<std::size_t>(dimensions));
        // Tokens are words to it.
        sums.add_words_of(input.is_text() ? json::unescaped(input.text_escaped)
                                          : std::string(input.tokens_raw));
        words += sums.words();
        out.begin_object().key("index").number(index++).key("embedding");
        sums.write(out);
        out.end_object();
    }
    out.end_array().key("usage").begin_object();
    out.key("prompt_tokens").number(static_cast<std::int64_t>(words)).end_object().end_object();
    return Script{.pieces = {{std::chrono::milliseconds(0), std::move(body)}}};
}

}  // namespace runnel::provider::demo
