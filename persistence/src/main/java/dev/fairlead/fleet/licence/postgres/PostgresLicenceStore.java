package dev.fairlead.fleet.licence.postgres;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresLicenceStore implements LicenceStore {
  private static final SqlFile HELD = SqlFile.named("licence/held-by-licence");

  private final Transactions transactions;
  private final ConfigStore documents;
  private final JdbcClient jdbc;

  PostgresLicenceStore(Transactions transactions, ConfigStore documents, JdbcClient jdbc) {
    this.transactions = transactions;
    this.documents = documents;
    this.jdbc = jdbc;
  }

  @Override
  public List<Licence> licences() {
    return documents.all(Licence.DOCUMENTS).stream().map(ConfigDocument::value).toList();
  }

  @Override
  public SortedMap<String, Held> held() {
    SortedMap<String, Held> held = new TreeMap<>();
    transactions
        .forAllTenants(() -> jdbc.sql(HELD.text()).query(PostgresLicenceStore::entry).list())
        .forEach(each -> held.put(each.getKey(), each.getValue()));
    return held;
  }

  private static Map.Entry<String, Held> entry(ResultSet row, int number) throws SQLException {
    return Map.entry(
        Columns.text(row, "licence"), new Held(row.getLong("held"), row.getLong("attempts")));
  }
}
