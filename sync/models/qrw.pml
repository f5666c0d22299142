/* SPDX-License-Identifier: MIT
 * The queued reader-writer lock of sync/qrw_lock.h; its inner lock is a bit here
 * and has a model of its own. */
#define READERS 2
#define WRITERS 2
#define ROUNDS 2

bit writer, waiting, queue;
byte readers;
byte reading, writing;

#define LOCK_QUEUE atomic { !queue -> queue = 1 }
#define UNLOCK_QUEUE queue = 0

proctype Reader() {
  byte round;
  bit busy;
  do
  :: round == ROUNDS -> break
  :: else ->
     atomic { readers++; busy = writer || waiting }
     if
     :: busy ->
#ifndef MUTANT_READER_STAYS_COUNTED
        readers--;
#endif
        LOCK_QUEUE;
#ifndef MUTANT_READER_STAYS_COUNTED
        readers++;
#endif
#ifndef MUTANT_READER_WAITS_FOR_NOBODY
        !writer;
#endif
        UNLOCK_QUEUE
     :: else
     fi;
     reading++;
     assert(writing == 0);
     reading--;
     readers--;
     round++
  od
}

proctype Writer() {
  byte round;
  bit got;
  do
  :: round == ROUNDS -> break
  :: else ->
     atomic { got = 0; if :: !writer && !waiting && readers == 0 -> writer = 1; got = 1 :: else fi }
     if
     :: got
     :: else ->
        LOCK_QUEUE;
        atomic { if :: !writer && !waiting && readers == 0 -> writer = 1; got = 1 :: else fi }
        if
        :: got
        :: else ->
           waiting = 1;
#ifdef MUTANT_WRITER_LOOKS_THEN_STORES
           !writer && readers == 0;
           atomic { waiting = 0; writer = 1; readers = 0 }
#else
           atomic { !writer && readers == 0 -> waiting = 0; writer = 1 }
#endif
        fi;
        UNLOCK_QUEUE
     fi;
     writing++;
     assert(writing == 1 && reading == 0);
     writing--;
     writer = 0;
     round++
  od
}

init {
  byte i;
  atomic {
    do :: i == READERS -> break :: else -> run Reader(); i++ od;
    i = 0;
    do :: i == WRITERS -> break :: else -> run Writer(); i++ od
  }
  _nr_pr == 1;
  assert(!writer && !waiting && !queue && readers == 0)
}
