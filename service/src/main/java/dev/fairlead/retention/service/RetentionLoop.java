package dev.fairlead.retention.service;

import dev.fairlead.event.WakeUps;
import dev.fairlead.loop.LeaseKeeper;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Loop;
import dev.fairlead.retention.Ages;
import dev.fairlead.retention.OldRows;
import java.time.Duration;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Once an hour: room for the coming days, and old rows out of the way, a bounded number at a turn.
 * Every half minute: what was noted one by one is added up.
 */
@Component
public class RetentionLoop implements Loop {
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofHours(1);
  private static final Duration FOLDING = Duration.ofSeconds(30);
  private static final int MOST = 1_000;
  private final LeaseKeeper keeper;
  private final OldRows rows;
  private final Leases leases;
  private long nextAtNanos;
  private long foldAtNanos;

  public RetentionLoop(Leases leases, OldRows rows) {
    this.keeper = leases.keeper("retention");
    this.rows = rows;
    this.leases = leases;
    this.nextAtNanos = leases.clock().nanos() + EVERY.toNanos();
    this.foldAtNanos = leases.clock().nanos() + FOLDING.toNanos();
  }

  @Override
  public String name() {
    return "retention";
  }

  @Override
  public String role() {
    return "relay";
  }

  @Override
  public Duration idle() {
    return keeper.idle(IDLE);
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of();
  }

  @Override
  public boolean tick() {
    if (keeper.tick().isEmpty()) {
      return false;
    }
    if (due(foldAtNanos)) {
      rows.fold();
      foldAtNanos = leases.clock().nanos() + FOLDING.toNanos();
    }
    if (!due(nextAtNanos)) {
      return false;
    }
    rows.prepare();
    if (rows.clear(Ages.DEFAULT, MOST) > 0) {
      return true;
    }
    nextAtNanos = leases.clock().nanos() + EVERY.toNanos();
    return false;
  }

  private boolean due(long atNanos) {
    return leases.clock().nanos() - atNanos >= 0;
  }

  @Override
  public void close() {
    keeper.release();
  }
}
