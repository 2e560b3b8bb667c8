package dev.fairlead.care.health.service;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Rows of the table of faults are changed, on a cluster of two GPU nodes. */
class HealthTableTest {
  private static final Xid APPLICATION = XidTable.SHIPPED.find(31).orElseThrow();
  private static final Xid TO_NODE = APPLICATION.isolating(FaultScope.NODE, false);
  private final MemoryStores stores = MemoryStores.empty(37);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.OPERATOR);
  private final List<HealthHistory.Seen> seen = new ArrayList<>();
  private Duration unread = Duration.ZERO;
  private final HealthTable table =
      new HealthTable(
          stores.transactions(),
          stores.health(),
          new Rules(
              (xid, since, most) -> new HealthHistory.Excerpt(seen, since.plus(unread)),
              stores.health(),
              stores.inventory(),
              new RuleBreakers(stores.inventory(), stores.health()),
              stores.clock()),
          stores.audit());

  private void seenOn(String name) {
    Node node = world.node(name);
    seen.add(
        new HealthHistory.Seen(
            node.cluster(),
            node.id(),
            name,
            null,
            "",
            stores.clock().instant(),
            stores.clock().instant(),
            stores.clock().instant(),
            null));
  }

  private static void refused(ProblemCode code, ThrowingCallable change) {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  private Intake report(String id) {
    HealthIntake intake = ServiceParts.intake(stores);
    HealthEvent event =
        new HealthEvent(id, stores.clock().instant(), "node-1", "GPU-1", null, 31, "");
    return intake.take(olga, world.cluster().name(), List.of(event)).getFirst();
  }

  /** Fails when the next report is judged by the previous row. */
  @Test
  void nextReportIsJudgedByTheRow() {
    assertThat(report("one").incident()).isNull();

    HealthTable.Row row = table.update(olga, TO_NODE, 0L, false, false);

    assertThat(row.rule().version()).isEqualTo(1);
    assertThat(report("two").incident()).isNotNull();
    assertThat(table.one(olga, "31").xid()).isEqualTo(TO_NODE);
    assertThat(stores.auditEntries())
        .filteredOn(entry -> entry.operation().equals("updateHealthRule"))
        .singleElement()
        .extracting(AuditRecord::detail, as(MAP))
        .containsEntry("xid", 31)
        .doesNotContainKey("forced");
  }

  /**
   * Fails when a rule that would have isolated the cluster is set without force, or force is not
   * stored.
   */
  @Test
  void ruleBeyondTheCircuitBreakerIsStoredOnlyWithForce() {
    seenOn("node-1");
    seenOn("node-2");

    assertThatThrownBy(() -> table.update(olga, TO_NODE, null, false, false))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE);
              assertThat(refusal.problems())
                  .singleElement()
                  .matches(problem -> problem.pointer().equals("/quarantine"))
                  .matches(problem -> problem.detail().endsWith(": node-1, node-2"));
            });
    assertThat(stores.health().rules()).isEmpty();
    HealthTable.Row _ = table.update(olga, TO_NODE, null, true, true);
    assertThat(stores.health().rules()).as("a trial").isEmpty();
    HealthTable.Row _ = table.update(olga, TO_NODE, null, true, false);
    assertThat(stores.health().table().find(31)).contains(TO_NODE);
    assertThat(stores.auditEntries()).anyMatch(entry -> entry.detail().containsKey("forced"));
    Xid cause =
        new Xid(31, "seen twice", "", true, FaultScope.NODE, false, RepairStep.REBOOT, true, "");
    HealthTable.Row _ = table.update(olga, cause, null, false, false);
    assertThat(stores.health().table().find(31)).as("it takes no more").contains(cause);
  }

  /** Fails when a rule is stored as tested although the events were not read. */
  @Test
  void rowNotDryRunOnAllEventsIsSetByForceOnly() {
    unread = Duration.ofDays(6);

    refused(ProblemCode.ILLEGAL_STATE, () -> table.update(olga, TO_NODE, null, false, false));
    HealthTable.Row _ = table.update(olga, TO_NODE, null, true, false);

    assertThat(stores.health().table().find(31)).contains(TO_NODE);
  }

  /** Fails when a change is lost, or a row without any event is set. */
  @Test
  void staleUpdateAndIneffectiveRowAreRejected() {
    HealthTable.Row _ = table.update(olga, TO_NODE, 0L, false, false);
    refused(ProblemCode.VERSION_MISMATCH, () -> table.update(olga, APPLICATION, 0L, false, false));
    Xid follows = XidTable.SHIPPED.find(43).orElseThrow().isolating(FaultScope.GPU, false);
    refused(ProblemCode.INVALID_FIELD, () -> table.update(olga, follows, null, false, false));
    refused(ProblemCode.NOT_FOUND, () -> table.one(olga, "999"));
    Actor member = new Actor(world.tenant().id(), "mia", Role.TENANT_MEMBER);
    assertThat(table.all(member)).hasSize(XidTable.SHIPPED.all().size());
    refused(ProblemCode.FORBIDDEN, () -> table.update(member, APPLICATION, null, false, false));
  }
}
