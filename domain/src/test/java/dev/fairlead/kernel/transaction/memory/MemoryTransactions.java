package dev.fairlead.kernel.transaction.memory;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.memory.MemoryLeaseStore;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import java.util.function.Supplier;

/** In-memory implementation of {@link Transactions}. */
public final class MemoryTransactions implements Transactions {
  private final MemoryDatabase database;
  private final MemoryLeaseStore leases;

  public MemoryTransactions(MemoryDatabase database, MemoryLeaseStore leases) {
    this.database = database;
    this.leases = leases;
  }

  @Override
  public <T> T call(Supplier<T> work) {
    return database.call(work);
  }

  @Override
  public <T> T callFenced(HeldLease lease, Supplier<T> work) {
    return database.call(() -> {
      if (!leases.fenceIs(lease.name(), lease.epoch())) {
        throw new FenceLost(lease);
      }
      return work.get();
    });
  }

  @Override
  public <T> T read(Supplier<T> work) {
    return database.read(work);
  }
}
