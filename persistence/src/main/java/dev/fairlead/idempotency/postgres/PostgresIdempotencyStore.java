package dev.fairlead.idempotency.postgres;

import dev.fairlead.idempotency.IdempotencyKey;
import dev.fairlead.idempotency.IdempotencyStore;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.transaction.Transactions;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link IdempotencyStore} on PostgreSQL. The claim is an advisory lock, which answers at once; a
 * row that is not committed could not be seen, and inserting it a second time would wait.
 */
@Component
class PostgresIdempotencyStore implements IdempotencyStore {
  private static final SqlFile CLAIM = SqlFile.named("idempotency/claim-key");
  private static final SqlFile FIND = SqlFile.named("idempotency/find-answer");
  private static final SqlFile REMEMBER = SqlFile.named("idempotency/remember-answer");

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final JdbcClient jdbc;

  PostgresIdempotencyStore(Transactions transactions, RowLevelSecurity wall, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.jdbc = jdbc;
  }

  @Override
  public boolean claim(IdempotencyKey key) {
    return with(CLAIM, key, statement -> statement.query(Boolean.class).single());
  }

  @Override
  public Optional<Remembered> find(IdempotencyKey key) {
    return with(
        FIND,
        key,
        statement ->
            statement
                .query((row, n) ->
                    new Remembered(
                        Columns.text(row, "request_hash"), Columns.text(row, "reference")))
                .optional());
  }

  @Override
  public void remember(IdempotencyKey key, Remembered answer) {
    with(
        REMEMBER,
        key,
        statement ->
            statement
                .param("hash", answer.requestHash())
                .param("reference", answer.reference())
                .update());
  }

  private <T> T with(SqlFile file, IdempotencyKey key, Function<JdbcClient.StatementSpec, T> work) {
    return transactions.call(() -> {
      wall.enter(key.tenant().value());
      return work.apply(
          jdbc.sql(file.text())
              .param("tenant", key.tenant().value())
              .param("principal", key.principal())
              .param("operation", key.operation())
              .param("key", key.key()));
    });
  }
}
