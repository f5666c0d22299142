/* SPDX-License-Identifier: MIT
 * The queued spinlock of sync/queued_core.h in its whole-word form: three tasks,
 * two rounds each. Each step on the word is atomic, as one instruction is; what
 * lies between two steps may be interleaved at will. Node n belongs to task n. */
#ifndef TASKS
#define TASKS 3
#endif
#define ROUNDS 2

bit held, pending;
byte tail;
byte next[TASKS + 1];
bit granted[TASKS + 1];
byte inside;

proctype Task(byte me) {
  byte round, before, seen_tail;
  bit seen_pending, got;
  do
  :: round == ROUNDS -> break
  :: else ->
     got = 0;
     /* The fast path. */
     atomic { if :: !held && !pending && !tail -> held = 1; got = 1 :: else fi }
     if :: got -> goto critical :: else fi;
     /* A look: pending or a tail sends us to the queue. */
     atomic { seen_pending = pending; seen_tail = tail }
     if :: seen_pending || seen_tail -> goto queue :: else fi;
     atomic { seen_pending = pending; seen_tail = tail; pending = 1 }
     if
     :: seen_pending || seen_tail ->
#ifdef MUTANT_NO_UNDO
        skip;
#elif defined(MUTANT_UNDO_OTHERS)
        pending = 0;
#else
        if :: !seen_pending -> pending = 0 :: else fi;
#endif
        goto queue
     :: else
     fi;
     !held;
     atomic { pending = 0; held = 1 }
     goto critical;

queue:
#ifndef MUTANT_LATE_INIT
     next[me] = 0; granted[me] = 0;
#endif
     atomic { if :: !held && !pending && !tail -> held = 1; got = 1 :: else fi }
     if :: got -> goto critical :: else fi;
     atomic { before = tail; tail = me }
#ifdef MUTANT_LATE_INIT
     next[me] = 0; granted[me] = 0;
#endif
     if
     :: before -> next[before] = me; granted[me]
     :: else
     fi;
     /* The head. */
#ifdef MUTANT_HEAD_IGNORES_PENDING
     atomic { !held -> seen_tail = tail }
#else
     atomic { !held && !pending -> seen_tail = tail }
#endif
     if
     :: seen_tail == me ->
        atomic {
          if
#ifdef MUTANT_LAST_IGNORES_PENDING
          :: tail == me && !held -> tail = 0; pending = 0; held = 1; got = 1
#else
          :: tail == me && !held && !pending -> tail = 0; held = 1; got = 1
#endif
          :: else
          fi
        }
     :: else
     fi;
     if :: got -> goto critical :: else fi;
     atomic { assert(!held); held = 1 }
#ifndef MUTANT_NO_HAND_OVER
     next[me] != 0;
     granted[next[me]] = 1;
#endif

critical:
     inside++;
     assert(inside == 1);
     inside--;
#ifdef MUTANT_UNLOCK_CLEARS_ALL
     atomic { held = 0; pending = 0; tail = 0 }
#else
     held = 0;
#endif
     round++
  od
}

init {
  byte i = 1;
  atomic {
    do :: i > TASKS -> break :: else -> run Task(i); i++ od
  }
  /* No waiter is left behind, and nothing is left in the word. */
  _nr_pr == 1;
  assert(!held && !pending && !tail)
}
