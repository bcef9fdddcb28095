#pragma once

#include "api/dialect.hpp"
#include "api/item_sequence.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api::messages {

// The stream of Anthropic's Messages API: message_start, content blocks one after another with
// dense indexes, message_delta with the stop reason and the usage, message_stop; after a failure an
// error event and nothing else. Tools that the gateway runs do not show: clients of this API would
// try to run them.
class MessagesStream final : public Encoder, private ItemWriter {
public:
    // `out` must outlive the encoder.
    MessagesStream(const Envelope& envelope, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override;

private:
    void begin_item(const ItemHead& head) override;
    void add(std::string_view escaped) override;
    void cite(const timeline::Citation& citation) override;
    void sign(const timeline::ReasoningSigned& signature) override;
    void end_item() override;
    void write_encrypted(const timeline::ReasoningEncrypted& reasoning) override;

    // Of several answers the first is told.
    template <class Event>
    void tell(const Event& event) {
        if (event.choice == 0) items_.on(event);
    }

    // A frame up to the inside of its data, after its type.
    void begin_frame(std::string_view type);
    void end_frame() { out_ += "}\n\n"; }
    // A frame about the open block, up to what it says of it.
    void begin_block_frame(std::string_view type);
    void start();
    void end();
    void on_native(const timeline::Native& event);
    void write_event(std::string_view raw);
    // Ends a block that was told in this API's own words, if it is open.
    void close_native();

    std::string& out_;
    Envelope envelope_;
    ItemSequence items_{this};
    std::optional<timeline::Usage> usage_;
    timeline::Finish finish_ = timeline::Finish::stop;
    std::string native_finish_;
    std::string stop_sequence_;
    // Objects in this API's own words, waiting for their place.
    std::string native_usage_, first_native_usage_;
    std::vector<std::string> fields_of_answer_, fields_of_finish_;
    std::string fields_of_next_;
    bool native_is_open_ = false;
    bool item_is_open_ = false;
    bool started_ = false;
    bool failed_ = false;
    int index_ = -1;           // of the open block, or of the last one
    std::string delta_begin_;  // of the open block's delta, up to its text
};

}  // namespace runnel::api::messages
