// SPDX-License-Identifier: MIT
// Loads and stores of shared words with the order in their name. What reads and
// writes at once is in atomics/cmpxchg.h.
#pragma once

namespace hackbench::sync {

template <class T>
T LoadRelaxed(const T* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

template <class T>
T LoadAcquire(const T* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

template <class T>
void StoreRelaxed(T* word, T value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

template <class T>
void StoreRelease(T* word, T value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

}  // namespace hackbench::sync
