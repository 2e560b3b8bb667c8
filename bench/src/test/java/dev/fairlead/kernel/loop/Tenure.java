package dev.fairlead.kernel.loop;

/** How long a simulated process has held a lease without a break, to its own knowledge. */
public final class Tenure {
  private Tenure() {}

  /** Number of times the process has acquired the lease, 0 while it does not hold it. */
  public static long of(Leases leases, String lease) {
    LeaseKeeper keeper = leases.keepers().get(lease);
    return keeper != null && keeper.holds() ? keeper.taken() : 0;
  }
}
