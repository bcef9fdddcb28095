#pragma once

#include "base/error.hpp"
#include "chat/operation.hpp"
#include "router/policy.hpp"

#include <optional>
#include <string_view>

namespace runnel::router {

// What a request takes a model to be able to do.
enum class Need { tools, vision, streaming };

// The first of the request's needs that the model is known not to meet.
std::optional<Need> unmet_need(const chat::Operation& operation, const ModelFacts& facts);

// Why a model can't serve a request.
Error lacks(std::string_view model, Need need);

}  // namespace runnel::router
