#include "provider/gemini/arguments.hpp"

#include "base/limits.hpp"
#include "json/text.hpp"

#include <algorithm>

namespace runnel::provider::gemini {

void Arguments::add(const Piece& piece, std::string& out) {
    Path path = read_path(piece.path);
    if (path.empty() || piece.kind == Piece::Kind::absent) return;
    if (path == at_) {
        // An ended value that is told again has nothing to add: Vertex marks a string's end with an
        // empty piece.
        if (!in_string_ || piece.kind != Piece::Kind::string) return;
        out += piece.value;
    } else {
        if (in_string_) out += '"';
        begin_value(path, out);
        at_ = std::move(path);
        in_string_ = piece.kind == Piece::Kind::string;
        if (in_string_) out += '"';
        out += piece.value;
    }
    if (in_string_ && !piece.will_continue) {
        out += '"';
        in_string_ = false;
    }
}

void Arguments::close(std::string& out) {
    if (in_string_) out += '"';
    in_string_ = false;
    close_to(0, out);
    at_.clear();
}

// Closes the containers of at_ from the innermost up to and including the one at `depth`.
void Arguments::close_to(std::size_t depth, std::string& out) {
    for (std::size_t i = at_.size(); i > depth; --i)
        out += at_[i - 1].kind == Step::Kind::member ? '}' : ']';
}

// Closes what `path` does not lie in, and opens what it lies in, up to where its value stands.
void Arguments::begin_value(const Path& path, std::string& out) {
    std::size_t shared = 0;
    if (at_.empty()) {
        out += '{';
    } else {
        const std::size_t both = std::min(at_.size(), path.size()) - 1;
        while (shared < both && at_[shared] == path[shared]) ++shared;
        while (shared > 0 && at_[shared].kind != path[shared].kind) --shared;
        close_to(shared + 1, out);
        out += ',';
    }
    for (std::size_t i = shared; i < path.size(); ++i) {
        if (i > shared) out += path[i].kind == Step::Kind::member ? '{' : '[';
        if (path[i].kind == Step::Kind::element) continue;
        out += '"';
        json::append_escaped(out, path[i].name);
        out += "\":";
    }
}

// Empty when it is no path below an object: arguments always are one.
Arguments::Path Arguments::read_path(std::string_view text) {
    Path path;
    if (text.starts_with('$')) text.remove_prefix(1);
    while (!text.empty()) {
        if (path.size() == limits::json_depth) return {};
        if (text[0] == '.') {
            const std::size_t end = std::min(text.find_first_of(".[", 1), text.size());
            path.push_back({Step::Kind::member, std::string(text.substr(1, end - 1))});
            text.remove_prefix(end);
        } else if (text.starts_with("['") || text.starts_with("[\"")) {
            const std::size_t end = text.find(text[1], 2);
            if (end == std::string_view::npos || text.substr(end + 1, 1) != "]") return {};
            path.push_back({Step::Kind::member, std::string(text.substr(2, end - 2))});
            text.remove_prefix(end + 2);
        } else if (text[0] == '[') {
            const std::size_t end = text.find(']');
            if (end == std::string_view::npos) return {};
            path.push_back({Step::Kind::element, std::string(text.substr(1, end - 1))});
            text.remove_prefix(end + 1);
        } else {
            return {};
        }
    }
    if (!path.empty() && path[0].kind != Step::Kind::member) return {};
    return path;
}

}  // namespace runnel::provider::gemini
