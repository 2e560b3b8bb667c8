package dev.fairlead.kernel.retention.web;

import dev.fairlead.kernel.retention.service.Lateness;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * Which old rows should have gone long ago. It warns and does not make the service unready:
 * requests are served all the same, only the tables grow.
 */
@Component("oldRows")
class RetentionHealth extends AbstractHealthIndicator {
  private final Lateness lateness;

  RetentionHealth(Lateness lateness) {
    super("retention cannot be asked");
    this.lateness = lateness;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health.up();
    lateness
        .late()
        .forEach(
            (kind, over) -> health.withDetail("late " + kind, over.toHours() + " h over its age"));
  }
}
