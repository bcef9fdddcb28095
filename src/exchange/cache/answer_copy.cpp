#include "exchange/cache/answer_copy.hpp"

namespace runnel::exchange {

void AnswerCopy::on(const timeline::Event& event) {
    const bool is_end = std::holds_alternative<timeline::UsageReported>(event) ||
                        std::holds_alternative<timeline::Finished>(event) ||
                        std::holds_alternative<timeline::Failed>(event) ||
                        std::holds_alternative<timeline::Ended>(event);
    if (!is_end && recording_.bytes() > bytes_max_) {
        recording_.truncated = true;
        return;
    }
    recording_.add(std::chrono::duration_cast<timeline::EventTime>(Clock::now() - begun_), event);
}

}  // namespace runnel::exchange
