package dev.fairlead.money.usage.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresWaitStore implements WaitStore {
  private static final SqlFile END = SqlFile.named("usage/end-waits");
  private static final SqlFile BEGIN = SqlFile.named("usage/begin-waits");
  private static final SqlFile SUMS = SqlFile.named("usage/wait-sums");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresWaitStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void look(long nowMillis) {
    int _ =
        transactions.forAllTenants(() -> {
          int ended = jdbc.sql(END.text()).param("now", nowMillis).update();
          return ended + jdbc.sql(BEGIN.text()).param("now", nowMillis).update();
        });
  }

  @Override
  public UseFacts sums(long hourMillis, long toMillis) {
    SortedMap<UseKey, Long> sums = new TreeMap<>();
    boolean _ =
        transactions.forAllTenants(() -> {
          jdbc.sql(SUMS.text())
              .param("hour", hourMillis)
              .param("to", toMillis)
              .query(row -> {
                sums.put(key(row), row.getLong("amount"));
              });
          return true;
        });
    return new UseFacts(hourMillis, sums);
  }

  private static UseKey key(ResultSet row) throws SQLException {
    return UseKey.of(UseKind.WAIT)
        .with(UseDimension.TENANT, Columns.text(row, "tenant"))
        .with(UseDimension.PROJECT, Columns.text(row, "project"))
        .with(UseDimension.QUEUE, Columns.text(row, "queue"))
        .with(UseDimension.DETAIL, Columns.text(row, "reason"));
  }
}
