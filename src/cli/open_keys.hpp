#pragma once

#include "config/config.hpp"
#include "policy/key_ring.hpp"
#include "store/key_keeper.hpp"

#include <memory>

namespace runnel::cli {

// Opens the store for the keys and puts them on the board, which must outlive the keeper. A store
// that can't be read is an error where requests need keys. Elsewhere it is a line in the log, and
// perhaps no keeper at all.
Result<std::unique_ptr<store::KeyKeeper>> open_keys(const config::Config& config,
                                                    policy::KeyRingBoard* board);

}  // namespace runnel::cli
