package dev.fairlead.kernel.shell;

import dev.fairlead.kernel.lease.Durability;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * Part of readiness: whether the database answers, and a warning where a failover of it could lose
 * acknowledged work. That does not make the service unready: it is the operator's choice.
 */
@Component("database")
class DatabaseHealth extends AbstractHealthIndicator {
  private final Durability durability;

  DatabaseHealth(Durability durability) {
    super("the database does not answer");
    this.durability = durability;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    String warning = durability.warning();
    health.up();
    if (warning != null) {
      health.withDetail("warning", warning);
    }
  }
}
