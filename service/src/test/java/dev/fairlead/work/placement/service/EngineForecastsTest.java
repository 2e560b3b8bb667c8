package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Limits of concurrent plans. */
class EngineForecastsTest {
  private static final TenantId OTHER = new TenantId(new UUID(0, 2));
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Deque<Job> asked = new ArrayDeque<>();
  private final List<String> letIn = new ArrayList<>();
  private final EngineForecasts forecasts = forecasts();

  /** Fails when one caller can use all concurrent plans. */
  @Test
  void plansOfOneCallerLeaveCapacityForOtherCallers() {
    atOnce(job("ana"), job("ana"), job("ana"), job("ana"), job("ben"), of(OTHER, job("ana")));

    assertThat(letIn).containsExactly("ana", "ana", "ben", "ana");
    assertThat(metrics.counter(Metric.FORECAST_REFUSED.meter()).count()).isEqualTo(2);
  }

  /** Fails when a caller multiplies its share with service accounts. */
  @Test
  void plansOfOneTenantLeaveCapacityForOtherTenants() {
    atOnce(job("sa:1"), job("sa:2"), job("sa:3"), job("sa:4"), of(OTHER, job("bea")));

    assertThat(letIn).containsExactly("sa:1", "sa:2", "sa:3", "bea");
  }

  /** Fails when a plan is counted after its end. */
  @Test
  void finishedPlanReleasesItsSlot() {
    for (int i = 0; i < 5; i++) {
      atOnce(job("ana"));
    }

    assertThat(letIn).hasSize(5);
  }

  /** Each is requested while the earlier admitted ones run. */
  private void atOnce(Job... jobs) {
    asked.addAll(List.of(jobs));
    rest();
  }

  private void rest() {
    while (!asked.isEmpty()) {
      try {
        forecasts.of(asked.pop());
      } catch (Refusal full) {
        assertThat(full).hasMessageContaining("plans computed in this process");
      }
    }
  }

  private World read(List<Job> imagined) {
    letIn.add(imagined.getFirst().user());
    rest();
    return stores.world().read();
  }

  private Job job(String user) {
    Job job = world.newJob(Specs.job("plan").build());
    return by(job.tenant(), user, job);
  }

  private static Job of(TenantId tenant, Job job) {
    return by(tenant, job.user(), job);
  }

  private static Job by(TenantId tenant, String user, Job job) {
    return job.with().tenant(tenant).user(user).build();
  }

  private EngineForecasts forecasts() {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
            () -> 0,
            "me");
    return new EngineForecasts(
        this::read,
        stores.quotas(),
        stores.explanations(),
        new LearnedRuns(stores.activeJobs(), leases),
        new StartEstimates(
            stores.transactions(),
            stores.activeJobs(),
            stores.explanations(),
            stores.progress(),
            leases),
        metrics);
  }
}
