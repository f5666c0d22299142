// SPDX-License-Identifier: MIT
// Keys of stored rows. Content keys are equal wherever the content is, so that
// files merge; identities are unique and sort by their time of creation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hackbench::results {

// A name-based UUID (RFC 4122, version 5) of the text.
std::string ContentKey(std::string_view text);

// A random UUID (version 4).
std::string RandomKey();

// 48 bits of milliseconds since 1970 and 80 random ones in 26 characters of
// Crockford's base 32: "01J9K3W8...". Later ids sort later.
std::string TimeOrderedId(int64_t unix_ms);

// A seed for plans from the kernel's randomness.
uint64_t RandomSeed();

}  // namespace hackbench::results
