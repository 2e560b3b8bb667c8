package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.service.QuotaView;
import dev.fairlead.fleet.quota.service.Quotas;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The pending jobs of a queue. */
class PendingInQueueTest {
  private static final QuotaCell GPUS =
      new QuotaCell(new Flavor("H100", CapacityType.RESERVED), "gpu");
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final Quotas quotas =
      new Quotas(
          fairlead.stores().transactions(),
          fairlead.stores().quotas(),
          fairlead.stores().tenants(),
          new Idempotency(fairlead.stores().idempotency()),
          fairlead.stores().audit(),
          fairlead.stores().ids());

  private static Specs job(String name, int gpus) {
    return Specs.job(name).gpus(gpus).annotation("sim.fairlead.dev/run-for", "10m");
  }

  private long pending(String quota) {
    return quotas.named(fairlead.ana(), quota).usage().stream()
        .filter(usage -> usage.cell().equals(GPUS))
        .mapToLong(QuotaView.Usage::pending)
        .findFirst()
        .orElse(0);
  }

  @Test
  void waitingJobsAndAllWaitingElementsOfArraysAreCountedUpToTheRoot() {
    // fails when Demand counts an array by its offered elements, or ignores an array at its limit
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    fairlead.submit(job("runs", 7));
    fairlead.submit(job("waits", 8));
    fairlead.submit(job("many", 1).array("0-9%1"));

    fairlead.pass(Duration.ofSeconds(30));

    assertThat(pending("queue")).isEqualTo(8_000 + 9 * 1_000);
    assertThat(pending("root")).isEqualTo(pending("queue"));
  }

  @Test
  void noJobIsPendingOnceAllRun() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    fairlead.submit(job("runs", 7));

    fairlead.pass(Duration.ofSeconds(30));

    assertThat(pending("queue")).isZero();
  }
}
