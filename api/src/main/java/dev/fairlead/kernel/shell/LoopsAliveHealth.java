package dev.fairlead.kernel.shell;

import dev.fairlead.kernel.loop.LoopStatus;
import dev.fairlead.kernel.loop.LoopThreads;
import dev.fairlead.kernel.loop.LoopTimes;
import java.time.Duration;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * Part of liveness: down if a loop's thread has ended or its pass hangs, because only a restart
 * repairs that. A loop with failing passes is alive: the database may be unreachable.
 */
@Component("loopsAlive")
class LoopsAliveHealth extends AbstractHealthIndicator {
  private final LoopThreads loops;
  private final Duration stuckAfter;

  LoopsAliveHealth(LoopThreads loops, LoopTimes times) {
    super("the loops cannot be examined");
    this.loops = loops;
    this.stuckAfter = times.stuckAfter();
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health.up();
    for (LoopStatus loop : loops.statuses()) {
      if (loop.hangs(stuckAfter)) {
        health
            .down()
            .withDetail(
                loop.name(),
                loop.alive()
                    ? "its pass has lasted " + loop.turning().toSeconds() + " s"
                    : "its thread has ended");
      }
    }
  }
}
