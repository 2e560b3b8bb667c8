package dev.fairlead.licence.postgres;

import dev.fairlead.licence.Licence;
import dev.fairlead.licence.LicenceStore;
import dev.fairlead.licence.LicenceUse;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link LicenceStore} on PostgreSQL. */
@Component
class PostgresLicenceStore implements LicenceStore {
  private static final SqlFile LICENCES = SqlFile.named("licence/licences");
  private static final SqlFile USES = SqlFile.named("licence/uses");
  private static final SqlFile PUT = SqlFile.named("licence/put-licence");
  private static final SqlFile LOCK = SqlFile.named("licence/lock-licence");
  private static final SqlFile HELD = SqlFile.named("licence/is-held");
  private static final SqlFile DELETE = SqlFile.named("licence/delete-licence");
  private static final String NAME = "name";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresLicenceStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<Licence> licences() {
    return transactions.forAllTenants(
        () -> jdbc.sql(LICENCES.text()).query((row, n) -> licence(row)).list());
  }

  @Override
  public List<LicenceUse> uses() {
    return transactions.forAllTenants(() ->
        jdbc.sql(USES.text())
            .query(
                (row, n) -> new LicenceUse(licence(row), row.getLong("held"), row.getLong("jobs")))
            .list());
  }

  private static Licence licence(ResultSet row) throws SQLException {
    return new Licence(Columns.text(row, NAME), row.getInt("count"), row.getString("cluster"));
  }

  @Override
  public boolean put(Licence licence) {
    return transactions.forAllTenants(() ->
        jdbc.sql(PUT.text())
                .param(NAME, licence.name())
                .param("count", licence.count())
                .param("cluster", licence.cluster())
                .update()
            > 0);
  }

  /** Behind the lock that takers have, so that none takes it between the question and the end. */
  @Override
  public boolean remove(String name) {
    return transactions.forAllTenants(() -> {
      jdbc.sql(LOCK.text()).param(NAME, name).query(String.class).list();
      if (jdbc.sql(HELD.text()).param(NAME, name).query(Boolean.class).single()) {
        throw new Conflict(Guard.REFERENCED, name);
      }
      return jdbc.sql(DELETE.text()).param(NAME, name).update() > 0;
    });
  }
}
