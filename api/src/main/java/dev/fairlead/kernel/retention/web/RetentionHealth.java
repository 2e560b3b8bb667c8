package dev.fairlead.kernel.retention.web;

import dev.fairlead.kernel.retention.service.RetentionLag;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * Reports kinds of rows whose deletion is late. It warns and does not make the service unready:
 * requests are still served, and only the tables grow.
 */
@Component("oldRows")
class RetentionHealth extends AbstractHealthIndicator {
  private final RetentionLag lateness;

  RetentionHealth(RetentionLag lateness) {
    super("retention could not be checked");
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
