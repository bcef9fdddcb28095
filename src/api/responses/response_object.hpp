#pragma once

#include "api/dialect.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::api::responses {

// The response object of one answer: what it tells of the request is the same each time, what it
// tells of the answer is not.
class ResponseObject {
public:
    explicit ResponseObject(const Envelope& envelope);

    struct State {
        enum class Status { queued, in_progress, completed, incomplete, failed } status;
        std::string_view output{};  // its items, with commas between
        std::optional<timeline::Usage> usage{};
        timeline::Finish finish = timeline::Finish::stop;
        const Error* error = nullptr;  // failed
    };
    void append(std::string& out, const State& state) const;
    std::size_t bytes() const { return begin_.size(); }

private:
    std::string begin_;  // up to what is told of the answer
};

// How an answer ended.
ResponseObject::State::Status status_of(timeline::Finish finish);

// A whole answer.
std::string whole_answer(const Envelope& envelope, const timeline::Answer& answer);

// One in the background that nobody has begun.
std::string queued_response(const Envelope& envelope);
// The same response, in whatever state, as it is now: it was cancelled, or failed with that.
std::string cancelled_response(std::string_view response_json);
std::string failed_response(std::string_view response_json, const Error& error);
// In progress, where it was queued before.
std::string begun_response(std::string_view response_json);

}  // namespace runnel::api::responses
