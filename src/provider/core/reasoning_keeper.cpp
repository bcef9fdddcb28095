#include "provider/core/reasoning_keeper.hpp"

#include "base/limits.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace runnel::provider {
namespace {

namespace dom = simdjson::dom;

struct Detail {
    std::vector<std::pair<std::string, std::string>>
        fields{};              // name → raw JSON, in the order they came
    std::string text_field{};  // which of them is joined
    std::string text_escaped{};
};

// They are looked for one by one, so there may be few.
constexpr std::size_t detail_fields_max = 32;

bool is_text_field(std::string_view name) {
    return name == "text" || name == "summary" || name == "data";
}

void add_field(Detail& detail, std::string_view name, dom::element value) {
    std::string_view text;
    if (is_text_field(name) && !value.get(text)) {
        detail.text_field = name;
        json::append_escaped(detail.text_escaped, text);
        return;
    }
    const auto found =
        std::ranges::find(detail.fields, name, [](const auto& f) { return f.first; });
    if (found == detail.fields.end()) {
        if (detail.fields.size() == detail_fields_max) return;
        detail.fields.emplace_back(name, simdjson::minify(value));
    } else if (!value.is_null()) {
        found->second = simdjson::minify(value);
    }
}

std::string raw_at(dom::object object, std::string_view name) {
    dom::element value;
    return object[name].get(value) ? std::string() : std::string(simdjson::minify(value));
}

// Where the detail of a type and an index stands.
using Places = std::map<std::pair<std::string, std::string>, std::size_t>;

void add_detail(std::vector<Detail>& details, Places& places, dom::object object) {
    std::size_t at = details.size();
    if (std::string index = raw_at(object, "index"); !index.empty())
        at = places.try_emplace({raw_at(object, "type"), std::move(index)}, at).first->second;
    if (at == details.size()) details.emplace_back();
    for (const dom::key_value_pair field : object) add_field(details[at], field.key, field.value);
}

}  // namespace

ReasoningKeeper::ReasoningKeeper(ReasoningReplay replay) {
    if (replay == ReasoningReplay::content_on_all_turns ||
        replay == ReasoningReplay::content_on_tool_turns)
        keep_ = Keep::text;
    if (replay == ReasoningReplay::details) keep_ = Keep::details;
}

// State belongs to the turn, not to a choice: who asks for several answers at once does not
// continue them all.
void ReasoningKeeper::add_text(timeline::Choice choice, std::string_view escaped) {
    if (keep_ == Keep::text && choice == 0 && kept_.size() < limits::tool_arguments_bytes)
        kept_ += escaped;
}

void ReasoningKeeper::add_details(timeline::Choice choice, std::string_view raw_array) {
    if (keep_ == Keep::details && choice == 0 && kept_.size() < limits::tool_arguments_bytes)
        kept_ += raw_array;
}

void ReasoningKeeper::tell(Turn& turn) {
    if (std::exchange(told_bytes_, kept_.size()) == kept_.size()) return;
    if (keep_ == Keep::details) {
        turn.turn_state(merged_reasoning_details(kept_));
        return;
    }
    json::Joiner joiner;
    std::string scratch;
    std::string state = "\"";
    state += joiner.join(kept_, scratch);
    state += joiner.flush(scratch);
    state += '"';
    turn.turn_state(std::move(state));
}

std::string merged_reasoning_details(std::string_view raw_arrays) {
    std::vector<Detail> details;
    Places places;
    dom::parser parser;
    dom::document_stream arrays;
    const simdjson::padded_string padded(raw_arrays);
    if (parser.parse_many(padded, std::max<std::size_t>(padded.size() + 64, 1024)).get(arrays))
        return {};
    for (auto result : arrays) {
        dom::array array;
        if (std::move(result).get(array)) continue;
        for (const dom::element element : array) {
            dom::object object;
            if (!element.get(object)) add_detail(details, places, object);
        }
    }
    std::string out;
    json::Writer writer(out);
    writer.begin_array();
    for (const Detail& detail : details) {
        writer.begin_object();
        for (const auto& [name, raw] : detail.fields) writer.key(name).raw(raw);
        if (!detail.text_field.empty()) writer.key(detail.text_field).escaped(detail.text_escaped);
        writer.end_object();
    }
    writer.end_array();
    return out;
}

}  // namespace runnel::provider
