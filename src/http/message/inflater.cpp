#include "http/message/inflater.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace runnel::http {
namespace {

constexpr std::size_t piece_bytes = 16 * limits::kib;
constexpr std::size_t turn_bytes = 8 * piece_bytes;  // a fraction of a millisecond
// How far back zstd may refer, as a power of two: 8 MiB are the most that RFC 9659 lets a body of
// HTTP have, and nothing refers back further than its beginning.
constexpr int zstd_window_log_min = 10;
constexpr int zstd_window_log_max = 23;

}  // namespace

// One way to compress. step() takes from the front of `in`, fills some of `out` and says how much.
class Inflater::Codec {
public:
    virtual ~Codec() = default;
    virtual Result<std::size_t> step(std::string_view& in, std::span<char> out) = 0;
    virtual std::size_t memory_bytes() const = 0;
    virtual std::string_view name() const = 0;
    bool is_over() const { return is_over_; }

    std::unexpected<Error> corrupt(std::string_view what) const {
        return fail(ErrorKind::invalid_value,
                    fmt::format("the body is not {} as Content-Encoding says: {}", name(), what));
    }

protected:
    bool is_over_ = false;  // what has come is whole
};

namespace {

class ZlibCodec final : public Inflater::Codec {
public:
    explicit ZlibCodec(ContentCoding coding) : coding_(coding) {
        constexpr int window_bits = 15;
        constexpr int gzip_flag = 16;
        is_ready_ = inflateInit2(&stream_, coding == ContentCoding::gzip ? window_bits + gzip_flag
                                                                         : window_bits) == Z_OK;
    }
    ~ZlibCodec() override { inflateEnd(&stream_); }
    ZlibCodec(const ZlibCodec&) = delete;
    ZlibCodec& operator=(const ZlibCodec&) = delete;

    Result<std::size_t> step(std::string_view& in, std::span<char> out) override {
        if (!is_ready_) return fail(ErrorKind::internal_error, "zlib could not be set up");
        if (is_over_ && !in.empty()) {
            // gzip's files can be put one after the other.
            if (coding_ != ContentCoding::gzip) return corrupt("bytes follow its end");
            inflateReset(&stream_);
            is_over_ = false;
        }
        // zlib's interface is older than const.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream_.avail_in = static_cast<uInt>(in.size());
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        const int outcome = inflate(&stream_, Z_NO_FLUSH);
        if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR)
            return corrupt(stream_.msg != nullptr ? stream_.msg : "it can't be read");
        is_over_ = outcome == Z_STREAM_END;
        in.remove_prefix(in.size() - stream_.avail_in);
        return out.size() - stream_.avail_out;
    }
    std::size_t memory_bytes() const override { return 48 * limits::kib; }
    std::string_view name() const override {
        return coding_ == ContentCoding::gzip ? "gzip" : "deflate (zlib)";
    }

private:
    ContentCoding coding_;
    z_stream stream_{};
    bool is_ready_ = false;
};

class ZstdCodec final : public Inflater::Codec {
public:
    explicit ZstdCodec(std::size_t bytes_max) : stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
        const int log = static_cast<int>(std::bit_width(bytes_max));
        ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax,
                               std::clamp(log, zstd_window_log_min, zstd_window_log_max));
    }
    Result<std::size_t> step(std::string_view& in, std::span<char> out) override {
        ZSTD_inBuffer input{in.data(), in.size(), 0};
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        const std::size_t outcome = ZSTD_decompressStream(stream_.get(), &output, &input);
        if (ZSTD_isError(outcome)) return corrupt(ZSTD_getErrorName(outcome));
        is_over_ = outcome == 0;
        in.remove_prefix(input.pos);
        return output.pos;
    }
    std::size_t memory_bytes() const override { return ZSTD_sizeof_DStream(stream_.get()); }
    std::string_view name() const override { return "zstd"; }

private:
    std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
};

std::unique_ptr<Inflater::Codec> make_codec(ContentCoding coding, std::size_t bytes_max) {
    if (coding == ContentCoding::zstd) return std::make_unique<ZstdCodec>(bytes_max);
    return std::make_unique<ZlibCodec>(coding);
}

}  // namespace

Result<ContentCoding> content_coding(const HeaderList& headers) {
    std::string_view given;
    unsigned count = 0;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        if (!ascii::equal_ignoring_case(headers.at(i).name, "Content-Encoding")) continue;
        given = headers.at(i).value;
        ++count;
    }
    const auto is = [given](std::string_view name) {
        return ascii::equal_ignoring_case(given, name);
    };
    if (count < 2) {
        if (given.empty() || is("identity")) return ContentCoding::identity;
        if (is("gzip") || is("x-gzip")) return ContentCoding::gzip;
        if (is("deflate")) return ContentCoding::deflate;
        if (is("zstd")) return ContentCoding::zstd;
    }
    return fail(ErrorKind::unsupported_media_type,
                fmt::format("Content-Encoding '{}' is not understood; send the body as it is, or "
                            "with one of gzip, deflate and zstd",
                            given));
}

Inflater::Inflater(ContentCoding coding, std::size_t bytes_max)
    : codec_(make_codec(coding, bytes_max)) {}
Inflater::~Inflater() = default;

Result<void> Inflater::feed(std::string_view& bytes, const Take& take) {
    // Without anything to do, zstd would begin to wait for a next frame.
    if (!bytes.empty()) is_behind_ = true;
    std::array<char, piece_bytes> piece;
    for (std::size_t handed_out = 0; is_behind_ && handed_out < turn_bytes;) {
        const std::size_t before = bytes.size();
        const auto count = codec_->step(bytes, piece);
        if (!count) return fail(count.error());
        if (*count > 0)
            if (auto taken = take({piece.data(), *count}); !taken) return taken;
        handed_out += *count;
        // With room to spare, all that the bytes taken come to has been handed out.
        const bool all_out = *count < piece.size() || codec_->is_over();
        is_behind_ = !all_out || (!bytes.empty() && bytes.size() < before);
    }
    return {};
}

Result<void> Inflater::finish() const {
    if (!codec_->is_over()) return codec_->corrupt("it ends before its end");
    return {};
}

std::size_t Inflater::memory_bytes() const { return codec_->memory_bytes(); }

}  // namespace runnel::http
