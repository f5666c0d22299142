/* SPDX-License-Identifier: MIT
 * The ticket spinlock, with tickets of two bits so that they wrap at once. */
#define TASKS 3
#define ROUNDS 3
#define MASK 3

byte word;  /* next << 2 | serving */
byte inside;
#define NEXT(w) ((w) >> 2 & MASK)
#define SERVING(w) ((w) & MASK)

proctype Task() {
  byte round, mine;
  do
  :: round == ROUNDS -> break
  :: else ->
#ifdef MUTANT_TWO_STEP_TICKET
     mine = NEXT(word);
     word = (mine + 1 & MASK) << 2 | SERVING(word);
#else
     atomic { mine = NEXT(word); word = (mine + 1 & MASK) << 2 | SERVING(word) }
#endif
#ifdef MUTANT_WAITS_FOR_ANY_TURN
     SERVING(word) != (mine + 1 & MASK);
#else
     SERVING(word) == mine;
#endif
     inside++;
     assert(inside == 1);
     inside--;
#ifdef MUTANT_UNLOCK_CARRIES
     atomic { word = (word + 1) & 15 }
#else
     atomic { word = NEXT(word) << 2 | (SERVING(word) + 1 & MASK) }
#endif
     round++
  od
}

init {
  byte i;
  atomic { do :: i == TASKS -> break :: else -> run Task(); i++ od }
  _nr_pr == 1;
  assert(NEXT(word) == SERVING(word))
}
