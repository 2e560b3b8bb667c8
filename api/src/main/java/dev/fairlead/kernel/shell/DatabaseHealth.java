package dev.fairlead.kernel.shell;

import dev.fairlead.kernel.lease.Durability;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * Part of readiness: whether the database responds, and a warning if a failover of the database
 * could lose acknowledged writes. The warning does not make the service unready: the setting is the
 * operator's choice.
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
