package dev.fairlead.verify.simulation.world;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One process's way to the database: it may crash, pause or lose its connection around a commit.
 */
public final class FaultyTransactions implements Transactions {
  private final MemoryStores stores;
  private final ProcessLife life;
  private final VirtualTime time;
  private final Set<Guard> missing;

  public FaultyTransactions(
      MemoryStores stores, ProcessLife life, VirtualTime time, Set<Guard> missing) {
    this.stores = stores;
    this.life = life;
    this.time = time;
    this.missing = missing;
  }

  @Override
  public <T> T call(Supplier<T> work) {
    boolean hasty =
        missing.contains(Guard.ACK)
            && !stores.database().inTransaction()
            && life.faults().strikes(Fault.DATABASE_BEFORE);
    return hasty ? undone(work) : outside(() -> stores.transactions().call(work));
  }

  /** Without the guard, the response precedes the commit, which then fails. */
  private <T> T undone(Supplier<T> work) {
    List<T> answer = new ArrayList<>();
    try {
      stores
          .transactions()
          .call(() -> {
            answer.add(work.get());
            throw new Undone();
          });
    } catch (Undone told) {
      time.say(() -> life.name() + " gets a success without a commit");
    }
    return answer.getFirst();
  }

  private static final class Undone extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public <T> T callFenced(HeldLease lease, Supplier<T> work) {
    return outside(() ->
        missing.contains(Guard.FENCE) || missing.contains(Guard.FENCE_CHECK)
            ? stores.transactions().call(() -> watched(lease, work))
            : stores.transactions().callFenced(lease, () -> watched(lease, work)));
  }

  @Override
  public <T> T read(Supplier<T> work) {
    return outside(() -> stores.transactions().read(work));
  }

  private <T> T watched(HeldLease lease, Supplier<T> work) {
    T result = work.get();
    if (!missing.contains(Guard.FENCE_CHECK)
        && !stores.leases().fenceIs(lease.name(), lease.epoch())) {
      time.fail(new InvariantBroken(Invariant.NO_DEPOSED_WRITER, lease.toString()));
    }
    return result;
  }

  private <T> T outside(Supplier<T> work) {
    if (stores.database().inTransaction()) {
      return work.get();
    }
    life.step("transaction");
    if (life.faults().strikes(Fault.DATABASE_BEFORE)) {
      throw new IllegalStateException("simulated: connection lost before the commit");
    }
    T result = work.get();
    life.step("commit");
    if (life.faults().strikes(Fault.DATABASE_AFTER)) {
      throw new UnknownOutcome(new IllegalStateException("simulated: connection lost"));
    }
    return result;
  }
}
