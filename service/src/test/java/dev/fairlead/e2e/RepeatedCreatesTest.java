package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.fleet.cluster.service.Clusters;
import dev.fairlead.fleet.cluster.service.ConnectionCheck;
import dev.fairlead.fleet.cluster.service.NewCluster;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.service.QuotaSpec;
import dev.fairlead.fleet.quota.service.Quotas;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A keyed create that is repeated after its result was deleted has no second effect, and its
 * response refers to nothing else. Fails when the name is stored, because it becomes free again.
 */
class RepeatedCreatesTest {
  private static final RequestKey FIRST = new RequestKey("first", "hash");
  private static final RequestKey OTHER = new RequestKey("other", "hash");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor admin = new Actor(world.tenant().id(), "root", Role.ADMIN);
  private final Idempotency idempotency = new Idempotency(stores.idempotency());

  @Test
  void repeatedRegistrationDoesNotReturnALaterClusterOfTheName() {
    Clusters clusters =
        new Clusters(
            stores.transactions(),
            stores.inventory(),
            new ConnectionCheck(new NoKubeconfig(), prometheus -> Optional.empty()),
            idempotency,
            stores.audit(),
            stores.ids(),
            InstantSource.fixed(Instant.EPOCH));
    ClusterId first = clusters.register(admin, cluster(), FIRST, false).cluster().id();
    assertThat(clusters.register(admin, cluster(), FIRST, false).cluster().id()).isEqualTo(first);
    stores
        .transactions()
        .run(() -> stores.inventory().remove(stores.inventory().cluster(first).orElseThrow()));
    assertRemoved(() -> clusters.register(admin, cluster(), FIRST, false));
    clusters.register(admin, cluster(), OTHER, false);
    assertRemoved(() -> clusters.register(admin, cluster(), FIRST, false));
  }

  @Test
  void repeatedCreateOfAProjectDoesNotCreateItAgain() {
    Projects projects = ServiceParts.projects(stores, idempotency);
    Supplier<Project> create =
        () -> projects.create(admin, "passing", world.queue().name(), FIRST, false);
    Project first = create.get();
    assertThat(create.get()).isEqualTo(first);
    stores.transactions().run(() -> stores.tenants().delete(first));
    assertRemoved(create);
    projects.create(admin, "passing", world.queue().name(), OTHER, false);
    assertRemoved(create);
  }

  @Test
  void repeatedCreateOfAQueueDoesNotReturnALaterOne() {
    Quotas quotas =
        new Quotas(
            stores.transactions(),
            stores.quotas(),
            stores.tenants(),
            idempotency,
            stores.audit(),
            stores.ids());
    QuotaNodeId first = quotas.create(admin, queue(), FIRST, false).node().id();
    assertThat(quotas.create(admin, queue(), FIRST, false).node().id()).isEqualTo(first);
    quotas.delete(admin, "passing", 1, false);
    assertRemoved(() -> quotas.create(admin, queue(), FIRST, false));
    quotas.create(admin, queue(), OTHER, false);
    assertRemoved(() -> quotas.create(admin, queue(), FIRST, false));
  }

  private static void assertRemoved(Supplier<?> repeated) {
    assertThatThrownBy(repeated::get)
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("this Idempotency-Key was removed");
  }

  private static NewCluster cluster() {
    return new NewCluster(
        "passing",
        ClusterKind.SIMULATED,
        null,
        new Connection.Simulated(List.of()),
        CapacityType.RESERVED,
        new TreeMap<>(),
        ClusterSettings.DEFAULT);
  }

  private static QuotaSpec queue() {
    return new QuotaSpec(
        "passing",
        null,
        1000,
        List.of(),
        PreemptionRules.NONE,
        QueueSettings.DEFAULT,
        SharePolicy.DOMINANT_SHARE,
        null);
  }

  private static final class NoKubeconfig implements KubeconfigReader {
    @Override
    public Answer read(String kubeconfig) {
      return new Answer.Refused(List.<FieldProblem>of());
    }

    @Override
    public Answer check(Connection.Kubernetes given) {
      return new Answer.Refused(List.<FieldProblem>of());
    }
  }
}
