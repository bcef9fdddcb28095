#include "provider/openai_sources.hpp"

#include "provider/json_fields.hpp"
#include "provider/url_citation.hpp"

namespace runnel::provider {

void Sources::read(json::ondemand::value list) {
    for_each_element(list, [&](json::ondemand::value element) {
        std::string url;
        std::string title;
        if (!json::plain_string(element, url)) {
            for_each_field(element, [&](std::string_view name, json::ondemand::value field) {
                if (name == "url") json::plain_string(field, url);
                if (name == "title") json::plain_string(field, title);
            });
        }
        if (!url.empty()) add(std::move(url), std::move(title));
    });
}

void Sources::add(std::string url, std::string title) {
    const auto [place, is_new] = places_.try_emplace(url, all_.size());
    if (is_new) {
        all_.push_back({std::move(url), std::move(title)});
    } else if (all_[place->second].title.empty()) {
        all_[place->second].title = std::move(title);
    }
}

bool Sources::is_new(timeline::Choice choice, std::string_view annotation) {
    return annotations_.emplace(choice, annotation).second;
}

void Sources::tell(Turn& turn) {
    if (!annotations_.empty()) return;
    for (; told_ < all_.size(); ++told_)
        turn.annotation(0, url_citation(all_[told_].url, all_[told_].title));
}

}  // namespace runnel::provider
