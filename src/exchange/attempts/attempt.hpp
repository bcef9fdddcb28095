#pragma once

#include "exchange/admission/admission.hpp"
#include "exchange/attempts/answer_gate.hpp"
#include "exchange/attempts/upstream_call.hpp"
#include "exchange/gateway.hpp"
#include "exchange/held_memory.hpp"
#include "exchange/worker.hpp"
#include "provider/core/answer_reader.hpp"
#include "router/attempt_plan.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::exchange {

// One target being asked: the call, and the gate its answer comes through. The loser of a race may
// outlive the request by a moment, so an attempt owns or keeps alive all it uses.
struct Attempt {
    using Clock = std::chrono::steady_clock;

    Attempt(std::shared_ptr<const Gateway> keep, Worker* worker, MemoryBudget* budget,
            const router::Attempt& plan, UpstreamCall::Question question,
            api::Envelope::Reasoning reasoning, AnswerGate::WhenSpoken when_spoken,
            http::Watchdog* watchdog)
        : gateway(std::move(keep)),
          planned(plan),
          gate(reasoning, std::move(when_spoken), {question.outgoing.form}),
          answer(question.slot->provider->make_wire(&worker->parser), question.outgoing.turn, &gate,
                 &worker->ids),
          call(worker, std::move(question), &answer, watchdog),
          memory(budget) {
        count_memory();
    }

    // After each read: what waits here may have become too much, and then the answer fails.
    void count_memory() {
        auto fits = memory.hold(gate.held_bytes() + call.held_bytes());
        if (fits) return;
        too_much = true;
        call.end_with(std::move(fits.error()));
    }
    // It has something to tell: what the client will see, or that nothing will come.
    bool arrived() const { return gate.spoke() || gate.ended() || call.ended(); }

    std::shared_ptr<const Gateway> gateway;
    router::Attempt planned;
    AnswerGate gate;
    provider::AnswerReader answer;
    UpstreamCall call;
    HeldMemory memory;
    bool too_much = false;
    Clock::time_point begun = Clock::now();
    std::size_t number = 0;                    // among the request's attempts, for the log
    std::vector<Admission::Ticket> tickets{};  // where the provider or the model takes so many at a
                                               // time
};

}  // namespace runnel::exchange
