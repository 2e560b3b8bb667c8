package dev.fairlead.bench.simulation;

import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.Transactions;
import java.util.List;
import java.util.Set;

/**
 * A part of the product that a run plays next to its jobs: twins of its stores, its loops, its
 * faults and its invariants. A run has either all areas or none.
 */
interface Area {
  /** The parts of one process that loops of an area need. */
  record Process(Fate fate, Leases leases, Transactions transactions) {}

  /** The product's loops of one process. */
  List<Loop> loops(Process process);

  /** The faults that this area can cause. */
  Set<Fault> faults();

  /** Causes a fault and returns its repair, which may run more than once. */
  Runnable strike(Fault fault);

  /**
   * Checks the invariants of this area after an event.
   *
   * @throws Broken when one does not hold
   */
  void check();
}
