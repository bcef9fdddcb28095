#include "exchange/shared_state.hpp"

namespace runnel::exchange {
namespace {

template <class Named>
std::map<std::string, Admission::Limits> limits_of(const std::vector<Named>& all,
                                                   const config::Limits& common) {
    std::map<std::string, Admission::Limits> limits;
    for (const Named& one : all)
        if (one.concurrent > 0)
            limits[one.name] = {one.concurrent, common.queue, common.queue_time};
    return limits;
}

}  // namespace

SharedState::SharedState() {
    memory.set_give_up([this](std::size_t bytes) { cache.answers.give_up(bytes); });
}

void SharedState::use_limits(const config::Config& config, std::size_t memory_bytes) {
    memory.set_limit(memory_bytes);
    const config::Limits& limits = config.limits;
    admissions.requests.set_limits({limits.concurrent, limits.queue, limits.queue_time});
    admissions.to_provider.set_limits(limits_of(config.providers, limits));
    admissions.for_model.set_limits(limits_of(config.models, limits));
    cache.answers.set_size(config.access.cache ? config.access.cache->max_bytes : 0);
}

}  // namespace runnel::exchange
