package dev.fairlead.kernel.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections that cache no plan for longer than {@link #MOST}. The server replaces a cached plan
 * only after the table is analysed, which may be a minute after it grew from empty. Until then a
 * plan made for the empty table would scan the whole table for each requested row.
 */
final class PlanCacheExpiry extends DelegatingDataSource {
  static final Duration MOST = Duration.ofSeconds(2);

  private final LongSupplier nanos;
  private final Map<PGConnection, Long> since = Collections.synchronizedMap(new WeakHashMap<>());

  /**
   * @param nanos monotonic time
   */
  PlanCacheExpiry(DataSource pool, LongSupplier nanos) {
    super(pool);
    this.nanos = nanos;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    try {
      PGConnection session = connection.unwrap(PGConnection.class);
      long now = nanos.getAsLong();
      Long begin = since.putIfAbsent(session, now);
      if (begin != null && now - begin >= MOST.toNanos()) {
        discard(connection);
        since.put(session, now);
      }
      return connection;
    } catch (SQLException broken) {
      connection.close();
      throw broken;
    }
  }

  private static void discard(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DISCARD PLANS");
    }
  }
}
