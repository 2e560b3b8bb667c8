package dev.fairlead.retention.service;

import dev.fairlead.event.WakeUps;
import dev.fairlead.loop.LeaseKeeper;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Loop;
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
  private final LeaseKeeper keeper;
  private final OldRows rows;
  private final Clearing clearing;
  private final Lateness lateness;
  private final Leases leases;
  private long nextAtNanos;
  private long foldAtNanos;
  private long lookAtNanos;

  public RetentionLoop(Leases leases, OldRows rows, Clearing clearing, Lateness lateness) {
    this.keeper = leases.keeper("retention");
    this.rows = rows;
    this.clearing = clearing;
    this.lateness = lateness;
    this.leases = leases;
    long now = leases.clock().nanos();
    this.nextAtNanos = now + EVERY.toNanos();
    this.foldAtNanos = now + FOLDING.toNanos();
    this.lookAtNanos = now + Lateness.EVERY.toNanos();
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
      lateness.forget();
      return false;
    }
    Steps steps = new Steps();
    if (due(foldAtNanos)) {
      steps.run(rows::fold);
      foldAtNanos = leases.clock().nanos() + FOLDING.toNanos();
    }
    if (due(lookAtNanos)) {
      steps.run(lateness::look);
      lookAtNanos = leases.clock().nanos() + Lateness.EVERY.toNanos();
    }
    boolean more = due(nextAtNanos) && clear(steps);
    steps.rethrow();
    return more;
  }

  /** Whether there is more; the hour is over only when all kinds were cleared without a failure. */
  private boolean clear(Steps steps) {
    steps.run(rows::prepare);
    boolean more = clearing.turn(steps);
    if (!more && !steps.failed()) {
      nextAtNanos = leases.clock().nanos() + EVERY.toNanos();
    }
    return more;
  }

  private boolean due(long atNanos) {
    return leases.clock().nanos() - atNanos >= 0;
  }

  @Override
  public void close() {
    keeper.release();
  }
}
