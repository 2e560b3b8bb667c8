package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.quota.QuotaDemand;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.placement.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Stores the demand of waiting jobs when it has changed, at most every five seconds. */
@Component
public class DemandWriter {
  private static final long REFRESH_NANOS = Duration.ofSeconds(5).toNanos();

  private final Transactions transactions;
  private final QuotaStore quotas;
  private final MonotonicClock clock;
  private @Nullable List<QuotaDemand> written;
  private long epoch = -1;
  private long writtenAtNanos;

  public DemandWriter(Transactions transactions, QuotaStore quotas, Leases leases) {
    this.transactions = transactions;
    this.quotas = quotas;
    this.clock = leases.clock();
  }

  /**
   * @throws dev.fairlead.kernel.transaction.FenceLost when another scheduler acts
   */
  public void keep(HeldLease lease, Plan plan) {
    if (epoch != lease.epoch()) {
      epoch = lease.epoch();
      written = null;
    }
    List<QuotaDemand> now = new ArrayList<>();
    plan.demand()
        .forEach((queue, cells) ->
            cells.forEach((cell, amount) -> now.add(new QuotaDemand(queue, cell, amount))));
    boolean due = written == null || clock.nanos() - writtenAtNanos >= REFRESH_NANOS;
    if (due && !now.equals(written)) {
      transactions.runFenced(lease, () -> quotas.demand(now));
      written = now;
      writtenAtNanos = clock.nanos();
    }
  }
}
