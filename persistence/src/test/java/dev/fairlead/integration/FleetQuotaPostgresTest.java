package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.fleet.quota.Counters.Kind;
import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.FleetQuotaContract;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The root above tenants on PostgreSQL, also while it cannot be read. */
@Execution(ExecutionMode.SAME_THREAD)
class FleetQuotaPostgresTest extends FleetQuotaContract {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final String URL = Embedded.migratedDatabase();
  private static final PostgresInstallation STORES =
      PostgresInstallation.on(URL, Embedded.server().user(), Embedded.server().password());

  @Override
  protected Stores stores() {
    return STORES;
  }

  @AfterAll
  static void close() {
    STORES.close();
  }

  /** Fails when an empty read of the root's limits counts as no limits. */
  @Test
  void unreadableRootLimitsAdmitNoTenant() {
    limit(FleetQuota.ROOT);
    closedWhile(
        "UPDATE quota_limit SET tenant = gen_random_uuid() WHERE node = '%s'"
            .formatted(FleetQuota.ROOT.value()),
        "UPDATE quota_limit SET tenant = NULL WHERE node = '%s'"
            .formatted(FleetQuota.ROOT.value()));
  }

  /** Fails when a deleted root is mistaken for one without limits. */
  @Test
  void withoutTheRootNoTenantIsAdmitted() {
    closedWhile(
        "ALTER TABLE quota_node DISABLE TRIGGER ALL; CREATE TABLE kept AS SELECT * FROM quota_node WHERE id = '%s';"
                .formatted(FleetQuota.ROOT.value())
            + " SET session_replication_role = replica; DELETE FROM quota_node WHERE id = '%s'"
                .formatted(FleetQuota.ROOT.value()),
        "INSERT INTO quota_node SELECT * FROM kept; DROP TABLE kept; ALTER TABLE quota_node ENABLE"
            + " TRIGGER ALL");
  }

  /** Fails when a tenant whose node cannot be read is bounded by the root alone. */
  @Test
  void tenantWithAnUnreadableNodeIsNotAdmitted() {
    TestWorld world = TestWorld.in(STORES);
    QuotaNodeId node = FleetQuota.of(world.tenant().id());
    limit(node);
    Job job = world.submit(Specs.job("waits").gpus(1));
    run("UPDATE quota_node SET limit_count = 2 WHERE id = '%s'".formatted(node.value()));

    Refused.by(Guard.QUOTA, () -> world.place(job, 0, "node-1"));
    TestWorld other = TestWorld.in(STORES);
    assertThat(other.place(other.submit(Specs.job("runs").gpus(1)), 0, "node-1")).isNotNull();

    run("UPDATE quota_node SET limit_count = 1 WHERE id = '%s'".formatted(node.value()));
    assertThat(world.place(job, 0, "node-1")).isNotNull();
  }

  /** Fails when the end of a job needs rows that only its start needs. */
  @Test
  void runningJobsEndWhileTheFleetIsUnreadable() {
    limit(FleetQuota.ROOT);
    TestWorld world = TestWorld.in(STORES);
    Attempt runs = world.run(world.place(world.submit(Specs.job("runs").gpus(1)), 0, "node-1"));
    run("UPDATE quota_node SET limit_count = 2 WHERE id = '%s'".formatted(FleetQuota.ROOT.value()));

    world.succeed(runs);

    assertThat(world.jobOf(runs).state().name()).isEqualTo("SUCCEEDED");
    run("UPDATE quota_node SET limit_count = 1 WHERE id = '%s'".formatted(FleetQuota.ROOT.value()));
  }

  /** Fails when running jobs of an unreadable queue are deducted from the platform's counters. */
  @Test
  void useOfAnUnreadableQueueStaysCountedForTheFleet() {
    limit(FleetQuota.ROOT);
    TestWorld world = TestWorld.in(STORES);
    world.run(world.place(world.submit(Specs.job("runs").gpus(1)), 0, "node-1"));
    List<QuotaUse> counted = STORES.forest().fleetUses();
    Drift seen = new Drift(Kind.QUOTA, FleetQuota.ROOT.value(), "H100/RESERVED/gpu", 1000, 0);
    String queue = world.queue().id().value().toString();
    run("UPDATE quota_node SET limit_count = limit_count + 1 WHERE id = '%s'".formatted(queue));
    try {
      STORES.transactions().call(() -> STORES.counters().repair(List.of(seen)));

      assertThat(STORES.forest().fleetUses()).isEqualTo(counted);
      assertThat(STORES.counters().compare())
          .extracting(Drift::subject)
          .doesNotContain(FleetQuota.ROOT.value(), FleetQuota.of(world.tenant().id()).value());
    } finally {
      run("UPDATE quota_node SET limit_count = limit_count - 1 WHERE id = '%s'".formatted(queue));
    }
    assertThat(STORES.counters().compare()).isEmpty();
  }

  private static void closedWhile(String hidden, String shown) {
    TestWorld world = TestWorld.in(STORES);
    Job job = world.submit(Specs.job("waits").gpus(1));
    run(hidden);
    try {
      Refused.by(Guard.QUOTA, () -> world.place(job, 0, "node-1"));
    } finally {
      run(shown);
    }
    assertThat(world.place(job, 0, "node-1")).isNotNull();
  }

  private static void limit(QuotaNodeId id) {
    QuotaNode now =
        STORES.fleetQuotas().fleet().stream()
            .filter(n -> n.id().equals(id))
            .findFirst()
            .orElseThrow();
    STORES
        .fleetQuotas()
        .updateFleet(
            now.with()
                .limits(List.of(new QuotaLimit(H100, ResourceNames.GPU, 800_000L, null, null)))
                .queue(null)
                .version(now.version() + 1)
                .build());
  }

  private static void run(String statement) {
    Databases.run(URL, Embedded.server().user(), Embedded.server().password(), statement);
  }
}
