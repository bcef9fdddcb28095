#include "storage/records/records.hpp"

#include "base/foreign_text.hpp"
#include "telemetry/record_details.hpp"
#include "telemetry/record_json.hpp"

namespace runnel::storage {
namespace {

void hide_addresses(telemetry::RequestRecord& record) {
    for (telemetry::AttemptRecord& attempt : record.attempts) attempt.detail.clear();
    record.error_detail =
        record.attempts.empty() ? without_addresses(record.error_detail) : std::string();
}

}  // namespace

std::string record_json(const Record& record, Reader reader) {
    telemetry::RequestRecord all{.request_id = record.request_id,
                                 .model_asked = record.model_asked,
                                 .model_served = record.model_served,
                                 .provider = record.provider,
                                 .stream = record.stream,
                                 .status = record.status,
                                 .finish = record.finish,
                                 .error_kind = record.error,
                                 .began = record.time,
                                 .key_id = record.key_id,
                                 .team = record.team,
                                 .cost = record.cost};
    if (!record.entry_id.starts_with(own_id_prefix)) all.completion_id = record.entry_id;
    telemetry::read_details(record.details_json, record.tokens.input, record.tokens.output, all);
    telemetry::read_cost_lines(record.lines_json, all);
    if (reader == Reader::owner) hide_addresses(all);
    return telemetry::record_json(all);
}

}  // namespace runnel::storage
