#include "api/item_sequence.hpp"

#include <algorithm>

namespace runnel::api {

void ItemSequence::open(const ItemHead& head) {
    close();
    open_ = head.kind;
    writer_.begin_item(head);
}

void ItemSequence::close() {
    if (!open_) return;
    open_.reset();
    open_call_ = -1;
    writer_.end_item();
}

void ItemSequence::keep(std::string& text, std::string_view more) {
    text += more;
    held_bytes_ += more.size();
}

ItemSequence::Waiting& ItemSequence::waiting(Kind kind) {
    if (waiting_.empty() || waiting_.back().kind != kind || waiting_.back().ended ||
        waiting_.back().what != Waiting::What::item || kind == Kind::tool_call) {
        waiting_.push_back({.kind = kind});
        held_bytes_ += sizeof(Waiting);
    }
    return waiting_.back();
}

ItemSequence::Waiting* ItemSequence::waiting_call(int index) {
    const auto found = std::ranges::find(waiting_, index, &Waiting::call);
    return found == waiting_.end() ? nullptr : &*found;
}

void ItemSequence::add(Kind kind, std::string_view text) {
    if (must_wait()) return keep(waiting(kind).text, text);
    if (open_ != kind) open({kind});
    writer_.add(text);
}

void ItemSequence::on(const timeline::ReasoningSigned& event) {
    if (must_wait()) {
        Waiting& thought = waiting(Kind::reasoning);
        keep(thought.signature, event.signature);
        keep(thought.issuer, event.issuer);
        thought.ended = true;
        return;
    }
    if (open_ != Kind::reasoning) open({Kind::reasoning});
    writer_.sign(event);
    close();
}

void ItemSequence::on(const timeline::ReasoningEncrypted& event) {
    if (must_wait()) {
        Waiting& thought = waiting_.emplace_back();
        held_bytes_ += sizeof(Waiting);
        thought.what = Waiting::What::encrypted;
        keep(thought.text, event.data);
        keep(thought.issuer, event.issuer);
        keep(thought.call_id, event.id);
        return;
    }
    close();
    writer_.write_encrypted(event);
}

// One that comes late is left out: there is no text to put it into. In the provider's own API it
// may come before the text.
void ItemSequence::on(const timeline::Citation& event) {
    if (!event.native.raw.empty() && !must_wait() && open_ != Kind::text) open({Kind::text});
    if (open_ == Kind::text) writer_.cite(event);
}

void ItemSequence::on(const timeline::ItemEnded&) {
    if (!must_wait()) return close();
    if (!waiting_.empty() && waiting_.back().kind != Kind::tool_call) waiting_.back().ended = true;
}

void ItemSequence::on(const timeline::ToolStarted& event) {
    if (must_wait()) {
        Waiting& call = waiting(Kind::tool_call);
        call.call = event.index;
        keep(call.call_id, event.id);
        keep(call.name, event.name);
        return;
    }
    open({Kind::tool_call, event.id, event.name});
    open_call_ = event.index;
}

void ItemSequence::on(const timeline::ToolArguments& event) {
    if (open_ == Kind::tool_call && event.index == open_call_) return writer_.add(event.fragment);
    if (Waiting* call = waiting_call(event.index)) keep(call->text, event.fragment);
}

void ItemSequence::on(const timeline::ToolEnded& event) {
    if (open_ == Kind::tool_call && event.index == open_call_) {
        close();
        write_waiting();
    } else if (Waiting* call = waiting_call(event.index)) {
        call->ended = true;
    }
}

// Up to a call that is not complete: what comes next is its own.
void ItemSequence::write_waiting() {
    while (!waiting_.empty() && !must_wait()) {
        const Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        if (waiting_.empty()) held_bytes_ = 0;
        if (next.what == Waiting::What::encrypted) {
            close();
            writer_.write_encrypted({0, next.text, next.issuer, next.call_id});
            continue;
        }
        open({next.kind, next.call_id, next.name});
        open_call_ = next.call;
        if (!next.text.empty()) writer_.add(next.text);
        if (!next.signature.empty()) writer_.sign({0, next.signature, next.issuer});
        if (next.ended) close();
    }
}

void ItemSequence::finish() {
    do {
        close();
        write_waiting();
    } while (open_);
}

}  // namespace runnel::api
