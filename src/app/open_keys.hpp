#pragma once

#include "access/key_ring.hpp"
#include "config/config.hpp"
#include "storage/keys/key_keeper.hpp"

#include <memory>

namespace runnel::app {

// Opens the store for the keys and puts them on the board, which must outlive the keeper. A store
// that can't be read is an error where requests need keys. Elsewhere it is a line in the log, and
// perhaps no keeper at all.
Result<std::unique_ptr<storage::KeyKeeper>> open_keys(const config::Config& config,
                                                      access::KeyRingBoard* board);

}  // namespace runnel::app
