#include "cli/chat/line_reader.hpp"

#include <histedit.h>
#include <langinfo.h>

#include <clocale>
#include <cstdio>
#include <cstring>

namespace runnel::cli {
namespace {

constexpr int history_lines = 1000;
constexpr char escape_mark = '\1';  // around what takes no room in a prompt

// What is written may be in any language; a terminal without a locale is taken to be of today.
void want_utf8() {
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

struct LineReader::Editor {
    EditLine* line = nullptr;
    History* history = nullptr;
    const char* prompt = "> ";
    const char* next_prompt = ". ";
    bool interrupted = false;
    bool continues = false;
    std::string given_up{};

    static Editor& of(EditLine* line) {
        void* self = nullptr;
        el_get(line, EL_CLIENTDATA, &self);
        return *static_cast<Editor*>(self);
    }
    static char* prompt_of(EditLine* line) {
        const Editor& editor = of(line);
        return const_cast<char*>(editor.continues ? editor.next_prompt : editor.prompt);
    }
    static unsigned char interrupt(EditLine* line, wint_t) {
        const LineInfo* const written = el_line(line);
        of(line).given_up.assign(written->buffer, written->lastchar);
        of(line).interrupted = true;
        return CC_EOF;
    }
};

LineReader::LineReader(Prompt prompt) : editor_(std::make_unique<Editor>()) {
    want_utf8();
    // An escape belongs to the character behind it: one at the end would get lost.
    if (prompt == Prompt::bold) editor_->prompt = "\1\033[1m\1>\1\033[0m\1 ";
    editor_->history = history_init();
    HistEvent event;
    history(editor_->history, &event, H_SETSIZE, history_lines);
    history(editor_->history, &event, H_SETUNIQUE, 1);

    EditLine* const line = editor_->line = el_init("runnel", stdin, stdout, stderr);
    el_set(line, EL_SIGNAL, 1);  // the terminal is as it was when the program is ended
    el_set(line, EL_CLIENTDATA, editor_.get());
    el_set(line, EL_PROMPT_ESC, &Editor::prompt_of, escape_mark);
    el_set(line, EL_HIST, history, editor_->history);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(line, nullptr);  // ~/.editrc, as every program with this editor
    // The wide one: the other copies the texts and never gives them back.
    el_wset(line, EL_ADDFN, L"runnel-interrupt", L"Give up this line", &Editor::interrupt);
    el_set(line, EL_BIND, "^C", "runnel-interrupt", nullptr);
    el_set(line, EL_SETTY, "-d", "-isig", nullptr);
}

LineReader::~LineReader() {
    el_end(editor_->line);
    history_end(editor_->history);
}

LineReader::Line LineReader::read() {
    Line whole;
    editor_->continues = false;
    do {
        Line next = read_one();
        if (next.kind != Line::Kind::text) return {next.kind, whole.text + next.text};
        if (editor_->continues) whole.text.back() = '\n';  // in place of the backslash
        whole.text += next.text;
        editor_->continues = whole.text.ends_with('\\');
    } while (editor_->continues);
    return whole;
}

LineReader::Line LineReader::read_one() {
    int count = 0;
    editor_->interrupted = false;
    // Before the prompt is there: whoever sees it may press Ctrl-C, which must not be a signal
    // then.
    el_set(editor_->line, EL_PREP_TERM, 1);
    const char* text = el_gets(editor_->line, &count);
    if (editor_->interrupted) return {Line::Kind::interrupted, editor_->given_up};
    if (text == nullptr || count <= 0) return {Line::Kind::end};
    Line line{Line::Kind::text, text};
    while (line.text.ends_with('\n')) line.text.pop_back();
    HistEvent event;
    if (!line.text.empty()) history(editor_->history, &event, H_ENTER, line.text.c_str());
    return line;
}

}  // namespace runnel::cli
