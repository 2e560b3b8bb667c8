package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reads the fleet at most every two seconds, for one caller at a time. Other callers get the result
 * of the last read.
 */
@Component
public class CachedFleet implements FleetSource {
  private static final Logger LOG = LoggerFactory.getLogger(CachedFleet.class);
  private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long USABLE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long PATIENCE_MILLIS = 250;

  private final InventoryStore inventory;
  private @Nullable CompletableFuture<Seen> reading;
  private volatile @Nullable Seen seen;

  public CachedFleet(InventoryStore inventory) {
    this.inventory = inventory;
  }

  private record Seen(Fleet fleet, long atNanos) {
    boolean younger(long nanos) {
      return System.nanoTime() - atNanos < nanos;
    }
  }

  @Override
  public Fleet now() {
    Seen last = seen;
    if (last != null && last.younger(FRESH_NANOS)) {
      return last.fleet();
    }
    Turn turn = turn();
    if (turn.ours()) {
      read(turn.reading());
    } else if (last != null) {
      return last.fleet();
    }
    return turn.reading().join().fleet();
  }

  @Override
  public Optional<Fleet> soon() {
    Seen last = seen;
    if (last != null && last.younger(FRESH_NANOS)) {
      return Optional.of(last.fleet());
    }
    Turn turn = turn();
    if (turn.ours()) {
      Thread.ofVirtual().name("fleet-reader").start(() -> read(turn.reading()));
    }
    try {
      return Optional.of(turn.reading().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).fleet());
    } catch (TimeoutException | ExecutionException late) {
      LOG.debug("the fleet could not be read in time", late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return last != null && last.younger(USABLE_NANOS)
        ? Optional.of(last.fleet())
        : Optional.empty();
  }

  @Override
  public Fleet afresh() {
    Seen read = new Seen(inventory.fleet(), System.nanoTime());
    seen = read;
    return read.fleet();
  }

  private record Turn(CompletableFuture<Seen> reading, boolean ours) {}

  private synchronized Turn turn() {
    CompletableFuture<Seen> open = reading;
    if (open != null && !open.isDone()) {
      return new Turn(open, false);
    }
    CompletableFuture<Seen> next = new CompletableFuture<>();
    reading = next;
    return new Turn(next, true);
  }

  /** Reads the fleet. Any failure completes the future, so that the next caller reads again. */
  private void read(CompletableFuture<Seen> turn) {
    try {
      Seen now = new Seen(inventory.fleet(), System.nanoTime());
      seen = now;
      turn.complete(now);
    } catch (Throwable failed) {
      turn.completeExceptionally(failed);
    }
  }
}
