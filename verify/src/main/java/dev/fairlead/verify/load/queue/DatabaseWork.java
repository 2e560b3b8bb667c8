package dev.fairlead.verify.load.queue;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Work of a database since its creation.
 *
 * @param commits committed transactions
 * @param rows inserted, updated or deleted
 * @param walBytes written to the log
 * @param walImages whole pages in the log, one for the first change of a page after a checkpoint
 * @param diskBytes used by tables and indexes, including the space of deleted rows
 * @param tables rows inserted, updated and deleted by table, partitions counted for their table
 */
record DatabaseWork(
    long commits,
    long rows,
    long walBytes,
    long walImages,
    long diskBytes,
    SortedMap<String, Changes> tables) {

  /**
   * Numbers of rows of one table.
   *
   * @param hot updates that wrote no entry to an index, part of {@code updated}
   */
  record Changes(long inserted, long updated, long hot, long deleted) {
    static final Changes NONE = new Changes(0, 0, 0, 0);

    Changes minus(Changes earlier) {
      return new Changes(
          inserted - earlier.inserted,
          updated - earlier.updated,
          hot - earlier.hot,
          deleted - earlier.deleted);
    }

    long all() {
      return inserted + updated + deleted;
    }
  }

  private static final String READ =
      """
      SELECT xact_commit, tup_inserted + tup_updated + tup_deleted,
             CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bigint),
             (SELECT wal_fpi FROM pg_stat_wal),
             (SELECT CAST(sum(pg_total_relation_size(relid)) AS bigint) FROM pg_stat_user_tables)
      FROM pg_stat_database WHERE datname = current_database()
      """;

  private static final String TABLES =
      """
      SELECT coalesce(pg_partition_root(relid)::regclass, relid::regclass)::text AS name,
             sum(n_tup_ins), sum(n_tup_upd), sum(n_tup_hot_upd), sum(n_tup_del)
      FROM pg_stat_user_tables GROUP BY 1
      """;

  /** Sessions report their statistics about a second after they became idle. */
  static final long REPORTED_AFTER_MILLIS = 1_500;

  static DatabaseWork of(EmbeddedDatabase database) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        Statement tables = connection.createStatement();
        ResultSet row = statement.executeQuery(READ);
        ResultSet table = tables.executeQuery(TABLES)) {
      row.next();
      SortedMap<String, Changes> changes = new TreeMap<>();
      while (table.next()) {
        changes.put(
            table.getString(1),
            new Changes(table.getLong(2), table.getLong(3), table.getLong(4), table.getLong(5)));
      }
      return new DatabaseWork(
          row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5), changes);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the database's counters cannot be read: " + e.getMessage(), e);
    }
  }

  DatabaseWork since(DatabaseWork earlier) {
    SortedMap<String, Changes> changed = new TreeMap<>(tables);
    changed.replaceAll((table, now) -> now.minus(earlier.tables.getOrDefault(table, Changes.NONE)));
    return new DatabaseWork(
        commits - earlier.commits,
        rows - earlier.rows,
        walBytes - earlier.walBytes,
        walImages - earlier.walImages,
        diskBytes - earlier.diskBytes,
        changed);
  }

  /** Percentage of updates, over all tables, that wrote no index entry, 0 without updates. */
  double hotPercent() {
    long updated = tables.values().stream().mapToLong(Changes::updated).sum();
    long hot = tables.values().stream().mapToLong(Changes::hot).sum();
    return updated == 0 ? 0 : 100.0 * hot / updated;
  }

  /** Tables with at least a change for every hundred lives, most changes first. */
  String byTable(double lives) {
    return tables.entrySet().stream()
        .filter(table -> table.getValue().all() >= lives / 100)
        .sorted(Comparator.comparingLong(table -> -table.getValue().all()))
        .map(table -> line(table.getKey(), table.getValue(), lives))
        .collect(Collectors.joining("\n"));
  }

  private static String line(String table, Changes changes, double lives) {
    return String.format(
        Locale.ROOT,
        "  %-28s %6.2f inserted %6.2f updated (%3.0f %% HOT) %6.2f deleted",
        table,
        changes.inserted / lives,
        changes.updated / lives,
        changes.updated == 0 ? 0 : 100.0 * changes.hot / changes.updated,
        changes.deleted / lives);
  }
}
