#pragma once

#include "provider/core/answer_body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::provider {

// An answer that is read when all of it is there.
class WholeBody final : public AnswerBody {
public:
    explicit WholeBody(std::string_view display_name) : display_name_(display_name) {}

    void feed(Padded bytes) override;
    void finish() override;
    // The first word counts.
    void fail(Error error) override;
    bool ended() const override { return ended_; }
    Whole is_whole() const override { return ended_ ? Whole::yes : Whole::no; }
    bool any_output() const override { return false; }
    std::uint64_t progress() const override { return bytes_.size(); }
    std::size_t held_bytes() const override { return bytes_.capacity(); }

    // Once it has ended: the JSON, or what it failed with.
    const std::optional<Error>& failure() const { return failure_; }
    Padded json() { return Padded::of(bytes_); }

private:
    std::string display_name_;
    std::string bytes_;
    std::optional<Error> failure_;
    bool ended_ = false;
};

}  // namespace runnel::provider
