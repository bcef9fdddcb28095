#pragma once

#include "base/result.hpp"

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Small documents in which nothing is overlooked: bodies of the admin API. What is wrong with one
// is an Error that names the place and what would be right.
namespace runnel::json {

// A value and where it stands, e.g. limits.rpm. A view: its Form must outlive it.
class FormValue {
public:
    FormValue(simdjson::dom::element value, std::string place)
        : value_(value),
          place_(std::move(place)) {}

    const std::string& place() const { return place_; }
    bool is_null() const { return value_.is_null(); }
    bool is_string() const { return value_.is_string(); }
    std::string json() const;  // compact

    Result<std::string> text(std::size_t bytes_max) const;
    // With whatever is in it: line ends, tabs.
    Result<std::string> raw_text(std::size_t bytes_max) const;
    Result<bool> boolean() const;
    Result<std::int64_t> whole_number(std::int64_t least, std::int64_t most) const;
    Result<double> number(double least, double most) const;

    using Field = std::pair<std::string, FormValue>;
    // In their order; where a name is there twice, both are.
    Result<std::vector<Field>> fields() const;
    Result<std::vector<FormValue>> elements() const;

    // "limits.rpm must be a whole number"
    std::unexpected<Error> must_be(std::string_view wanted) const;
    std::unexpected<Error> wrong(std::string_view what) const;

private:
    simdjson::dom::element value_;
    std::string place_;
};

class Form {
public:
    // invalid_json where it is no object. No text at all is an empty one.
    static Result<Form> read(std::string_view text);
    FormValue root() const { return {parser_.doc.root(), ""}; }

private:
    simdjson::dom::parser parser_;
};

}  // namespace runnel::json
