package dev.fairlead.work.workload.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.people.tenant.NamespaceRemoval;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.RemovalOutcome;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The removal of namespaces of deleted projects from a cluster. */
class NamespaceUpkeepTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final List<String> asked = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private RemovalOutcome outcome = new RemovalOutcome.Waits("it holds 1 secrets");
  private String unreadable = "";
  private long nanos;
  private final NamespaceUpkeep upkeep =
      new NamespaceUpkeep(
          world.cluster().id(),
          stores.removals(),
          stores.transactions(),
          waiting::add,
          () -> nanos);
  private final ClusterGateway gateway =
      (ClusterGateway)
          Proxy.newProxyInstance(
              ClusterGateway.class.getClassLoader(),
              new Class<?>[] {ClusterGateway.class},
              (proxy, method, arguments) -> {
                asked.add(method.getName() + " " + arguments[0]);
                if (arguments[0].equals(unreadable)) {
                  throw new IllegalStateException("an answer that is none");
                }
                return outcome;
              });

  @BeforeEach
  void anArchivedTenant() {
    Tenant archiving = world.tenant().in(Tenant.State.ARCHIVING);
    stores.tenants().update(archiving);
    stores.tenants().update(archiving.in(Tenant.State.ARCHIVED));
    stores.removals().want(world.tenant().id());
  }

  private void pass(Duration time) {
    stores.advance(time);
    nanos += time.toNanos();
    upkeep.carry(lease, gateway);
    List<Runnable> begun = List.copyOf(waiting);
    waiting.clear();
    begun.forEach(Runnable::run);
  }

  private List<NamespaceRemoval> left() {
    return stores.removals().left(0, 10);
  }

  /** Fails when a stuck namespace is tried in every pass, or never again. */
  @Test
  void persistentNamespaceIsRetriedWithDoublingIntervalsUpToAnHour() {
    for (int i = 0; i < 60; i++) {
      pass(Duration.ofSeconds(5));
    }
    assertThat(asked).hasSize(6).containsOnly("remove " + world.project().namespace());
    for (int i = 0; i < 24 * 60; i++) {
      pass(Duration.ofMinutes(1));
    }
    assertThat(asked.size()).isBetween(28, 34);
  }

  /** Fails when namespaces of a silent cluster are treated as not empty. */
  @Test
  void namespaceOfAnUnresponsiveClusterIsRetriedSoon() {
    outcome = new RemovalOutcome.Unavailable("no answer");
    for (int i = 0; i < 20; i++) {
      pass(Duration.ofSeconds(30));
    }
    assertThat(asked).hasSize(20);
  }

  /** Fails when a deleted or foreign namespace is checked again. */
  @Test
  void deletedOrForeignNamespaceIsNotReadAgain() {
    outcome = RemovalOutcome.GONE;
    pass(Duration.ofSeconds(5));
    assertThat(stores.removals().due(world.cluster().id(), 10)).isEmpty();
    stores.removals().want(world.tenant().id());
    outcome = new RemovalOutcome.Kept("an operator made it");
    pass(Duration.ofSeconds(5));
    pass(Duration.ofHours(2));

    assertThat(asked).hasSize(2);
    assertThat(left()).isEmpty();
  }

  /** Fails when a slow removal is started a second time, or delays the supervisor. */
  @Test
  void passesDoNotOverlap() {
    upkeep.carry(lease, gateway);
    nanos += Duration.ofMinutes(1).toNanos();
    upkeep.carry(lease, gateway);

    assertThat(waiting).hasSize(1);
    assertThat(asked).isEmpty();
  }

  /** Fails when a failing namespace blocks all others permanently. */
  @Test
  void unreadableNamespaceDelaysNoOther() {
    unreadable = world.project().namespace();
    stores.advance(Duration.ofSeconds(1));
    Project other = world.newProject("later");
    stores.removals().want(other);
    pass(Duration.ofSeconds(5));

    assertThat(asked).containsExactly("remove " + unreadable, "remove " + other.namespace());
    assertThat(left()).hasSize(2).allMatch(each -> each.why() != null);
  }

  /** Fails when a replaced process continues. */
  @Test
  void processWithoutTheLeaseRequestsNothing() {
    assertThat(stores.leases().takeOver(stores.leases().read("cluster/1").orElseThrow(), "other"))
        .isPresent();

    pass(Duration.ofSeconds(5));

    assertThat(asked).isEmpty();
    assertThat(stores.removals().due(world.cluster().id(), 10)).hasSize(1);
  }

  /** Fails when only the log names the obstacle. */
  @Test
  void doctorNamesTheBlocker() {
    NamespaceDiagnosis diagnosis = new NamespaceDiagnosis(stores.inventory(), stores.removals());
    pass(Duration.ofSeconds(5));
    assertThat(diagnosis.look()).as("it may take a moment").isEmpty();
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(30));
    }

    DoctorCheck check = diagnosis.look().getFirst();
    assertThat(check.subject()).isEqualTo(world.cluster().name());
    assertThat(check.found())
        .contains("1 namespace ", world.project().namespace(), "it holds 1 secrets");
  }
}
