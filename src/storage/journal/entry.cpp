#include "storage/journal/entry.hpp"

#include "base/utf8.hpp"
#include "storage/journal/open_slots.hpp"
#include "telemetry/record_json.hpp"

#include <concepts>
#include <cstring>
#include <string>
#include <type_traits>

namespace runnel::storage {
namespace {

// A record that is being written: the members of Record, as views.
struct RecordView {
    std::string_view entry_id, request_id;
    access::UtcTime time;
    std::string_view key_id, team, model_asked, model_served, provider;
    int status;
    std::string_view error, finish;
    bool stream;
    Tokens tokens;
    std::optional<Money> cost;
    std::string_view lines_json, details_json, timeline_json;
};

// These two say what stands in which order, for writing and for reading.

template <class Fields>
void visit_record(auto& record, Fields& fields) {
    fields(record.entry_id, record.request_id, record.time, record.key_id, record.team,
           record.model_asked, record.model_served, record.provider, record.status, record.error,
           record.finish, record.stream, record.tokens.input, record.tokens.cached,
           record.tokens.output, record.tokens.reasoning, record.cost, record.lines_json,
           record.details_json, record.timeline_json);
}

template <class Fields>
void visit_opening(auto& opening, Fields& fields) {
    fields(opening.completion_id, opening.request_id, opening.key_id, opening.team, opening.model,
           opening.target, opening.began, opening.input_tokens, opening.output_tokens,
           opening.reserved, opening.claim_id, opening.budget_model, opening.stream);
}

using Size = std::uint32_t;

struct Counter {
    void put(const void*, std::size_t count) { bytes += count; }
    std::size_t bytes = 0;
};

struct Copier {
    void put(const void* from, std::size_t count) {
        // An empty view may point nowhere.
        if (count > 0) std::memcpy(to, from, count);
        to += count;
    }
    char* to;
};

template <class Out>
class FieldWriter {
public:
    explicit FieldWriter(Out out) : out(out) {}
    void operator()(const auto&... values) { (add(values), ...); }

    Out out;

private:
    template <class Number>
        requires std::is_arithmetic_v<Number>
    void add(Number number) {
        out.put(&number, sizeof number);
    }
    void add(std::string_view text) {
        add(static_cast<Size>(text.size()));
        out.put(text.data(), text.size());
    }
    void add(access::UtcTime time) { add(std::int64_t{time.time_since_epoch().count()}); }
    void add(Money money) { add(money.nano_usd); }
    void add(std::optional<Money> money) {
        add(money.has_value());
        if (money) add(*money);
    }
};

// Reads what was written. Where there is not enough it reads nothing more, and has failed.
class FieldReader {
public:
    explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}
    void operator()(auto&... values) { (read(values), ...); }

    bool all_read() const { return !failed_ && bytes_.empty(); }

private:
    std::string_view take(std::size_t count) {
        if (bytes_.size() < count) failed_ = true;
        if (failed_) return {};
        const std::string_view taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return taken;
    }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    void read(Number& number) {
        // Not every byte is a bool.
        std::conditional_t<std::same_as<Number, bool>, char, Number> value{};
        const std::string_view from = take(sizeof value);
        if (!failed_) std::memcpy(&value, from.data(), sizeof value);
        number = static_cast<Number>(value);
    }
    void read(std::string_view& text) {
        Size size = 0;
        read(size);
        text = take(size);
    }
    void read(std::string& text) {
        std::string_view view;
        read(view);
        text = view;
    }
    void read(access::UtcTime& time) {
        std::int64_t count = 0;
        read(count);
        time = access::UtcTime(std::chrono::milliseconds(count));
    }
    void read(Money& money) { read(money.nano_usd); }
    void read(std::optional<Money>& money) {
        bool is_known = false;
        read(is_known);
        if (is_known) read(money.emplace());
    }

