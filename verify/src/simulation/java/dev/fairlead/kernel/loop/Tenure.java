package dev.fairlead.kernel.loop;

/** Time for which a simulated process believes it has held a lease without a break. */
public final class Tenure {
  private Tenure() {}

  /** Number of times the process has acquired the lease, 0 while it does not hold it. */
  public static long of(Leases leases, String lease) {
    LeaseKeeper keeper = leases.keepers().get(lease);
    return keeper != null && keeper.holds() ? keeper.taken() : 0;
  }
}
