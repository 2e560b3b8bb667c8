package dev.fairlead.integration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Connections of a test that see all tenants, separate from those of the service. */
record LoopConnections(HikariDataSource pool, JdbcClient jdbc) implements AutoCloseable {
  static LoopConnections of(JdbcConnectionDetails database) {
    HikariConfig config = config(database);
    config.setMaximumPoolSize(4);
    config.setConnectionInitSql("SET ROLE fairlead_loops");
    HikariDataSource pool = new HikariDataSource(config);
    return new LoopConnections(pool, JdbcClient.create(pool));
  }

  /** Of connections that are opened on demand. */
  static HikariConfig config(JdbcConnectionDetails database) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.getJdbcUrl());
    config.setUsername(database.getUsername());
    config.setPassword(database.getPassword());
    config.setMinimumIdle(0);
    return config;
  }

  @Override
  public void close() {
    pool.close();
  }
}
