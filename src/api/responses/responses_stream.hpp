#pragma once

#include "api/dialect.hpp"
#include "api/item_sequence.hpp"
#include "api/responses/output.hpp"
#include "api/responses/response_object.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::api::responses {

// The stream of OpenAI's Responses API: typed events with dense sequence numbers, the response as
// it begins, its items one after another, and the whole response at the end, or what it failed
// with; then [DONE]. Tools that the gateway runs do not show: clients of this API would try to run
// them.
class ResponsesStream final : public Encoder, private ItemWriter {
public:
    // `out` and the envelope's request must outlive the encoder.
    ResponsesStream(const Envelope& envelope, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override;

private:
    using Kind = OutputItem::Kind;
    using State = ResponseObject::State;

    void begin_item(const ItemHead& head) override;
    void add(std::string_view escaped) override;
    void cite(const timeline::Citation& citation) override;
    void sign(const timeline::ReasoningSigned& signature) override;
    void end_item() override;
    void write_encrypted(const timeline::ReasoningEncrypted& reasoning) override;

    template <class Event>
    void tell(const Event& event) {
        if (event.choice == 0) items_.on(event);
    }

    // An event up to the inside of its data, after its type and number.
    void begin_event(std::string_view type);
    void end_event() { out_ += "}\n\n"; }
    // One about the open item, up to what it says of it.
    void begin_item_event(std::string_view type);
    void write_item_event(std::string_view type, ItemStatus status);
    void write_part_event(std::string_view type);
    void write_delta(std::string_view escaped);
    // One that tells the open item's text in a member of that name.
    void begin_text_event(std::string_view type, std::string_view member);
    void write_response_event(std::string_view type, const State& state);
    void open_item(OutputItem item);
    void close_text();
    void start();
    void fail(const Error& error);
    void end();

    std::string& out_;
    Envelope envelope_;
    ResponseObject response_;
    ItemSequence items_{this};
    std::optional<timeline::Usage> usage_;
    timeline::Finish finish_ = timeline::Finish::stop;
    bool started_ = false;
    bool failed_ = false;
    std::int64_t sequence_ = 0;
    std::string output_;  // the items that are complete, with commas between

    int index_ = -1;     // of the open item, or of the last one
    OutputItem item_;    // the open one
    std::string place_;  // where events of the open item are, as members
    int annotations_ = 0;
    std::string waiting_logprobs_;  // of the text that comes next
};

// How the stream of a response in the background begins: what the encoder writes goes on from it.
std::string queued_stream(const Envelope& envelope);

}  // namespace runnel::api::responses
