package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.lease.LeaseStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Makes keepers for this process. */
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

  /** Of all leases that there are. */
  public List<String> names() {
    return store.names();
  }

  /** Its loop has ended here: the lease stays, and this process takes no part in it any more. */
  public void drop(String name) {
    keepers.remove(name);
  }

  /** Removes the lease, and its keeper here, for good. */
  public void forget(String name) {
    keepers.remove(name);
    store.remove(name);
  }

  /**
   * Keeps every lease that is held, whatever its loop is doing; to be called {@link #beatEvery}.
   */
  public void beat() {
    keepers.values().forEach(LeaseKeeper::beat);
  }

  public Duration beatEvery() {
    return times.renew().dividedBy(4);
  }

  /** Of this process, by name. */
  Map<String, LeaseKeeper> keepers() {
    return Collections.unmodifiableMap(keepers);
  }

  public String holder() {
    return holder;
  }

  public MonotonicClock clock() {
    return clock;
  }
}
