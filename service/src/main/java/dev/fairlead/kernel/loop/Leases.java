package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.lease.LeaseStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Creates lease keepers for this process. */
public final class Leases {
  private final LeaseStore store;
  private final LeaseTimes times;
  private final MonotonicClock clock;
  private final String holder;
  private final Map<String, LeaseKeeper> keepers = new ConcurrentSkipListMap<>();

  public Leases(LeaseStore store, LeaseTimes times, MonotonicClock clock, String holder) {
    this.store = store;
    this.times = times;
    this.clock = clock;
    this.holder = holder;
    store.whenSessionEnds(() -> keepers.values().forEach(LeaseKeeper::doubt));
  }

  public LeaseKeeper keeper(String name) {
    LeaseKeeper keeper = new LeaseKeeper(name, holder, store, times, clock);
    keepers.put(name, keeper);
    return keeper;
  }

  public List<String> names() {
    return store.names();
  }

  /** Drops the keeper after its loop has ended in this process. The lease remains. */
  public void drop(String name) {
    keepers.remove(name);
  }

  /** Deletes the lease and its keeper in this process. */
  public void forget(String name) {
    keepers.remove(name);
    store.remove(name);
  }

  /**
   * Renews every held lease, independently of its loop. Must be called every {@link #beatEvery}.
   */
  public void beat() {
    keepers.values().forEach(LeaseKeeper::beat);
  }

  public Duration beatEvery() {
    return times.renew().dividedBy(4);
  }

  /** Keepers of this process, by name. */
  Map<String, LeaseKeeper> keepers() {
    return Collections.unmodifiableMap(keepers);
  }

  public MonotonicClock clock() {
    return clock;
  }
}
