#pragma once

#include "json/parser.hpp"
#include "timeline/event.hpp"

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// One thing a delta (or a whole message) says. A view: valid until the document it was read from,
// or the list it stands in, changes.
struct Piece {
    enum class Kind {
        text,
        reasoning,
        reasoning_detail,  // the same text as `reasoning` where both are sent
        refusal,
        tool,
        citation,
        media,
        page,  // found by a search: its address, and as `name` its title, both plain
    };
    Kind kind;
    std::string_view text{};  // escaped; or a tool's argument fragment
    std::size_t place = 0;    // of a citation or media, in the list of those

    // Tools only, except `name`. id and name are plain text.
    std::optional<std::int64_t> index{};
    std::optional<std::size_t> position{};  // where its delta tells of several calls
    std::string_view id{};
    std::string_view name{};
    std::string_view extra_content{};  // raw; where Google's own server puts a thought signature
    enum class Tool { function, custom, legacy } tool = Tool::function;
};

// What one delta said, in its order. It is filled again for each delta, so that a stream's steady
// state costs no allocation.
class Pieces {
public:
    void clear();
    // Reads a `delta` or `message` object: every place and shape in which the family puts text,
    // reasoning and calls.
    simdjson::error_code read(json::ondemand::value delta);
    // A whole message has its fields in any order; the thinking in it came first.
    void put_reasoning_first();
    // A legacy completion's bare `text`.
    void add_text(json::ondemand::value value) { add(Piece::Kind::text, value); }

    const std::vector<Piece>& list() const { return list_; }
    const timeline::Citation& citation(const Piece& piece) const { return citations_[piece.place]; }
    const timeline::Media& media(const Piece& piece) const { return media_[piece.place]; }
    bool has(Piece::Kind kind) const;
    bool empty() const { return list_.empty() && details_raw_.empty(); }
    // The raw reasoning_details array, or empty.
    std::string_view reasoning_details() const { return details_raw_; }

private:
    void add(Piece::Kind kind, json::ondemand::value value);
    void read_content(json::ondemand::value content);
    void read_content_part(json::ondemand::value part);
    void read_reasoning_details(json::ondemand::value details);
    void read_reasoning_steps(json::ondemand::value steps);
    void read_executed_tools(json::ondemand::value tools);
    void read_annotations(json::ondemand::value annotations);
    void read_image(json::ondemand::value image);
    void read_audio(json::ondemand::value audio);
    void add_image(json::ondemand::value image_url);
    void add(const timeline::Media& media);
    void read_tool_calls(json::ondemand::value calls);
    void read_tool_call(json::ondemand::value call);
    void read_function(json::ondemand::value function, Piece& piece);
    void read_custom(json::ondemand::value custom, Piece& piece);
    std::string_view plain(json::ondemand::value value);

    std::vector<Piece> list_;
    std::vector<timeline::Citation> citations_;
    std::vector<timeline::Media> media_;
    std::string_view details_raw_;
    std::list<std::string> made_;  // text that does not stand in the document as it is needed
};

}  // namespace runnel::provider
