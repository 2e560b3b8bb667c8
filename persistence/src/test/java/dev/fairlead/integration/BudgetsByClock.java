package dev.fairlead.integration;

import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Budgets with a clock that the test sets, initially in the middle of the next month. The suites
 * share one database, which ends with the JVM. Each test has a separate tenant.
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
      stores.jdbc().sql("SELECT open_ms FROM usage_watermark").query(Long.class).single();

  final BudgetStore budgets = stores.bean(BudgetStore.class);
  TestWorld world;

  @BeforeEach
  void aWorldOfItsOwn() {
    clock.to(MIDDLE);
    closeHours(OPENED);
    world = TestWorld.in(stores);
  }

  @AfterEach
  void leavesNoBudget() {
    removeBudgets(world);
  }

  /**
   * Removes the budgets of the test with their reservations. A renewal covers the budgets of all
   * tenants, so those of an earlier test would be renewed and exhausted in the next one.
   */
  static void removeBudgets(TestWorld world) {
    stores
        .jdbc()
        .sql("DELETE FROM budget WHERE tenant = :tenant")
        .param("tenant", world.tenant().id().value())
        .update();
  }

  /** Closes ended hours like the usage loop. */
  static void closeHours(long until) {
    stores.jdbc().sql("UPDATE usage_watermark SET open_ms = :open").param("open", until).update();
  }
}
