package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.statement.StatementSums;
import dev.fairlead.money.statement.StatementTotals;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import java.time.YearMonth;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Signed statements, and the usage for new ones. */
class SignedStatementsTest {
  private static final YearMonth MONTH = YearMonth.of(2024, 6);
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final StatementStore statements = stores.bean(StatementStore.class);
  private final TenantId tenant = world.tenant().id();

  /**
   * Fails when two concurrent requests store two documents, or the second request does not return
   * the first document. Seen to fail without ON CONFLICT.
   */
  @Test
  void firstOfTwoConcurrentSignOffsWins() {
    CompletableFuture<Boolean> second = new CompletableFuture<>();
    stores
        .transactions()
        .run(() -> {
          assertThat(statements.sign(tenant, MONTH, "first")).isTrue();
          second.completeAsync(() -> statements.sign(tenant, MONTH, "second"));
          waits();
        });

    assertThat(second.orTimeout(60, TimeUnit.SECONDS).join()).isFalse();
    assertThat(statements.signed(tenant, MONTH)).contains("first");
    assertThat(statements.signed(tenant, MONTH.plusMonths(1))).isEmpty();
  }

  /** Waits until the other request waits for this transaction. */
  private void waits() {
    String blocked =
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'";
    while (stores.jdbc().sql(blocked).query(Long.class).single() == 0) {
      Thread.onSpinWait();
    }
  }

  /** Fails when use of a neighbour, or of the next month, is in a statement. */
  @Test
  void statementContainsOnlyTheUseOfItsTenantAndMonth() {
    long begin = Statement.begin(MONTH).toEpochMilli();
    used(tenant, begin - 3_600_000, 1);
    used(tenant, begin, 2);
    used(tenant, Statement.end(MONTH).toEpochMilli() - 3_600_000, 4);
    used(tenant, Statement.end(MONTH).toEpochMilli(), 8);
    used(TestWorld.in(stores).tenant().id(), begin, 16);

    PriceSpans spans =
        new PriceSpans(stores.prices().book(), Statement.begin(MONTH), Statement.end(MONTH));
    StatementSums sums = new StatementSums(spans);
    StatementUse.each(stores.bean(UseLedger.class), tenant, spans, sums::add);

    assertThat(StatementTotals.of(sums.lines(), List.of(), List.of()).milliMillis()).isEqualTo(6);
  }

  private void used(TenantId whose, long hour, long amount) {
    stores
        .jdbc()
        .sql(
            "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by,"
                + " cluster, pool, model, capacity, amount) VALUES ('USE', 'HOUR', :hour, :tenant, :project, :queue, 'ada',"
                + " :cluster, '', 'H100', 'SPOT', :amount)")
        .param("hour", hour)
        .param("tenant", whose.value())
        .param("project", world.project().id().value())
        .param("queue", world.queue().id().value())
        .param("cluster", world.cluster().id().value())
        .param("amount", amount)
        .update();
  }
}
