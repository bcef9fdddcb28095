#pragma once

#include "base/result.hpp"
#include "http/message/headers.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace runnel::http {

enum class ContentCoding { identity, gzip, deflate, zstd };

// How a request's body is compressed. The error says what is understood.
Result<ContentCoding> content_coding(const HeaderList& headers);

// Makes plain bytes of compressed ones, as they come. No more is inflated than somebody takes.
class Inflater {
public:
    // Something other than identity, which may come to so many bytes.
    Inflater(ContentCoding coding, std::size_t bytes_max);
    ~Inflater();

    // Takes from the front of `bytes` and hands out what they come to, in pieces; an error of
    // `take` ends it.
    using Take = std::function<Result<void>(std::string_view)>;
    Result<void> feed(std::string_view& bytes, const Take& take);
    // They come to more than is handed out at a time: the rest of them is to be fed again.
    bool is_behind() const { return is_behind_; }
    // No more bytes come.
    Result<void> finish() const;
    // What it takes itself, most of which is how far back the compressed bytes may refer.
    std::size_t memory_bytes() const;

    class Codec;

private:
    std::unique_ptr<Codec> codec_;
    bool is_behind_ = false;
};

}  // namespace runnel::http
