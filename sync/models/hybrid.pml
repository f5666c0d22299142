/* SPDX-License-Identifier: MIT
 * The word of sync/hybrid_lock.h: 0 free, 1 held, 2 held and somebody may sleep.
 * Whoever has slept cannot know whether others still do, so it takes the word
 * with 2. */
#define TASKS 3
#define ROUNDS 2

byte word;
byte sleepers;  /* Asleep in the kernel. */
byte wakes;     /* Wakes under way to one of them. */
byte inside;

proctype Task() {
  byte round, old;
  bit got;
  do
  :: round == ROUNDS -> break
  :: else ->
     atomic { got = 0; if :: word == 0 -> word = 1; got = 1 :: else fi }
     if :: got -> goto critical :: else fi;
     do
     :: atomic {
          old = word;
#ifdef MUTANT_SLEEPER_TAKES_ONE
          if :: word == 0 -> word = 1 :: else -> word = 2 fi
#else
          word = 2
#endif
        }
        if :: old == 0 -> break :: else fi;
        atomic { if :: word == 2 -> sleepers++; got = 1 :: else -> got = 0 fi }
        if :: got -> atomic { wakes > 0 -> wakes--; sleepers-- } :: else fi
     od;
critical:
     inside++;
     assert(inside == 1);
     inside--;
#ifdef MUTANT_UNLOCK_LOOKS_FIRST
     old = word;
     word = 0;
#else
     atomic { old = word; word = 0 }
#endif
     if
     :: old == 2 -> atomic { if :: sleepers > wakes -> wakes++ :: else fi }
     :: else
     fi;
     round++
  od
}

init {
  byte i;
  atomic { do :: i == TASKS -> break :: else -> run Task(); i++ od }
  _nr_pr == 1
}
