/* SPDX-License-Identifier: MIT
 * sync/lockref.h: a count that changes by compare-exchange while the lock beside
 * it is free, and under the lock otherwise. Nobody may change it while another
 * holds the lock. */
#define TASKS 3
#define ROUNDS 2

bit lock;
short count;
byte inside;

inline Change(delta) {
  /* The compare-exchange: what was seen is lock and count as one word. */
  atomic { seen_lock = lock; seen = count }
  done = 0;
  if
  :: !seen_lock ->
     atomic {
       if
#ifdef MUTANT_COMPARES_COUNT_ONLY
       :: count == seen -> assert(inside == 0); count = seen + delta; done = 1
#else
       :: count == seen && lock == seen_lock ->
          assert(inside == 0); count = seen + delta; done = 1
#endif
       :: else
       fi
     }
  :: else
  fi;
  if
  :: done
  :: else ->
#ifndef MUTANT_FALLS_BACK_WITHOUT_LOCK
     atomic { !lock -> lock = 1 }
#endif
     inside++;
     assert(inside == 1);
#ifdef MUTANT_WRITES_WHAT_IT_SAW
     count = seen + delta;
#else
     seen = count;
     count = seen + delta;
#endif
     inside--;
#ifndef MUTANT_FALLS_BACK_WITHOUT_LOCK
     lock = 0
#endif
  fi
}

proctype Task() {
  byte round;
  short seen;
  bit seen_lock, done;
  do
  :: round == ROUNDS -> break
  :: else -> Change(1); Change(-1); round++
  od
}

/* Holds the lock and relies on the count. */
proctype Holder() {
  short before;
  atomic { !lock -> lock = 1 }
  inside++;
  before = count;
  assert(count == before);
  count = before + 1;
  count = before;
  inside--;
  lock = 0
}

init {
  byte i;
  atomic {
    do :: i == TASKS - 1 -> break :: else -> run Task(); i++ od;
    run Holder()
  }
  _nr_pr == 1;
  assert(count == 0 && !lock)
}
