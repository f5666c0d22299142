// SPDX-License-Identifier: MIT
// Every lock, one line each; its order is that of tables and lists. Names,
// summaries and traits stand in the locks.
#pragma once

#include "sync/absl_lock.h"
#include "sync/busted_lock.h"
#include "sync/clh_lock.h"
#include "sync/cna_lock.h"
#include "sync/hybrid_lock.h"
#include "sync/mcs_lock.h"
#include "sync/none_lock.h"
#include "sync/pthread_lock.h"
#include "sync/pv_queued_lock.h"
#include "sync/qrw_lock.h"
#include "sync/queued_lock.h"
#include "sync/queued_word_lock.h"
#include "sync/resilient_lock.h"
#include "sync/robust_lock.h"
#include "sync/shuffle_lock.h"
#include "sync/std_lock.h"
#include "sync/tas_lock.h"
#include "sync/ticket8_lock.h"
#include "sync/ticket_lock.h"
#include "sync/ttas_lock.h"

namespace hackbench::sync {

template <Lockable... L>
struct Locks {};

using LockList = Locks<   //
    NoneLock,             //
    BustedLock,           //
    TasLock,              //
    TtasLock,             //
    TicketLock,           //
    Ticket8Lock,          //
    McsLock,              //
    ClhLock,              //
    QueuedLock,           //
    QueuedInlineLock,     //
    QueuedWordLock,       //
    PvQueuedLock,         //
    PvQueuedStealLock,    //
    HybridLock,           //
    RobustLock,           //
    ResilientLock,        //
    QrwLock,              //
    QrwAdaptiveLock,      //
    CnaLock,              //
    ShuffleLock,          //
    PthreadSpinLock,      //
    PthreadNormalLock,    //
    PthreadAdaptiveLock,  //
    PthreadRobustLock,    //
    PthreadInheritLock,   //
    StdLock,              //
    AbslLock>;

}  // namespace hackbench::sync
