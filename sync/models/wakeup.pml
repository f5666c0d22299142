/* SPDX-License-Identifier: MIT
 * Sleep and wake-up of the user plane (hackbench/socket_model.h, wake_line.h):
 * two senders and one receiver over a queue of SLOTS. A sleeper registers under
 * the lock, and takes exactly one token; whoever withdraws registrations gives
 * one for each. Space is announced only when the queue is empty enough. The
 * search finds a lost wake-up as a state in which nobody can go on; at the end
 * no token and no sleeper may be left. */
#define SENDERS 2
#define MESSAGES 3
#define SLOTS 2
#define LOW 0 /* Writers are woken when so few are left. */

bit locked;
byte queued;
bit reader_asleep;
byte space_sleepers;
byte reader_tokens; /* Bytes under way to the receiver. */
byte space_tokens;  /* And to those who wait for space. */
byte done;

#define LOCK atomic { locked == 0 -> locked = 1 }
#define UNLOCK locked = 0

proctype Sender() {
  byte sent;
  bit wake, no_room;
  do
  :: sent == MESSAGES -> break
  :: else ->
     /* The look without the lock may be out of date either way: two senders
      * may find the last slot free, so the ring has one more for each. */
     do
     :: queued < SLOTS -> break
     :: queued >= SLOTS ->
        LOCK;
#ifdef MUTANT_NO_SECOND_LOOK
        no_room = 1;
#else
        no_room = (queued >= SLOTS);
#endif
        if
        :: no_room ->
#ifdef MUTANT_FLAG_FOR_COUNT
           space_sleepers = 1
#else
           space_sleepers++
#endif
        :: else
        fi;
        UNLOCK;
        if
        :: no_room -> atomic { space_tokens > 0 -> space_tokens-- }
        :: else
        fi
     od;
     LOCK;
     queued++;
     assert(queued <= SLOTS + SENDERS - 1);
     wake = reader_asleep;
     reader_asleep = 0;
     UNLOCK;
     if
     :: wake -> reader_tokens++
     :: else
     fi;
     sent++
  od;
  done++
}

proctype Receiver() {
  byte received, sleepers;
  do
  :: received == SENDERS * MESSAGES -> break
  :: else ->
     do
     :: LOCK;
        if
        :: queued > 0 -> break
        :: else ->
#ifdef MUTANT_REGISTERS_AFTER_UNLOCK
           UNLOCK;
           reader_asleep = 1;
#else
           reader_asleep = 1;
           UNLOCK;
#endif
           atomic { reader_tokens > 0 -> reader_tokens-- }
        fi
     od;
     queued--;
     received++;
     sleepers = 0;
     if
     :: queued <= LOW ->
        sleepers = space_sleepers;
        space_sleepers = 0
     :: else
     fi;
     UNLOCK;
#ifdef MUTANT_WAKES_ONE
     if :: sleepers > 1 -> sleepers = 1 :: else fi;
#endif
     space_tokens = space_tokens + sleepers
  od;
  done++;
  atomic { done == SENDERS + 1 ->
    assert(reader_tokens == 0 && space_tokens == 0);
    assert(reader_asleep == 0 && space_sleepers == 0)
  }
}

init {
  atomic {
    byte i;
    for (i : 1 .. SENDERS) { run Sender() }
    run Receiver()
  }
}
