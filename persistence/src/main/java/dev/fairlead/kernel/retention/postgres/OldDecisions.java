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
 * Removes decisions that are over the age of their tenant. A sweep goes through all that can be
 * over one, from the oldest, a bounded number at a time: what a tenant keeps for longer is looked
 * at once in a sweep and does not keep the others waiting.
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
   * The row that was looked at last.
   *
   * @param seen rows that were looked at with it
   */
  private record Place(Instant at, UUID job, long id, int seen) {}

  /**
   * @param age where a tenant has none of its own
   * @return 0 at the end of a sweep; the next one begins at the oldest row
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
