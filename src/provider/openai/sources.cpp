#include "provider/openai/sources.hpp"

#include "json/text.hpp"
#include "provider/core/json_fields.hpp"

#include <fmt/format.h>

namespace runnel::provider {
namespace {

// Of what is kept of a page or a citation besides its texts.
constexpr std::size_t entry_bytes = 160;

}  // namespace

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
        held_bytes_ += entry_bytes + 2 * page.url.size() + page.title.size();
        all_.push_back(std::move(page));
    } else if (all_[place->second].title.empty()) {
        held_bytes_ += page.title.size();
        all_[place->second].title = std::move(page.title);
    }
}

bool Sources::is_new(timeline::Choice choice, const timeline::Citation& citation) {
    std::string all =
        fmt::format(R"("{}" "{}" "{}" {} {})", citation.url, citation.title, citation.cited_text,
                    citation.text_start.value_or(-1), citation.text_end.value_or(-1));
    const std::size_t bytes = entry_bytes + all.size();
    if (!citations_.emplace(choice, std::move(all)).second) return false;
    held_bytes_ += bytes;
    return true;
}

void Sources::tell(Turn& turn) {
    if (!citations_.empty()) return;
    for (; told_ < all_.size(); ++told_) {
        std::string url;
        std::string title;
        json::append_escaped(url, all_[told_].url);
        json::append_escaped(title, all_[told_].title);
        turn.citation({.choice = 0, .url = url, .title = title});
    }
}

}  // namespace runnel::provider