    std::string_view bytes_;
    bool failed_ = false;
};

Tokens tokens_of(const telemetry::RequestRecord& record) {
    if (!record.usage) return {};
    const timeline::Usage& usage = *record.usage;
    return {usage.input(), usage.cache_read.value_or(0), usage.output, usage.reasoning.value_or(0)};
}

RecordView view_of(const Closing& closing) {
    const telemetry::RequestRecord& record = *closing.record;
    return {.entry_id = closing.entry_id,
            .request_id = record.request_id,
            .time = record.began,
            .key_id = record.key_id,
            .team = record.team,
            .model_asked = record.model_asked,
            .model_served = record.model_served,
            .provider = record.provider,
            .status = record.status,
            .error = record.error_kind,
            .finish = record.finish,
            .stream = record.stream,
            .tokens = tokens_of(record),
            .cost = record.cost,
            .lines_json = closing.lines_json,
            .details_json = closing.details_json,
            .timeline_json = closing.timeline_json};
}

std::size_t bytes_of(const Opening& opening) {
    FieldWriter<Counter> counter({});
    visit_opening(opening, counter);
    return counter.out.bytes;
}

// Takes as much as is too much from the end of a name.
void shorten(std::string_view& name, std::size_t& too_much) {
    const std::string_view kept = utf8_prefix(name, name.size() - std::min(name.size(), too_much));
    too_much -= std::min(too_much, name.size() - kept.size());
    name = kept;
}

}  // namespace

std::size_t write_opening(Opening opening, char* to) {
    std::size_t bytes = bytes_of(opening);
    if (bytes > OpenSlots::payload_bytes_max) {
        std::size_t too_much = bytes - OpenSlots::payload_bytes_max;
        for (std::string_view* name : {&opening.target, &opening.model, &opening.request_id})
            shorten(*name, too_much);
        if (too_much > 0) return 0;
        bytes = bytes_of(opening);
    }
    FieldWriter<Copier> writer({to});
    visit_opening(opening, writer);
    return bytes;
}

std::optional<Opening> read_opening(std::string_view bytes) {
    Opening opening;
    FieldReader reader(bytes);
    visit_opening(opening, reader);
    return reader.all_read() ? std::optional(opening) : std::nullopt;
}

std::size_t closing_bytes(const Closing& closing) {
    FieldWriter<Counter> counter({});
    const RecordView view = view_of(closing);
    visit_record(view, counter);
    return counter.out.bytes;
}

void write_closing(const Closing& closing, char* to) {
    FieldWriter<Copier> writer({to});
    const RecordView view = view_of(closing);
    visit_record(view, writer);
}

std::optional<Record> read_closing(std::string_view bytes) {
    std::optional<Record> record(std::in_place);
    FieldReader reader(bytes);
    visit_record(*record, reader);
    if (!reader.all_read()) record.reset();
    return record;
}

Record crashed_record(const Opening& opening) {
    telemetry::RequestRecord record;
    record.completion_id = opening.completion_id;
    record.request_id = opening.request_id;
    record.began = opening.began;
    record.key_id = opening.key_id;
    record.team = opening.team;
    record.model_asked = opening.model;
    record.model_served = opening.target;
    record.provider = opening.target.substr(0, opening.target.find('/'));
    record.stream = opening.stream;
    record.error_kind = telemetry::crashed_error;
    record.usage =
        timeline::Usage{.fresh_input = opening.input_tokens, .output = opening.output_tokens};
    record.usage_provenance = telemetry::RequestRecord::Provenance::estimated;
    record.cost = opening.reserved;
    if (opening.reserved)
        record.cost_lines.push_back({.sku = "reserved",
                                     .quantity = 1,
                                     .unit_price = opening.reserved->usd(),
                                     .amount = *opening.reserved,
                                     .description = "Under way when the gateway stopped"});
    std::string lines;
    std::string details;
    telemetry::append_cost_lines(lines, record);
    telemetry::append_details(details, record);
    const Closing closing{record.completion_id, &record, lines, details, {}};
    // The way all others take, so that a column is set in one place.
    std::string bytes(closing_bytes(closing), '\0');
    write_closing(closing, bytes.data());
    return *read_closing(bytes);
}

}  // namespace runnel::storage
