#include "provider/openai_sources.hpp"

#include "provider/json_fields.hpp"
#include "provider/url_citation.hpp"

namespace runnel::provider {

Page read_page(json::ondemand::value page) {
    Page read;
    if (json::plain_string(page, read.url)) return read;
    for_each_field(page, [&](std::string_view name, json::ondemand::value field) {
        if (name == "url") json::plain_string(field, read.url);
        if (name == "title") json::plain_string(field, read.title);
    });
    return read;
}

void Sources::read(json::ondemand::value list) {
    for_each_element(list, [&](json::ondemand::value page) { add(read_page(page)); });
}

void Sources::add(Page page) {
    if (page.url.empty()) return;
    const auto [place, is_new] = places_.try_emplace(page.url, all_.size());
    if (is_new) {
        all_.push_back(std::move(page));
    } else if (all_[place->second].title.empty()) {
        all_[place->second].title = std::move(page.title);
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
