// SPDX-License-Identifier: MIT
// Loads and stores of shared words with the order in their name. What reads and
// writes at once is in atomics/cmpxchg.h. The forms with pointers: those by
// value take no enumerations in clang.
#pragma once

namespace hackbench::sync {

template <class T>
T LoadRelaxed(const T* word) {
  T value;
  __atomic_load(word, &value, __ATOMIC_RELAXED);
  return value;
}

template <class T>
T LoadAcquire(const T* word) {
  T value;
  __atomic_load(word, &value, __ATOMIC_ACQUIRE);
  return value;
}

template <class T>
void StoreRelaxed(T* word, T value) {
  __atomic_store(word, &value, __ATOMIC_RELAXED);
}

template <class T>
void StoreRelease(T* word, T value) {
  __atomic_store(word, &value, __ATOMIC_RELEASE);
}

}  // namespace hackbench::sync
