#pragma once

#include "base/memory_budget.hpp"
#include "base/result.hpp"
#include "http/message/body_decoder.hpp"
#include "http/message/inflater.hpp"
#include "http/server/request_reader.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace runnel::http {

// The body of a request, collected as its bytes come. No IO inside. Until somebody wants it, it is
// only kept as it is, which is to say: as much as came along with the head.
class RequestBody {
public:
    RequestBody() = default;  // there is none
    explicit RequestBody(Framing framing) : decoder_(framing) {}

    struct Limits {
        std::size_t bytes;     // as it comes, and as it is when it is inflated
        MemoryBudget* memory;  // that it draws on for as long as this lives; null: on none
        std::string_view cure = "the limit is limits.request_body in the gateway's config";
    };
    // From now on it is wanted: what has come is checked, and inflated where the fields say that it
    // is compressed.
    Result<void> begin(const HeaderList& headers, Limits limits);
    // Takes bytes until the body is whole and says how many it took; the rest belongs to the next
    // request.
    Result<std::size_t> feed(std::string_view bytes);
    // Its last byte has come.
    bool has_come() const { return decoder_.done(); }
    // A few compressed bytes can come to very many: they are inflated some at a time, so that
    // others get their turn in between. True: inflate() is to be called before more is fed.
    bool is_behind() const { return inflater_ && inflater_->is_behind(); }
    Result<void> inflate();
    bool is_whole() const { return has_come() && !is_behind(); }
    // So many bytes of it have come.
    std::size_t received() const { return received_; }
    // Hands the text out, which goes on to count in the budget.
    std::string take() { return std::move(text_); }

private:
    Result<void> add(std::string_view piece);
    Result<void> append(std::string_view plain);
    Result<void> count_memory(std::size_t text_bytes);
    Result<void> finish_inflating();
    std::unexpected<Error> too_large() const;
    std::unexpected<Error> badly_framed() const;

    BodyDecoder decoder_;
    bool is_wanted_ = false;
    Limits limits_{};
    std::unique_ptr<Inflater> inflater_;  // null: it is not compressed
    std::string compressed_;              // that is not inflated yet
    MemoryBudget::Share share_;
    std::string text_;
    std::size_t received_ = 0;
};

}  // namespace runnel::http
