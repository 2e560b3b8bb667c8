package dev.fairlead.kernel.clock.postgres;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresClockStore implements ClockStore {
  private static final SqlFile READ = SqlFile.named("clock/read");
  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresClockStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public Reading read() {
    return transactions.forAllTenants(() -> jdbc.sql(READ.text()).query(Reading.class).single());
  }
}
