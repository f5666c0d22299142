// SPDX-License-Identifier: MIT
// The types behind allocator_list.h, for code that instantiates loops for each
// of them. Heavy to compile: include it in few files.
#pragma once

#include "alloc/debug_engine.h"
#include "alloc/engines.h"
#include "alloc/owned_engine.h"
#include "alloc/plain_engines.h"
#include "alloc/sheaf_engine.h"

namespace hackbench::alloc {

template <class... E>
struct EngineTypes {};

// The statistics are a property of the build of an engine, not of its name.
template <StatsMode kStats>
using AllEngines = EngineTypes<    //
    NoneEngine,                    //
    MallocEngine,                  //
    LockedCache<kStats>,           //
    LockedPerCpu<kStats>,          //
    BasePopf<kStats>,              //
    BaseFlag<kStats>,              //
    BaseSigmask<kStats>,           //
    CmpxchgDouble<kStats>,         //
    CmpxchgDoubleBitLock<kStats>,  //
    CmpxchgDoublePacked<kStats>,   //
    CmpxchgLocalLock16<kStats>,    //
    CmpxchgLocalRseq16<kStats>,    //
    CmpxchgLocalRseq8<kStats>,     //
    CmpxchgLocalRseq<kStats>,      //
    CmpxchgLocalPacked<kStats>,    //
    CmpxchgLocalHardened<kStats>,  //
    Sheaves<kStats>,               //
    SheavesTryLock<kStats>,        //
    Owned<kStats>,                 //
    Best<kStats>,                  //
    DebugEngine<kStats>,           //
    Aba<kStats>>;

}  // namespace hackbench::alloc
