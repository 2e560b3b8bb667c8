package dev.fairlead.kernel.retention.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Deletes decisions beyond the retention of their tenant. A sweep checks all candidates from the
 * oldest, a bounded number at a time: rows with a longer retention are checked once in a sweep and
 * do not delay the others.
 */
@Component
class OldDecisions {
  private static final SqlFile SWEEP = SqlFile.named("retention/delete-decisions");
  private static final Place FIRST = new Place(Instant.EPOCH, new UUID(0, 0), 0, 0);

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private Place last = FIRST;

  OldDecisions(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  /**
   * The last checked row.
   *
   * @param seen number of checked rows
   */
  private record Place(Instant at, UUID job, long id, int seen) {}

  /**
   * @param age retention of tenants without their own
   * @return 0 at the end of a sweep. The next sweep begins at the oldest row
   */
  synchronized int clear(Duration age, int limit) {
    Optional<Place> next = transactions.forAllTenants(() -> sweep(age, limit));
    boolean more = next.filter(place -> place.seen() == limit).isPresent();
    last = more ? next.orElseThrow() : FIRST;
    return more ? limit : 0;
  }

  private Optional<Place> sweep(Duration age, int limit) {
    return jdbc.sql(SWEEP.text())
        .param("days", age.toDays())
        .param("at", last.at().toString())
        .param("job", last.job())
        .param("id", last.id())
        .param("limit", limit)
        .query((row, n) -> place(row))
        .optional();
  }

  private static Place place(ResultSet row) throws SQLException {
    return new Place(
        Columns.instant(row, "at"),
        Columns.uuid(row, "job"),
        row.getLong("id"),
        row.getInt("seen"));
  }
}
