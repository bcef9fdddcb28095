#pragma once

#include "api/chat/chunk_writer.hpp"

#include <optional>
#include <vector>

namespace runnel::api {

// The finishes of an answer that shows its usage on the last of them. They wait for the answer's
// end, because usage may be counted until then.
class LateFinish {
public:
    void add(const timeline::Finished& event) {
        finishes_.push_back({event.choice, event.finish, {}});
    }
    void set_usage(const timeline::Usage& usage) { usage_ = usage; }

    void write(ChunkWriter& chunks, Envelope::Usage show) const {
        const bool shown = usage_ && show == Envelope::Usage::shown;
        for (const timeline::Finished& finish : finishes_) {
            const bool is_last = &finish == &finishes_.back();
            chunks.finish(finish, is_last && shown ? &*usage_ : nullptr);
        }
    }

private:
    std::vector<timeline::Finished> finishes_;
    std::optional<timeline::Usage> usage_;
};

}  // namespace runnel::api
