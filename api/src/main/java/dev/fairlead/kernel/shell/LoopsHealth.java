package dev.fairlead.kernel.shell;

import dev.fairlead.kernel.loop.LoopStatus;
import dev.fairlead.kernel.loop.LoopThreads;
import dev.fairlead.kernel.loop.LoopTimes;
import java.time.Duration;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.stereotype.Component;

/**
 * The last success of each loop. {@code DEGRADED} if a loop has had none for long. Part of neither
 * liveness nor readiness, because the API works without loops.
 */
@Component("loopTurns")
class LoopsHealth extends AbstractHealthIndicator {
  static final Status DEGRADED = new Status("DEGRADED");
  private final LoopThreads loops;
  private final Duration lateAfter;

  LoopsHealth(LoopThreads loops, LoopTimes times) {
    super("the loops cannot be examined");
    this.loops = loops;
    this.lateAfter = times.lateAfter();
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health.up();
    for (LoopStatus loop : loops.statuses()) {
      if (loop.sinceSuccess().compareTo(lateAfter) > 0) {
        health.status(DEGRADED);
      }
      health.withDetail(loop.name(), "last success " + loop.sinceSuccess().toSeconds() + " s ago");
    }
  }
}
