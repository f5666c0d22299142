// SPDX-License-Identifier: MIT
// Every variant `hackbench atomics` knows, one line each. Help, --list, the
// check of names, the tables and the benchmark are derived from this list; its
// order is theirs.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "atomics/measure.h"
#include "atomics/variants.h"

namespace hackbench::atomics {

template <class... Variant>
struct Variants {
  static constexpr std::array<VariantEntry, sizeof...(Variant)> kEntries = {
      MakeEntry<Variant>()...};
};

using AtomicList = Variants<            //
    NoneVariant,                        //
    XchgVariant,                        //
    XchgByCmpxchgVariant,               //
    XchgLocalVariant,                   //
    ReadWriteVariant,                   //
    UnsafeThisCpuXchgVariant,           //
    ThisCpuXchgVariant,                 //
    ThisCpuXchgLocalVariant,            //
    ThisCpuXchgBy<ThisCpuRseq>,         //
    ThisCpuXchgBy<ThisCpuLocked>,       //
    RseqStoreVariant,                   //
    CmpxchgVariant,                     //
    CmpxchgLocalVariant,                //
    CmpxchgInstructionVariant,          //
    CmpxchgLoadLinkedVariant,           //
    CmpxchgGenericVariant,              //
    ThisCpuCmpxchgBy<ThisCpuRseq>,      //
    ThisCpuCmpxchgBy<ThisCpuLocked>,    //
    Cmpxchg64Variant<Order::kRelaxed>,  //
    Cmpxchg64Variant<Order::kAcquire>,  //
    Cmpxchg64Variant<Order::kRelease>,  //
    Cmpxchg64Variant<Order::kFull>,     //
    DoubleVariant,                      //
    DoubleLocalVariant,                 //
    DoubleInstructionVariant,           //
    DoubleLoadLinkedVariant,            //
    DoubleBitLockVariant,               //
    ThisCpuDoubleBy<ThisCpuRseq>,       //
    ThisCpuDoubleBy<ThisCpuLocked>,     //
    FetchAddVariant,                    //
    FetchAddLocalVariant,               //
    ThisCpuAddBy<ThisCpuRseq>,          //
    ThisCpuAddBy<ThisCpuLocked>,        //
    FenceVariant,                       //
    RelaxVariant,                       //
    RseqCpuIdVariant,                   //
    RdpidVariant,                       //
    RdtscpVariant,                      //
    LibraryCpuIdVariant>;

inline constexpr auto& kAtomicList = AtomicList::kEntries;

}  // namespace hackbench::atomics
