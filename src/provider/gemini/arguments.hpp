#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {

// Turns a call's arguments that come as values with their JSONPaths (Vertex'
// streamFunctionCallArguments) into JSON text that only ever grows at its end. It relies on the
// model writing depth first, as models do: a value for an object that was left already repeats that
// object's key.
class Arguments {
public:
    struct Piece {
        std::string path{};  // "$.recipe.steps[0]"
        enum class Kind { absent, string, literal } kind = Kind::absent;
        std::string_view
            value{};  // string: the JSON string's body; literal: a number, true, false or null
        bool will_continue = false;  // the next piece of the same path goes on with this string
    };

    // Appends the JSON text that this piece adds.
    void add(const Piece& piece, std::string& out);
    // Appends what closes all that is open; nothing when no piece came.
    void close(std::string& out);

private:
    struct Step {
        enum class Kind { member, element } kind;
        std::string name;  // the member's key, or the element's number

        friend bool operator==(const Step&, const Step&) = default;
    };
    using Path = std::vector<Step>;

    static Path read_path(std::string_view text);
    void close_to(std::size_t depth, std::string& out);
    void begin_value(const Path& path, std::string& out);

    Path at_;  // the last value's place; its parents are open
    bool in_string_ = false;
};

}  // namespace runnel::provider::gemini
