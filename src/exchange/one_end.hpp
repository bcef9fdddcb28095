#pragma once

#include "timeline/event.hpp"

namespace runnel::exchange {

// What is told to a client ends once, whoever tells it: after a failure only the end may follow,
// and after the end nothing.
class OneEnd {
public:
    // Whether this may still be told; it counts as told then.
    bool takes(const timeline::Event& event) {
        if (stage_ == Stage::ended) return false;
        if (std::holds_alternative<timeline::Ended>(event)) {
            stage_ = Stage::ended;
            return true;
        }
        if (stage_ == Stage::failed) return false;
        if (std::holds_alternative<timeline::Failed>(event)) stage_ = Stage::failed;
        return true;
    }
    bool reached() const { return stage_ == Stage::ended; }
    // What was told is taken back, and the client has seen nothing of it.
    void reopen() { stage_ = Stage::open; }

private:
    enum class Stage { open, failed, ended } stage_ = Stage::open;
};

}  // namespace runnel::exchange
