#include "server/model_names.hpp"

#include "telemetry/by_labels.hpp"

namespace runnel::server {

ModelNames::ModelNames(const router::Router& router) {
    for (router::Router::Listed& model : router.list()) {
        for (std::string& target : model.targets) names_.insert(std::move(target));
        names_.insert(std::move(model.id));
    }
}

std::string_view ModelNames::label_of(std::string_view model) const {
    const auto found = names_.find(model);
    return found == names_.end() ? telemetry::other_label : std::string_view(*found);
}

}  // namespace runnel::server
