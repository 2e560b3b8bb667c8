package dev.fairlead.integration;

import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;

/**
 * Budgets by a clock that the test sets, which stands in the middle of the next month when it
 * begins. The suites share one database, which goes with the JVM; each test has a tenant of its
 * own.
 */
abstract class BudgetsByClock {
  static final long HOUR = Duration.ofHours(1).toMillis();
  static final long NEXT_MONTH = BudgetPeriod.MONTH.end(System.currentTimeMillis());
  static final long MIDDLE = NEXT_MONTH + 14 * 24 * HOUR;

  static final DatabaseClock clock = new DatabaseClock(MIDDLE);
  static final PostgresInstallation stores =
      PostgresInstallation.altered(
          Embedded.migratedDatabase(),
          Embedded.server().user(),
          Embedded.server().password(),
          clock);
  private static final long OPENED =
      stores.jdbc().sql("SELECT open_ms FROM usage_mark").query(Long.class).single();

  final BudgetStore budgets = stores.bean(BudgetStore.class);
  TestWorld world;

  @BeforeEach
  void aWorldOfItsOwn() {
    clock.to(MIDDLE);
    closeHours(OPENED);
    budgets.overdrawing(null, 1_000).forEach(budgets::enforced);
    world = TestWorld.in(stores);
  }

  /** What the loop of the books does with hours that are over. */
  static void closeHours(long until) {
    stores.jdbc().sql("UPDATE usage_mark SET open_ms = :open").param("open", until).update();
  }
}
