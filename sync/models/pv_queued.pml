/* SPDX-License-Identifier: MIT
 * Sleep and wake of sync/pv_queued_lock.h: the head sleeps on the lock's word
 * (held is then 3), the others on their nodes (state 2). A futex wait sleeps
 * only while the value stands, in one step; a wake ends the sleep. Stealing is
 * on until the head forbids it, which it may do at any time. */
#define TASKS 3
#define ROUNDS 2
#define WAITING 0
#define GRANTED 1
#define SLEEPING 2

byte held;
bit pending;
byte tail;
byte next[TASKS + 1];
byte state[TASKS + 1];
bit asleep_on_node[TASKS + 1];
bit asleep_on_word;
byte sleepers_on_word;
byte inside;

proctype Task(byte me) {
  byte round, before, old;
  bit got, forbidden;
  do
  :: round == ROUNDS -> break
  :: else ->
     got = 0; forbidden = 0;
     atomic { if :: held == 0 && !pending && !tail -> held = 1; got = 1 :: else fi }
     if :: got -> goto critical :: else fi;
     /* A steal, once: look, then the low half at once. */
     if
     :: held == 0 && !pending ->
        atomic {
          if
#ifdef MUTANT_STEAL_IGNORES_PENDING
          :: held == 0 -> held = 1; got = 1
#else
          :: held == 0 && !pending -> held = 1; got = 1
#endif
          :: else
          fi
        }
     :: else
     fi;
     if :: got -> goto critical :: else fi;

     next[me] = 0; state[me] = WAITING;
     atomic { before = tail; tail = me }
     if
     :: before ->
        next[before] = me;
#ifdef MUTANT_PLAIN_SLEEP_MARK
        if :: state[me] != GRANTED -> state[me] = SLEEPING :: else fi;
#else
        atomic { if :: state[me] == WAITING -> state[me] = SLEEPING :: else fi }
#endif
        do
        :: state[me] == GRANTED -> break
        :: else ->
           atomic { if :: state[me] == SLEEPING -> asleep_on_node[me] = 1 :: else fi }
           !asleep_on_node[me]
        od
     :: else
     fi;

     /* The head, until the lock is ours. */
     do
     :: got -> break
     :: !got && !forbidden -> pending = 1; forbidden = 1
     :: !got && forbidden && held == 0 ->
        atomic { pending = 0; held = 1; got = 1 }
     :: !got && !forbidden && held == 0 && !pending ->
        atomic { if :: held == 0 && !pending -> held = 1; got = 1 :: else fi }
     :: !got && held != 0 ->
#ifndef MUTANT_HEAD_LEAVES_NO_MARK
        atomic { if :: held == 1 -> held = 3 :: else fi }
#endif
        atomic {
          if
#ifdef MUTANT_HEAD_LEAVES_NO_MARK
          :: held != 0 -> asleep_on_word = 1
#else
          :: held == 3 -> asleep_on_word = 1
#endif
          :: else
          fi
        }
        !asleep_on_word
     od;
     if
     :: next[me] == 0 ->
        atomic { if :: tail == me -> tail = 0; goto critical :: else fi }
     :: else
     fi;
     next[me] != 0;
     atomic { old = state[next[me]]; state[next[me]] = GRANTED }
#ifndef MUTANT_GRANT_WAKES_NOBODY
     if :: old == SLEEPING -> asleep_on_node[next[me]] = 0 :: else fi;
#endif

critical:
     inside++;
     assert(inside == 1);
     inside--;
#ifdef MUTANT_UNLOCK_FORGETS_HEAD
     held = 0;
#else
     atomic { old = held; held = 0 }
     if :: old == 3 -> asleep_on_word = 0 :: else fi;
#endif
     round++
  od
}

init {
  byte i = 1;
  atomic { do :: i > TASKS -> break :: else -> run Task(i); i++ od }
  _nr_pr == 1;
  assert(held == 0 && !pending && !tail)
}
