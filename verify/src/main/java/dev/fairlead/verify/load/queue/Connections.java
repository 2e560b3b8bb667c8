package dev.fairlead.verify.load.queue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fairlead.launcher.EmbeddedDatabase;

/** Connections of a system in this process. */
final class Connections {
  private Connections() {}

  static HikariDataSource to(EmbeddedDatabase database, int most) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url() + "?reWriteBatchedInserts=true");
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(most);
    return new HikariDataSource(config);
  }
}
