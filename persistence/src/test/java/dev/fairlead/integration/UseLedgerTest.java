package dev.fairlead.integration;

import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseLedgerContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The contract of the ledger of use on PostgreSQL, without facts of other tests. */
class UseLedgerTest extends UseLedgerContract {
  private static PostgresInstallation stores;

  @BeforeAll
  static void open() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void empty() {
    int _ = stores.jdbc().sql("DELETE FROM use_fact").update();
  }

  @Override
  protected UseLedger ledger() {
    return stores.bean(UseLedger.class);
  }
}
