package dev.fairlead.loop;

import dev.fairlead.lease.LeaseStore;

/** Makes keepers for this process. */
public final class Leases {
  private final LeaseStore store;
  private final LeaseTimes times;
  private final MonotonicClock clock;
  private final String holder;

  public Leases(LeaseStore store, LeaseTimes times, MonotonicClock clock, String holder) {
    this.store = store;
    this.times = times;
    this.clock = clock;
    this.holder = holder;
  }

  public LeaseKeeper keeper(String name) {
    return new LeaseKeeper(name, holder, store, times, clock);
  }

  public String holder() {
    return holder;
  }

  public MonotonicClock clock() {
    return clock;
  }
}
