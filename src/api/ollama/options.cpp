#include "api/ollama/options.hpp"

#include "base/limits.hpp"
#include "json/writer.hpp"

#include <cmath>
#include <utility>

namespace runnel::api::ollama {
namespace {

constexpr std::int64_t no_limit = -2;  // and -1: as much as it likes, or as there is room for

Result<void> read_num_predict(const Value& value, std::optional<std::int64_t>& max_tokens) {
    auto count = value.integer(no_limit, limits::tokens_wish);
    if (!count) return propagate(count);
    if (*count > 0) max_tokens = *count;
    return {};
}

}  // namespace

Result<void> read_options(Value& options, chat::Request& request) {
    if (!options.is_object()) return options.must_be("an object");
    chat::Sampling& sampling = request.sampling;
    std::string others;
    json::Writer writer(others);
    writer.begin_object();
    auto read = options.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        const auto number = [&](std::optional<chat::Number>& into, double min, double max) {
            return store(field.number(min, max), into);
        };
        if (name == "num_predict") return read_num_predict(field, request.max_tokens);
        if (name == "temperature") return number(sampling.temperature, 0, 2);
        if (name == "top_p") return number(sampling.top_p, 0, 1);
        if (name == "top_k") return number(sampling.top_k, -1, HUGE_VAL);
        if (name == "min_p") return number(sampling.min_p, 0, 1);
        if (name == "presence_penalty") return number(sampling.presence_penalty, -2, 2);
        if (name == "frequency_penalty") return number(sampling.frequency_penalty, -2, 2);
        if (name == "seed") return number(sampling.seed, -HUGE_VAL, HUGE_VAL);
        if (name == "stop") {
            sampling.stop.clear();
            return read_stop(field, sampling.stop);
        }
        writer.key(name).raw(field.raw());
        return {};
    });
    if (!read) return read;
    writer.end_object();
    if (others != "{}") request.extras.push_back({"options", request.keep(std::move(others))});
    return {};
}

}  // namespace runnel::api::ollama
