// SPDX-License-Identifier: MIT
#include "results/hash.h"

#include <sys/random.h>

#include <array>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hackbench::results {
namespace {

void FillRandom(void* to, size_t size) {
  // 256 bytes or fewer never come back short once the pool is up.
  while (getrandom(to, size, 0) < 0) {
    if (errno != EINTR) std::abort();
  }
}

// The name space of this project's keys, itself a random UUID.
constexpr boost::uuids::uuid kNameSpace = {{0x5c, 0x1e, 0x83, 0x0a, 0x7b, 0xd4,
                                            0x4f, 0x62, 0x9c, 0x35, 0xe7, 0x11,
                                            0x2f, 0x08, 0xa6, 0xd9}};

}  // namespace

std::string ContentKey(std::string_view text) {
  boost::uuids::name_generator_sha1 generate(kNameSpace);
  return boost::uuids::to_string(generate(text.data(), text.size()));
}

std::string RandomKey() {
  boost::uuids::uuid uuid;
  FillRandom(uuid.data, sizeof(uuid.data));
  uuid.data[6] = static_cast<uint8_t>((uuid.data[6] & 0x0f) | 0x40);
  uuid.data[8] = static_cast<uint8_t>((uuid.data[8] & 0x3f) | 0x80);
  return boost::uuids::to_string(uuid);
}

std::string TimeOrderedId(int64_t unix_ms) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string id(26, '0');
  auto time = static_cast<uint64_t>(unix_ms);
  for (int i = 9; i >= 0; --i, time >>= 5) id[i] = kDigits[time & 31];
  std::array<uint8_t, 16> random;
  FillRandom(random.data(), random.size());
  for (size_t i = 0; i < 16; ++i) id[10 + i] = kDigits[random[i] & 31];
  return id;
}

uint64_t RandomSeed() {
  uint64_t seed = 0;
  FillRandom(&seed, sizeof(seed));
  // Small enough for a double, JSON and people.
  return seed & 0xffffffffu;
}

}  // namespace hackbench::results
