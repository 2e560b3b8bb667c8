package dev.fairlead.kernel.lease.postgres;

import dev.fairlead.kernel.lease.Durability;
import dev.fairlead.kernel.postgres.SqlFile;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link Durability} on PostgreSQL, over the connections of the leases. A health check finds one
 * regardless of other load.
 */
@Component
class PostgresDurability implements Durability {
  private static final SqlFile DURABILITY = SqlFile.named("lease/durability");
  private static final Set<String> UNSAFE = Set.of("off", "local");
  private final JdbcClient jdbc;

  PostgresDurability(LeasePool pool) {
    this.jdbc = pool.jdbc();
  }

  /**
   * @param commits value of synchronous_commit: when a commit is acknowledged
   * @param standby whether the commit waits for another server
   */
  private record Settings(String commits, boolean standby) {}

  @Override
  public @Nullable String warning() {
    Settings settings = jdbc.sql(DURABILITY.text()).query(Settings.class).single();
    if (settings.commits().equals("off")) {
      return "synchronous_commit is off: acknowledged work is lost when the database crashes."
          + " Set it to on";
    }
    if (!settings.standby() || UNSAFE.contains(settings.commits())) {
      return "no standby has all acknowledged commits: a failover may lose them. Set synchronous_standby_names, with "
          + "synchronous_commit on";
    }
    return null;
  }
}
