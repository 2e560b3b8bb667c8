package dev.fairlead.kernel.idempotency.postgres;

import dev.fairlead.kernel.idempotency.IdempotencyKey;
import dev.fairlead.kernel.idempotency.IdempotencyStore;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link IdempotencyStore} on PostgreSQL. The claim is an advisory lock, which returns immediately.
 * An uncommitted row would be invisible, and inserting it a second time would wait.
 */
@Component
class PostgresIdempotencyStore implements IdempotencyStore {
  private static final SqlFile CLAIM = SqlFile.named("idempotency/claim-key");
  private static final SqlFile FIND = SqlFile.named("idempotency/find-answer");
  private static final SqlFile REMEMBER = SqlFile.named("idempotency/remember-answer");

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BelievedTime time;

  PostgresIdempotencyStore(Transactions transactions, JdbcClient jdbc, BelievedTime time) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.time = time;
  }

  @Override
  public Set<IdempotencyKey> claim(Collection<IdempotencyKey> keys) {
    List<IdempotencyKey> asked = List.copyOf(keys);
    return with(
        CLAIM,
        asked,
        statement -> statement.query((row, n) -> asked.get(row.getInt("number") - 1)).set());
  }

  @Override
  public Map<IdempotencyKey, Remembered> find(Collection<IdempotencyKey> keys) {
    List<IdempotencyKey> asked = List.copyOf(keys);
    Map<IdempotencyKey, Remembered> found = new HashMap<>();
    return with(
        FIND,
        asked,
        statement -> {
          statement
              .param("host", time.hostMillis())
              .query(row -> {
                found.put(
                    asked.get(row.getInt("number") - 1),
                    new Remembered(
                        Columns.text(row, "request_hash"), Columns.text(row, "reference")));
              });
          return found;
        });
  }

  @Override
  public void remember(Map<IdempotencyKey, Remembered> answers) {
    List<IdempotencyKey> keys = List.copyOf(answers.keySet());
    List<Remembered> given = keys.stream().map(answers::get).map(Objects::requireNonNull).toList();
    with(
        REMEMBER,
        keys,
        statement ->
            statement
                .param("hashes", texts(given, Remembered::requestHash))
                .param("references", texts(given, Remembered::reference))
                .update());
  }

  private <T> T with(
      SqlFile file, List<IdempotencyKey> keys, Function<JdbcClient.StatementSpec, T> work) {
    TenantId tenant = keys.getFirst().tenant();
    return transactions.inTenant(
        tenant,
        () ->
            work.apply(
                jdbc.sql(file.text())
                    .param("tenant", tenant.value())
                    .param("principals", texts(keys, IdempotencyKey::principal))
                    .param("operations", texts(keys, IdempotencyKey::operation))
                    .param("keys", texts(keys, IdempotencyKey::key))));
  }

  private static <T> String[] texts(List<T> rows, Function<T, String> column) {
    return rows.stream().map(column).toArray(String[]::new);
  }
}
