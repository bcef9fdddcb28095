#include "store/ledger_lines.hpp"

#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace runnel::store {
namespace {

LedgerLine line_of(json::ondemand::value value) {
    LedgerLine line;
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value part) {
        if (name == "sku") (void)json::plain_string(part, line.sku);
        if (name == "quantity") (void)json::integer(part, line.quantity);
        if (name == "unit_price") (void)part.get_double().get(line.unit_price);
        if (name == "amount_nano_usd") (void)json::integer(part, line.amount.nano_usd);
        if (name == "description") (void)json::plain_string(part, line.description);
        if (name == "provenance") (void)json::plain_string(part, line.provenance);
    });
    return line;
}

}  // namespace

void append_lines_json(std::string& out, const std::vector<LedgerLine>& lines) {
    json::Writer writer(out);
    writer.begin_array();
    for (const LedgerLine& line : lines) {
        writer.begin_object();
        writer.key("sku").string(line.sku);
        writer.key("quantity").number(line.quantity);
        writer.key("unit_price").real(line.unit_price);
        writer.key("amount_nano_usd").number(line.amount.nano_usd);
        if (!line.description.empty()) writer.key("description").string(line.description);
        if (!line.provenance.empty()) writer.key("provenance").string(line.provenance);
        writer.end_object();
    }
    writer.end_array();
}

std::vector<LedgerLine> read_lines(std::string json) {
    std::vector<LedgerLine> lines;
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::value value;
    if (parser.parse(Padded::of(json), document) || document.get_value().get(value)) return lines;
    (void)json::for_each_element(
        value, [&](json::ondemand::value line) { lines.push_back(line_of(line)); });
    return lines;
}

}  // namespace runnel::store
