#include "wire_forms.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace runnel::conformance {
namespace {

using nlohmann::json;

constexpr std::string_view space = " \t\r\n";

std::string_view without_bom(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    return bytes;
}

std::string_view trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(space);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(space) - from + 1);
}

struct Line {
    std::string_view text;
    bool ended;
};

std::vector<Line> lines_of(std::string_view bytes) {
    std::vector<Line> lines;
    while (!bytes.empty()) {
        const auto end = bytes.find_first_of("\r\n");
        if (end == std::string_view::npos) {
            lines.push_back({bytes, false});
            break;
        }
        lines.push_back({bytes.substr(0, end), true});
        bytes.remove_prefix(end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    return lines;
}

bool is_whole(std::string_view data) { return trimmed(data) == "[DONE]" || json::accept(data); }

class SseReading {
public:
    std::vector<WireEvent> read(std::string_view bytes) {
        bool ended = true;
        for (const Line& line : lines_of(without_bom(bytes))) {
            ended = line.ended;
            if (line.text.empty())
                dispatch();
            else
                field(line.text);
        }
        const bool unfinished = data_ && !is_whole(*data_);
        if (unfinished) data_.reset();
        if (!ended && !json::accept(stray_)) stray_.clear();
        dispatch();
        return std::move(events_);
    }

private:
    void field(std::string_view line) {
        if (line.starts_with(":")) return;
        const auto colon = line.find(':');
        const auto name = line.substr(0, colon);
        auto value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
        if (value.starts_with(" ")) value.remove_prefix(1);
        if (name == "data") {
            if (data_)
                data_->append("\n").append(value);
            else
                data_ = std::string(value);
        } else if (name == "event") {
            name_ = value;
        } else if (name == "error") {
            // llama-box reports a failure in a field of its own.
            events_.push_back({"error", std::string(value)});
        } else if (name != "id" && name != "retry") {
            stray_.append(line).append("\n");
        }
    }

    void dispatch() {
        if (data_ && !data_->empty()) events_.push_back({name_, *data_});
        // Google writes an error into an open stream as bare JSON, without any field name.
        if (!data_ && json::accept(stray_)) events_.push_back({"", stray_});
        data_.reset();
        name_.clear();
        stray_.clear();
    }

    std::vector<WireEvent> events_;
    std::optional<std::string> data_;
    std::string name_;
    std::string stray_;
};

// The whole elements of an array of objects, also when its end is missing.
std::vector<WireEvent> array_elements(std::string_view bytes) {
    std::vector<WireEvent> elements;
    int depth = 0;
    bool in_string = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char c = bytes[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth == 2) begin = i;
        } else if (c == '}' || c == ']') {
            if (--depth == 1)
                elements.push_back({"", std::string(bytes.substr(begin, i - begin + 1))});
        }
    }
    return elements;
}

}  // namespace

WireForm form_of(std::string_view bytes) {
    const auto text = trimmed(without_bom(bytes));
    if (text.starts_with("[")) return WireForm::json_array;
    if (!text.starts_with("{")) return WireForm::sse;
    const auto first_line = text.substr(0, text.find_first_of("\r\n"));
    return first_line.size() < text.size() && json::accept(first_line) ? WireForm::json_lines
                                                                       : WireForm::json_object;
}

std::vector<WireEvent> events_of(std::string_view bytes) {
    std::vector<WireEvent> events;
    switch (form_of(bytes)) {
        case WireForm::sse: return SseReading().read(bytes);
        case WireForm::json_array: return array_elements(bytes);
        case WireForm::json_lines:
            for (const Line& line : lines_of(without_bom(bytes)))
                if (!trimmed(line.text).empty() && (line.ended || is_whole(line.text)))
                    events.push_back({"", std::string(trimmed(line.text))});
            break;
        case WireForm::json_object:
            if (is_whole(trimmed(without_bom(bytes))))
                events.push_back({"", std::string(trimmed(without_bom(bytes)))});
            break;
    }
    return events;
}

}  // namespace runnel::conformance
