package dev.fairlead.people.secret.postgres;

import dev.fairlead.kernel.encryption.Envelope;
import dev.fairlead.kernel.encryption.Keyring;
import dev.fairlead.kernel.keyring.KeyRotation;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link KeyRotation} on PostgreSQL. */
@Component
class PostgresKeyRotation implements KeyRotation {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresKeyRotation.class);
  private static final SqlFile USED = SqlFile.named("projectsecret/used-keys");
  private static final SqlFile SECRETS = SqlFile.named("projectsecret/under-other-keys");
  private static final SqlFile UPDATE_SECRETS = SqlFile.named("projectsecret/update-data-keys");
  private static final SqlFile CLUSTERS = SqlFile.named("projectsecret/clusters-under-other-keys");
  private static final SqlFile UPDATE_CLUSTERS = SqlFile.named("projectsecret/update-clusters");

  private static final UUID BEGIN = new UUID(0, 0);

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final Keyring keys;

  PostgresKeyRotation(Transactions transactions, JdbcClient jdbc, Keyring keys) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.keys = keys;
  }

  @Override
  public SortedSet<String> known() {
    return keys.ids();
  }

  @Override
  public SortedMap<String, Long> used() {
    return transactions.forAllTenants(() -> {
      SortedMap<String, Long> used = new TreeMap<>();
      jdbc.sql(USED.text())
          .query((row, n) -> used.put(Columns.text(row, "key_id"), row.getLong("count")))
          .list();
      return used;
    });
  }

  @Override
  public Step rewrap(@Nullable UUID after, int most) {
    String others = String.join(",", keys.others());
    UUID from = after == null ? BEGIN : after;
    return others.isEmpty()
        ? new Step(0, List.of(), null)
        : transactions.forAllTenants(
            () -> both(secrets(others, from, most), clusters(others, from, most)));
  }

  /** The pass continues after the earlier of both positions, so that it skips no row. */
  private static Step both(Step secrets, Step clusters) {
    List<String> locked = new ArrayList<>(secrets.locked());
    locked.addAll(clusters.locked());
    UUID next =
        Stream.of(secrets, clusters)
            .map(Step::next)
            .filter(Objects::nonNull)
            .min(Comparator.comparing(UUID::toString))
            .orElse(null);
    return new Step(secrets.moved() + clusters.moved(), locked, next);
  }

  /** The encrypted content is neither read nor written. */
  private Step secrets(String others, UUID after, int most) {
    return each(
        jdbc.sql(SECRETS.text()).param("others", others).param("after", after).param("most", most),
        most,
        row -> {
          Envelope sealed =
              new Envelope(Columns.text(row, "key_id"), Columns.text(row, "data_key"), "");
          return keys.rewrapped(sealed, SecretOwner.of(row));
        },
        UPDATE_SECRETS);
  }

  private Step clusters(String others, UUID after, int most) {
    return each(
        jdbc.sql(CLUSTERS.text()).param("others", others).param("after", after).param("most", most),
        most,
        row -> {
          Envelope sealed = Envelope.parse(Columns.text(row, "sealed"));
          return keys.rewrapped(sealed, Columns.uuid(row, "id").toString());
        },
        UPDATE_CLUSTERS);
  }

  private interface Next {
    Envelope of(ResultSet row) throws SQLException;
  }

  /** A value that cannot be decrypted is unchanged. */
  private Step each(JdbcClient.StatementSpec found, int most, Next rewrapped, SqlFile update) {
    RowBatch rows = new RowBatch();
    List<String> locked = new ArrayList<>();
    List<UUID> read = new ArrayList<>();
    found.query(row -> {
      String id = Columns.text(row, "id");
      read.add(Columns.uuid(row, "id"));
      try {
        Envelope next = rewrapped.of(row);
        rows.row()
            .set("id", id)
            .set("key_id", next.keyId())
            .set("data_key", next.dataKey())
            .set("sealed", next.text());
      } catch (IllegalStateException refused) {
        LOG.warn("{} keeps its key", id, refused);
        locked.add(id);
      }
    });
    if (!rows.isEmpty()) {
      jdbc.sql(update.text()).param("rows", rows.json()).update();
    }
    return new Step(rows.size(), locked, read.size() < most ? null : read.getLast());
  }
}
