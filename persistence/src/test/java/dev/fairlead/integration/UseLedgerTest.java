package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseLedgerContract;
import dev.fairlead.people.tenant.TenantId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of the ledger of use on PostgreSQL, without facts of other tests. */
class UseLedgerTest extends UseLedgerContract {
  private static String url;
  private static PostgresInstallation stores;

  @BeforeAll
  static void open() {
    url = Embedded.migratedDatabase();
    stores = PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void empty() {
    int _ = stores.jdbc().sql("DELETE FROM use_fact").update();
  }

  /** Fails when the connection of a tenant can read the fleet, or waits of another tenant. */
  @Test
  void policyHidesTheFleetAndOtherTenants() throws SQLException {
    TenantId tenant = new TenantId(UUID.randomUUID());
    UseKey shared = UseKey.of(UseKind.RESERVED).with(UseDimension.MODEL, "H100");
    UseKey own = UseKey.of(UseKind.WAIT).with(UseDimension.TENANT, tenant);
    UseKey others =
        UseKey.of(UseKind.WAIT).with(UseDimension.TENANT, new TenantId(UUID.randomUUID()));
    ledger()
        .write(
            new UseFacts(
                0,
                new TreeMap<>(
                    Map.of(shared, 1L, own, 2L, others, 4L, UseKey.of(UseKind.FLEET), 8L))));

    List<Long> read = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection(
                url, Embedded.server().user(), Embedded.server().password());
        Statement statement = connection.createStatement()) {
      statement.execute("SET ROLE fairlead_app");
      statement.execute("SET fairlead.tenant = '" + tenant.value() + "'");
      try (ResultSet rows = statement.executeQuery("SELECT amount FROM use_fact ORDER BY amount")) {
        while (rows.next()) {
          read.add(rows.getLong(1));
        }
      }
    }
    assertThat(read).containsExactly(1L, 2L);
  }

  @Override
  protected UseLedger ledger() {
    return stores.bean(UseLedger.class);
  }
}
