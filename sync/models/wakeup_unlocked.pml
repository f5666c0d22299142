/* SPDX-License-Identifier: MIT
 * The same protocol with --lock none (hackbench/user_lock.h): one sender, one
 * receiver, no lock. A sleeper registers, then looks again; whoever changes the
 * queue looks for a sleeper after its change is seen. Who takes the
 * registration back by the exchange decides whether a token is owed. Stores may
 * be delayed past later loads, as on x86 and weaker, unless a fence stands
 * between: each side's last store waits in a buffer of one. */
#define MESSAGES 3
#define SLOTS 1

byte appended, taken;           /* As memory has them. */
bit reader_asleep, space_asleep;
byte reader_tokens, space_tokens;

/* Store buffers: what the other side does not see yet. */
byte pending_appended, pending_taken;

#define FLUSH_SENDER appended = pending_appended
#define FLUSH_RECEIVER taken = pending_taken

/* The buffers drain whenever they like. */
active proctype Memory() {
end:
  do
  :: atomic { appended != pending_appended -> FLUSH_SENDER }
  :: atomic { taken != pending_taken -> FLUSH_RECEIVER }
  od
}

active proctype Sender() {
  byte sent;
  bit claimed;
  do
  :: sent == MESSAGES -> break
  :: else ->
     do
     :: pending_appended - taken < SLOTS -> break
     :: else ->
        space_asleep = 1;
        if
        :: pending_appended - taken < SLOTS ->
           atomic { claimed = space_asleep; space_asleep = 0 };
           if
           :: claimed -> skip
           :: else -> atomic { space_tokens > 0 -> space_tokens-- }
           fi
        :: else -> atomic { space_tokens > 0 -> space_tokens-- }
        fi
     od;
     pending_appended++;
#ifndef MUTANT_SENDER_NO_FENCE
     FLUSH_SENDER;
#endif
     if
     :: reader_asleep ->
        atomic { claimed = reader_asleep; reader_asleep = 0 };
        if
        :: claimed -> reader_tokens++
        :: else
        fi
     :: else
     fi;
     sent++
  od
}

active proctype Receiver() {
  byte received;
  bit claimed;
  do
  :: received == MESSAGES -> break
  :: else ->
     do
     :: appended != pending_taken -> break
     :: else ->
        reader_asleep = 1;
        if
#ifndef MUTANT_NO_SECOND_LOOK
        :: appended != pending_taken ->
           atomic { claimed = reader_asleep; reader_asleep = 0 };
           if
           :: claimed -> skip
#ifdef MUTANT_FORGETS_THE_TOKEN
           :: else -> skip
#else
           :: else -> atomic { reader_tokens > 0 -> reader_tokens-- }
#endif
           fi
        :: else -> atomic { reader_tokens > 0 -> reader_tokens-- }
#else
        :: 1 -> atomic { reader_tokens > 0 -> reader_tokens-- }
#endif
        fi
     od;
     pending_taken++;
#ifndef MUTANT_RECEIVER_NO_FENCE
     FLUSH_RECEIVER;
#endif
     received++;
     if
     :: space_asleep ->
        atomic { claimed = space_asleep; space_asleep = 0 };
        if
        :: claimed -> space_tokens++
        :: else
        fi
     :: else
     fi
  od;
  /* The sender has ended by now or will without us. */
  assert(reader_asleep == 0);
  assert(reader_tokens == 0)
}
