#pragma once

#include "base/error.hpp"

#include <expected>
#include <utility>

namespace runnel {

// The one currency of failure on the request path: a value, or the Error that explains its absence.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
public:
    using std::expected<T, Error>::expected;
};

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
    return std::unexpected(Error{kind, std::move(message)});
}

inline std::unexpected<Error> fail_at(ErrorKind kind, std::string param, std::string message) {
    return std::unexpected(Error{kind, std::move(message), std::move(param)});
}

inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

// Hands a failed result's error on to the caller's own Result type.
template <class T>
std::unexpected<Error> propagate(Result<T>& failed) {
    return std::unexpected(std::move(failed.error()));
}

}  // namespace runnel
