package dev.fairlead.kernel.transaction;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.lease.HeldLease;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Runs work in one transaction. Stores join the transaction that is open on the thread. A store
 * called outside a transaction opens its own. A deadlock or serialisation failure repeats the whole
 * work (a bounded number of times), so the work reads everything it decides on inside and has no
 * effect outside the database.
 */
public interface Transactions {
  /**
   * @throws UnknownOutcome when the database was lost during the commit
   */
  <T> T call(Supplier<T> work);

  /**
   * Like {@link #call}, but begins by locking the fence row of the lease.
   *
   * @throws FenceLost when the epoch is no longer the fence's. No row was written
   */
  <T> T callFenced(HeldLease lease, Supplier<T> work);

  /** Read-only, one consistent view for all reads of the work. */
  <T> T read(Supplier<T> work);

  /**
   * Runs work of a loop or of an operator's order about the fleet, which reads and writes rows of
   * all tenants. Any other work outside {@link #callFenced} gets the rows of the first tenant that
   * it states, and none before that. Without row-level security, any work can read all rows.
   */
  default <T> T forAllTenants(Supplier<T> work) {
    return call(work);
  }

  /**
   * Runs the work like {@link #call}, for rows of one tenant. Store methods call this method to
   * declare their tenant.
   */
  default <T> T inTenant(Id tenant, Supplier<T> work) {
    return call(work);
  }

  /** Like {@link #inTenant}, without a result. */
  default void runInTenant(Id tenant, Runnable work) {
    inTenant(
        tenant,
        () -> {
          work.run();
          return true;
        });
  }

  /** Like {@link #forAllTenants}, read-only and with one consistent view for all reads. */
  default <T> T readForAllTenants(Supplier<T> work) {
    return read(() -> forAllTenants(work));
  }

  default void run(Runnable work) {
    call(() -> {
      work.run();
      return true;
    });
  }

  /**
   * Like {@link #run}. If the work is a trial, all its writes are rolled back. A trial is therefore
   * refused by the same guards, including the constraints of the database.
   */
  default void runOrTry(boolean trial, Runnable work) {
    try {
      run(() -> {
        work.run();
        if (trial) {
          throw new TrialEnded();
        }
      });
    } catch (TrialEnded undone) { // nothing was refused
    }
  }

  /** Like {@link #runOrTry}, and returns the result of the work. */
  default <T> T callOrTry(boolean trial, Supplier<T> work) {
    AtomicReference<T> made = new AtomicReference<>();
    runOrTry(trial, () -> made.set(work.get()));
    return Objects.requireNonNull(made.get(), "the work was done");
  }

  /** Undoes a trial. */
  final class TrialEnded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private TrialEnded() {
      super("a trial is undone", null, false, false);
    }
  }

  default void runFenced(HeldLease lease, Runnable work) {
    callFenced(
        lease,
        () -> {
          work.run();
          return true;
        });
  }
}
