package dev.fairlead.placement.service;

import dev.fairlead.loop.Leases;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.placement.Plan;
import dev.fairlead.quota.QuotaDemand;
import dev.fairlead.quota.QuotaStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Stores what waiting jobs ask for when it has changed, at most every five seconds. */
@Component
public class DemandKeeper {
  private static final long REFRESH_NANOS = Duration.ofSeconds(5).toNanos();

  private final QuotaStore quotas;
  private final MonotonicClock clock;
  private @Nullable List<QuotaDemand> written;
  private long writtenAtNanos;

  public DemandKeeper(QuotaStore quotas, Leases leases) {
    this.quotas = quotas;
    this.clock = leases.clock();
  }

  public void keep(Plan plan) {
    List<QuotaDemand> now = new ArrayList<>();
    plan.demand()
        .forEach((queue, cells) ->
            cells.forEach((cell, amount) -> now.add(new QuotaDemand(queue, cell, amount))));
    boolean due = written == null || clock.nanos() - writtenAtNanos >= REFRESH_NANOS;
    if (due && !now.equals(written)) {
      quotas.demand(now);
      written = now;
      writtenAtNanos = clock.nanos();
    }
  }
}
