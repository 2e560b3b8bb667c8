package dev.fairlead.cluster.service;

import dev.fairlead.cluster.FleetSource;
import dev.fairlead.cluster.InventoryStore;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads the fleet at most every two seconds; while one caller reads, the others get what was read
 * before.
 */
@Component
public class CachedFleet implements FleetSource {
  private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();
  private final InventoryStore inventory;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile @Nullable Seen seen;

  public CachedFleet(InventoryStore inventory) {
    this.inventory = inventory;
  }

  private record Seen(Fleet fleet, long atNanos) {
    boolean fresh() {
      return System.nanoTime() - atNanos < FRESH_NANOS;
    }
  }

  @Override
  public Fleet now() {
    Seen last = seen;
    if (last != null && (last.fresh() || reading.isLocked())) {
      return last.fleet();
    }
    reading.lock();
    try {
      Seen again = seen;
      if (again == null || !again.fresh()) {
        Fleet fleet = new Fleet(inventory.clusters(), inventory.nodes(null));
        again = new Seen(fleet, System.nanoTime());
        seen = again;
      }
      return again.fleet();
    } finally {
      reading.unlock();
    }
  }
}
