#pragma once

#include <memory>
#include <string>

namespace runnel::cli {

// Lines that somebody writes at a terminal, with the editing that shells have: arrows, history,
// searching it. Ctrl-C is a key like others here and no signal.
class LineReader {
public:
    enum class Prompt { plain, bold };
    explicit LineReader(Prompt prompt);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    struct Line {
        // interrupted: Ctrl-C, which gives up what was written; end: Ctrl-D, or nobody there.
        enum class Kind { text, interrupted, end } kind = Kind::text;
        std::string text{};  // also what was given up
    };
    // A line that ends with a backslash goes on in the next one.
    Line read();

private:
    struct Editor;
    Line read_one();

    std::unique_ptr<Editor> editor_;
};

}  // namespace runnel::cli
