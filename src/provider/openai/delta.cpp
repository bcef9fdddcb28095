#include "provider/openai/delta.hpp"

#include "json/text.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/core/url_citation.hpp"
#include "provider/openai/sources.hpp"

#include <algorithm>

namespace runnel::provider {

namespace ondemand = json::ondemand;

void Pieces::clear() {
    list_.clear();
    citations_.clear();
    media_.clear();
    made_.clear();
    details_raw_ = {};
}

bool Pieces::has(Piece::Kind kind) const {
    return std::ranges::find(list_, kind, &Piece::kind) != list_.end();
}

void Pieces::add(Piece::Kind kind, ondemand::value value) {
    std::string_view text;
    if (json::escaped_string(value, text) && !text.empty()) list_.push_back({kind, text});
}

simdjson::error_code Pieces::read(ondemand::value delta) {
    return for_each_field(delta, [&](std::string_view name, ondemand::value value) {
        if (name == "content") return read_content(value);
        if (name == "reasoning_content" || name == "reasoning" || name == "reasoning_text") {
            // Some send two of them, with the same words; the last is Copilot's.
            if (!has(Piece::Kind::reasoning)) add(Piece::Kind::reasoning, value);
            return;
        }
        if (name == "tool_calls") return read_tool_calls(value);
        if (name == "refusal") return add(Piece::Kind::refusal, value);
        if (name == "reasoning_details") return read_reasoning_details(value);
        if (name == "reasoning_steps") return read_reasoning_steps(value);
        if (name == "executed_tools") return read_executed_tools(value);
        if (name == "annotations") return read_annotations(value);
        if (name == "images") {
            // OpenRouter's.
            (void)for_each_element(value, [&](ondemand::value image) { read_image(image); });
            return;
        }
        if (name == "audio") return read_audio(value);
        if (name == "function_call") {
            Piece piece{Piece::Kind::tool};
            piece.tool = Piece::Tool::legacy;
            read_function(value, piece);
            if (!piece.name.empty() || !piece.text.empty()) list_.push_back(piece);
        }
    });
}

void Pieces::put_reasoning_first() {
    std::ranges::stable_partition(list_, [](const Piece& piece) {
        return piece.kind == Piece::Kind::reasoning || piece.kind == Piece::Kind::reasoning_detail;
    });
}

void Pieces::read_content(ondemand::value content) {
    ondemand::json_type type;
    if (content.type().get(type)) return;
    if (type == ondemand::json_type::string) {
        add(Piece::Kind::text, content);
    } else if (type == ondemand::json_type::array) {
        (void)for_each_element(content, [&](ondemand::value part) { read_content_part(part); });
    }
}

// Mistral's parts: {"type":"text","text":…} and
// {"type":"thinking","thinking":[{"type":"text","text":…}]}. Some routers put images here.
void Pieces::read_content_part(ondemand::value part) {
    (void)for_each_field(part, [&](std::string_view name, ondemand::value value) {
        if (name == "text") return add(Piece::Kind::text, value);
        if (name == "refusal") return add(Piece::Kind::refusal, value);
        if (name == "image_url") return add_image(value);
        if (name != "thinking") return;
        ondemand::json_type type;
        if (value.type().get(type)) return;
        if (type == ondemand::json_type::string) return add(Piece::Kind::reasoning, value);
        (void)for_each_element(value, [&](ondemand::value thought) {
            (void)for_each_field(thought, [&](std::string_view key, ondemand::value text) {
                if (key == "text") add(Piece::Kind::reasoning, text);
            });
        });
    });
}

void Pieces::read_reasoning_details(ondemand::value details) {
    ondemand::array array;
    if (details.get_array().get(array) || array.raw_json().get(details_raw_)) return;
    bool any = false;
    if (array.reset().get(any) || !any) {
        details_raw_ = {};
        return;
    }
    for (auto result : array) {
        ondemand::value detail;
        if (std::move(result).get(detail)) return;
        (void)for_each_field(detail, [&](std::string_view name, ondemand::value value) {
            if (name == "text" || name == "summary") add(Piece::Kind::reasoning_detail, value);
        });
    }
}

// Perplexity's searches: each step says in a sentence what it is for.
void Pieces::read_reasoning_steps(ondemand::value steps) {
    (void)for_each_element(steps, [&](ondemand::value step) {
        (void)for_each_field(step, [&](std::string_view name, ondemand::value value) {
            std::string_view thought;
            if (name != "thought" || !json::escaped_string(value, thought) || thought.empty())
                return;
            std::string& line = made_.emplace_back(thought);
            list_.push_back({Piece::Kind::reasoning, line += "\\n"});
        });
    });
}

// What Groq ran by itself; of its searches, the pages they found.
void Pieces::read_executed_tools(ondemand::value tools) {
    const auto add_page = [&](ondemand::value result) {
        Page page = read_page(result);
        if (page.url.empty()) return;
        Piece piece{Piece::Kind::page};
        piece.text = made_.emplace_back(std::move(page.url));
        piece.name = made_.emplace_back(std::move(page.title));
        list_.push_back(piece);
    };
    (void)for_each_element(tools, [&](ondemand::value tool) {
        (void)for_each_field(tool, [&](std::string_view name, ondemand::value value) {
            if (name != "search_results") return;
            (void)for_each_field(value, [&](std::string_view field, ondemand::value results) {
                if (field == "results") (void)for_each_element(results, add_page);
            });
        });
    });
}

void Pieces::read_annotations(ondemand::value annotations) {
    (void)for_each_element(annotations, [&](ondemand::value annotation) {
        const auto citation = read_url_citation(annotation);
        if (!citation) return;
        list_.push_back({.kind = Piece::Kind::citation, .place = citations_.size()});
        citations_.push_back(*citation);
    });
}

// {"type":"image_url","image_url":{"url":…}}
void Pieces::read_image(ondemand::value image) {
    (void)for_each_field(image, [&](std::string_view name, ondemand::value value) {
        if (name == "image_url") add_image(value);
    });
}

// An address, or an object with one.
void Pieces::add_image(ondemand::value image_url) {
    timeline::Media image{.choice = 0, .kind = timeline::Media::Kind::image};
    if (!json::escaped_string(image_url, image.url))
        (void)for_each_field(image_url, [&](std::string_view name, ondemand::value value) {
            if (name == "url") (void)json::escaped_string(value, image.url);
        });
    if (!image.url.empty()) add(image);
}

void Pieces::read_audio(ondemand::value audio) {
    timeline::Media piece{.choice = 0, .kind = timeline::Media::Kind::audio};
    (void)for_each_field(audio, [&](std::string_view name, ondemand::value value) {
        if (name == "id") (void)json::escaped_string(value, piece.id);
        if (name == "data") (void)json::escaped_string(value, piece.data);
        if (name == "transcript") (void)json::escaped_string(value, piece.transcript);
        if (name == "expires_at") read_count(value, piece.expires_at);
    });
    // Snowflake puts one without anything in it beside every answer.
    const bool is_empty = piece.id.empty() && piece.data.empty() && piece.transcript.empty() &&
                          piece.expires_at.value_or(0) == 0;
    if (!is_empty) add(piece);
}

void Pieces::add(const timeline::Media& media) {
    list_.push_back({.kind = Piece::Kind::media, .place = media_.size()});
    media_.push_back(media);
}

void Pieces::read_tool_calls(ondemand::value calls) {
    const std::size_t first = list_.size();
    (void)for_each_element(calls, [&](ondemand::value call) { read_tool_call(call); });
    if (list_.size() - first < 2) return;
    for (std::size_t i = first; i < list_.size(); ++i) list_[i].position = i - first;
}

void Pieces::read_tool_call(ondemand::value call) {
    Piece piece{Piece::Kind::tool};
    (void)for_each_field(call, [&](std::string_view name, ondemand::value value) {
        if (name == "index") {
            std::int64_t index = 0;
            if (json::integer(value, index)) piece.index = index;
        } else if (name == "id") {
            piece.id = plain(value);
            if (piece.id == "null") piece.id = {};  // Mistral's word for none
        } else if (name == "function") {
            read_function(value, piece);
        } else if (name == "custom") {
            read_custom(value, piece);
        } else if (name == "extra_content") {
            (void)json::raw_value(value, piece.extra_content);
        }
    });
    list_.push_back(piece);
}

void Pieces::read_function(ondemand::value function, Piece& piece) {
    (void)for_each_field(function, [&](std::string_view name, ondemand::value value) {
        if (name == "name") {
            piece.name = plain(value);
        } else if (name == "arguments" && !json::escaped_string(value, piece.text)) {
            // Some servers send the arguments as an object, as Ollama does in its own format.
            std::string_view raw;
            if (!json::raw_value(value, raw) || !raw.starts_with('{')) return;
            std::string compact;
            json::append_compact(compact, raw);
            json::append_escaped(made_.emplace_back(), compact);
            piece.text = made_.back();
        }
    });
}

void Pieces::read_custom(ondemand::value custom, Piece& piece) {
    std::string_view name;
    std::string_view input;
    (void)for_each_field(custom, [&](std::string_view field, ondemand::value value) {
        if (field == "name") name = plain(value);
        if (field == "input") (void)json::escaped_string(value, input);
    });
    // Snowflake puts an empty one beside every function.
    if (name.empty() && input.empty()) return;
    piece.tool = Piece::Tool::custom;
    piece.name = name;
    piece.text = input;
}

// A short string as plain text; empty for null and everything else.
std::string_view Pieces::plain(ondemand::value value) {
    std::string_view text;
    if (!json::escaped_string(value, text)) return {};
    if (text.find('\\') == std::string_view::npos) return text;
    return made_.emplace_back(json::unescaped(text));
}

}  // namespace runnel::provider
