package dev.fairlead.kernel.lease.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Connections for leases and health. A renewal finds one regardless of other load. */
@Component
class LeasePool implements DisposableBean {
  private static final int CONNECTIONS = 3;
  private static final long WAIT_MILLIS = 3_000;

  /**
   * A slower renewal is as good as lost. The socket timeout is longer than the statement timeout.
   */
  private static final String STATEMENT_LIMIT = "; SET statement_timeout = '10s'";

  /** Leases belong to no tenant. */
  private static final String ROLE = "; SET ROLE fairlead_loops";

  private static final String SOCKET_SECONDS = "15";

  private final HikariDataSource pool;
  private final JdbcClient jdbc;

  LeasePool(JdbcConnectionDetails database, PoolSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("fairlead-leases");
    config.setJdbcUrl(database.getJdbcUrl());
    config.setUsername(database.getUsername());
    config.setPassword(database.getPassword());
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(WAIT_MILLIS);
    config.setInitializationFailTimeout(-1);
    config.setConnectionInitSql(settings.connectionInitSql() + ROLE + STATEMENT_LIMIT);
    config.addDataSourceProperty("ApplicationName", "fairlead-leases");
    config.addDataSourceProperty("socketTimeout", SOCKET_SECONDS);
    this.pool = new HikariDataSource(config);
    this.jdbc = JdbcClient.create(pool);
  }

  JdbcClient jdbc() {
    return jdbc;
  }

  @Override
  public void destroy() {
    pool.close();
  }
}
