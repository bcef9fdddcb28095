#pragma once

#include "timeline/event.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::api {

// A run of one kind of thing in an answer: a text, a thought, a call to a tool.
struct ItemHead {
    enum class Kind { text, reasoning, refusal, tool_call } kind;
    std::string_view call_id{};  // tool_call
    std::string_view name{};
};

// Writes an answer item after item: what is told between begin_item() and end_item() is of that
// one.
class ItemWriter {
public:
    virtual ~ItemWriter() = default;
    virtual void begin_item(const ItemHead& head) = 0;
    // More of its text or arguments, escaped.
    virtual void add(std::string_view escaped) = 0;
    virtual void cite(const timeline::Citation& citation) = 0;
    virtual void sign(const timeline::ReasoningSigned& signature) = 0;
    virtual void end_item() = 0;
    // An item of its own.
    virtual void write_encrypted(const timeline::ReasoningEncrypted& reasoning) = 0;
};

// Makes a sequence of items of the first choice's events. A timeline may have several calls open at
// a time, with their arguments in turns; clients of some APIs can't go back to an item once another
// has begun, so what belongs to later ones waits until the open call is complete.
class ItemSequence {
public:
    // `writer` must outlive it.
    explicit ItemSequence(ItemWriter* writer) : writer_(*writer) {}

    void on(const timeline::Text& event) { add(ItemHead::Kind::text, event.text); }
    void on(const timeline::Reasoning& event) { add(ItemHead::Kind::reasoning, event.text); }
    void on(const timeline::Refusal& event) { add(ItemHead::Kind::refusal, event.text); }
    void on(const timeline::ReasoningSigned& event);
    void on(const timeline::ReasoningEncrypted& event);
    void on(const timeline::Citation& event);
    void on(const timeline::ItemEnded& event);
    void on(const timeline::ToolStarted& event);
    void on(const timeline::ToolArguments& event);
    void on(const timeline::ToolEnded& event);
    // Nothing more comes: whatever is open or waits is written to its end.
    void finish();

    std::size_t held_bytes() const { return held_bytes_; }

private:
    using Kind = ItemHead::Kind;

    // One that waits for the open call.
    struct Waiting {
        enum class What { item, encrypted } what = What::item;
        Kind kind = Kind::text;
        int call = -1;
        std::string call_id{};
        std::string name{};
        std::string text{};
        std::string signature{};
        std::string issuer{};
        bool ended = false;
    };

    void add(Kind kind, std::string_view text);
    bool must_wait() const { return open_ == Kind::tool_call; }
    // The last one that waits, if it is of that kind and open; else a new one.
    Waiting& waiting(Kind kind);
    Waiting* waiting_call(int index);
    void keep(std::string& text, std::string_view more);
    void open(const ItemHead& head);
    void close();
    void write_waiting();

    ItemWriter& writer_;
    std::optional<Kind> open_;
    int open_call_ = -1;
    std::deque<Waiting> waiting_;
    std::size_t held_bytes_ = 0;
};

}  // namespace runnel::api
