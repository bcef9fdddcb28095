#pragma once

#include "storage/records/logs.hpp"
#include "storage/sql/sql.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::storage {

// Conditions on a table's rows, and the values in them. Several may share one list of values.
class Conditions {
public:
    explicit Conditions(std::vector<Parameter>* parameters) : parameters_(parameters) {}

    // How a new value is written in a condition: $1, $2 …
    std::string value(Parameter value);
    void add(std::string_view condition);
    // With a ? wherever the value stands.
    void add(std::string_view condition, Parameter value);
    // With the same list of values.
    Conditions of_another_table() const { return Conditions(parameters_); }
    // For WHERE; always a condition.
    std::string_view text() const { return text_.empty() ? "TRUE" : std::string_view(text_); }

private:
    std::vector<Parameter>* parameters_;
    std::string text_;
};

// Which kinds of requests pass; TRUE where the filter says nothing about them. The filter must
// outlive the values.
void add_kind_filter(Conditions& to, const LogFilter& filter);
bool filters_kinds(const LogFilter& filter);
// The same for tables whose rows refer to a kind.
void add_filter(Conditions& to, const LogFilter& filter);

// What [from, to) is summed up from: whole hours from the roll-ups, and from the ledger the rest at
// both ends. Its columns are those of the roll-ups. `conditions` must have their values in
// `parameters`.
std::string rows_to_sum(std::int64_t from, std::int64_t to, std::string_view conditions,
                        std::vector<Parameter>& parameters);

}  // namespace runnel::storage
