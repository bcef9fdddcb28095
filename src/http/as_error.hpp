#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace runnel {

// Awaited with this, what fails returns its error and throws nothing.
inline constexpr auto as_error = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace runnel
