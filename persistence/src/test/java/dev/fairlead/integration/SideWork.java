package dev.fairlead.integration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Other users of transaction numbers during the test: notifications, sent a few milliseconds after
 * their commit, and the statistics of autovacuum. While one is open, readers see no newer rows
 * ({@code pg_snapshot_xmin}), so a test that reads immediately may miss its own commit.
 */
record SideWork(HikariDataSource pool, JdbcClient jdbc) implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;
  private static final long LOOK_MILLIS = 2;

  /** With the rights of the login role, since statements of other roles are otherwise hidden. */
  static SideWork of(JdbcConnectionDetails database) {
    HikariConfig config = LoopConnections.config(database);
    config.setMaximumPoolSize(1);
    HikariDataSource pool = new HikariDataSource(config);
    return new SideWork(pool, JdbcClient.create(pool));
  }

  /**
   * Returns when all transactions open at the call have ended. Later transactions do not delay the
   * visibility of rows committed by that time.
   */
  void awaitEnd() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (isOpen()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("a notification or autovacuum is open for a minute");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
    }
  }

  private boolean isOpen() {
    return jdbc.sql(
            """
            SELECT EXISTS (SELECT FROM pg_stat_activity
             WHERE backend_xid IS NOT NULL
               AND (backend_type <> 'client backend' OR query LIKE 'SELECT pg_notify%'))
            """)
        .query(Boolean.class)
        .single();
  }

  @Override
  public void close() {
    pool.close();
  }
}
