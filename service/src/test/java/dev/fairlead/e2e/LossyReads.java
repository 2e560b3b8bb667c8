package dev.fairlead.e2e;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import java.util.List;
import java.util.function.Supplier;

/** Transactions of a supervisor whose reads can fail with their connection. */
final class LossyReads implements Transactions {
  private final Transactions real;
  private int lost;
  private int reads;
  private int attempts;

  LossyReads(Transactions real) {
    this.real = real;
  }

  /** The next reads fail. */
  void lose(int times) {
    lost = times;
  }

  int reads() {
    return reads;
  }

  /** Rows of all lists that were read. */
  int attempts() {
    return attempts;
  }

  @Override
  public <T> T call(Supplier<T> work) {
    return real.call(work);
  }

  @Override
  public <T> T callFenced(HeldLease lease, Supplier<T> work) {
    return real.callFenced(lease, work);
  }

  @Override
  public <T> T read(Supplier<T> work) {
    reads++;
    if (lost > 0) {
      lost--;
      throw new IllegalStateException("the connection is gone");
    }
    T found = real.read(work);
    attempts += found instanceof List<?> cases ? cases.size() : 0;
    return found;
  }
}
