package dev.fairlead.fleet.cluster.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterCheck;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that a cluster may get while it runs jobs. */
class ClusterChangesTest {
  private static final Connection ONE = server("https://one.example");
  private static final Connection TWO = server("https://two.example");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor operator = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private List<String> held = List.of();
  private final ClusterChanges changes =
      new ClusterChanges(
          stores.transactions(),
          withLostKey(),
          new ConnectionCheck(new AsGiven(), prometheus -> Optional.empty()),
          new NoRequests(),
          cluster -> held,
          stores.audit());
  private boolean keyLost;

  private static Connection server(String url) {
    return new Connection.Kubernetes(url, "", null, null, null);
  }

  /** Takes everything. */
  private static final class AsGiven implements KubeconfigReader {
    @Override
    public Answer read(String kubeconfig) {
      throw new AssertionError(kubeconfig);
    }

    @Override
    public Answer check(Connection.Kubernetes given) {
      return new Answer.Accepted(given);
    }
  }

  private static final class NoRequests implements ClusterCheck {
    @Override
    public Optional<String> refuses(Cluster cluster) {
      return Optional.empty();
    }

    @Override
    public List<String> openRequests(Cluster cluster) {
      return List.of();
    }
  }

  /** The stored clusters, whose connections cannot be decrypted once the key is lost. */
  private InventoryStore withLostKey() {
    return (InventoryStore)
        Proxy.newProxyInstance(
            InventoryStore.class.getClassLoader(),
            new Class<?>[] {InventoryStore.class},
            (_, method, arguments) -> {
              if (keyLost && method.getName().equals("connection")) {
                throw new IllegalStateException("cls_1 is encrypted under key a1b2");
              }
              try {
                return method.invoke(stores.inventory(), arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @BeforeEach
  void aClusterOfServerOne() {
    Cluster now = world.cluster();
    stores
        .inventory()
        .configure(now.configured(now.capacity(), now.pricePerGpuHour(), now.settings()), ONE);
  }

  private void connect(Connection connection, boolean force) {
    Cluster now = world.cluster();
    ClusterChange change =
        new ClusterChange(
            null,
            null,
            connection,
            now.capacity(),
            now.pricePerGpuHour(),
            now.settings(),
            List.of("connection"));
    ClusterReadModel _ = changes.update(operator, now.name(), change, now.version(), force, false);
  }

  private void refused(Connection connection, boolean force, String... words) {
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> connect(connection, force))
        .satisfies(refusal -> {
          assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE);
          assertThat(refusal).message().contains(words);
        });
    assertThat(stores.inventory().connection(world.cluster().id())).isEqualTo(ONE);
  }

  /** Fails when busy nodes exclude retired nodes: their attempts would not be found. */
  @Test
  void serverChangeIsRejectedWhileAnyNodeHoldsWorkEvenIfHidden() {
    world.run(world.place(world.submit(Specs.job("runs"))));
    refused(TWO, true, "its server address cannot change");

    world.report();

    assertThat(stores.inventory().nodes(world.cluster().id())).isEmpty();
    refused(TWO, true, "its server address cannot change");
  }

  /** Fails when the jobs of the other user would count as gone while they run. */
  @Test
  void tokenOfAnotherSlurmUserIsRejectedWhileANodeHoldsWork() {
    world.run(world.place(world.submit(Specs.job("runs"))));
    Cluster now = world.cluster();
    Connection ml = new Connection.Slurm("https://slurm", "", "ml", new Secret("t"));
    stores
        .inventory()
        .configure(now.configured(now.capacity(), now.pricePerGpuHour(), now.settings()), ml);

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() ->
            connect(new Connection.Slurm("https://slurm", "", "root", new Secret("t")), false))
        .withMessageContaining("must name the same user");
    connect(new Connection.Slurm("https://slurm", "", "ml", new Secret("next")), false);
  }

  private void claim(String deviceClass) {
    claim(PodDevices.claimed(deviceClass, deviceClass));
  }

  private void claim(PodDevices form) {
    Cluster now = world.cluster();
    ClusterChange change =
        new ClusterChange(
            null,
            null,
            null,
            now.capacity(),
            now.pricePerGpuHour(),
            now.settings().withDevices(form),
            List.of("devices"));
    ClusterReadModel _ = changes.update(operator, now.name(), change, now.version(), false, false);
  }

  /** Stores the DeviceClasses that its supervisor has seen. */
  private void sees(String... classes) {
    Cluster now = world.cluster();
    Capabilities can =
        new Capabilities(
            "v1.36.4",
            Capabilities.Fence.ENFORCED,
            GpuIdentity.UNKNOWN,
            false,
            false,
            false,
            true,
            List.of(),
            "cluster.local",
            true,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Capabilities.Presence.NONE,
            List.of(classes));
    stores.inventory().update(now.moved(now.state(), now.lastSeenAt(), now.trouble(), can));
  }

  /** Fails when attempts that hold slots of a device plugin are mixed with slots with UUIDs. */
  @Test
  void gpuRequestFormIsFixedWhileAttemptsRun() {
    sees("gpu.nvidia.com");
    world.run(world.place(world.submit(Specs.job("runs"))));

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> claim("gpu.nvidia.com"))
        .satisfies(refusal -> {
          assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE);
          assertThat(refusal).message().contains("Drain it first");
        });
  }

  @Test
  void claimsOfADeviceClassThatTheClusterLacksAreRefusedWithTheNextStep() {
    claim("never.seen");
    assertThat(world.cluster().settings().devices().deviceClass())
        .as("a cluster that did not answer yet is not judged")
        .isEqualTo("never.seen");
    sees("mig.nvidia.com");

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> claim("gpu.nvidia.com"))
        .satisfies(refusal -> {
          assertThat(refusal.problems().getFirst().pointer()).isEqualTo("/devices/deviceClass");
          assertThat(refusal)
              .message()
              .contains("no DeviceClass gpu.nvidia.com, only mig.nvidia.com", "Install the DRA");
        });
    sees("gpu.nvidia.com");
    claim("gpu.nvidia.com");
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(
            () -> claim(PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com").slicing("mig")))
        .satisfies(refusal ->
            assertThat(refusal.problems().getFirst().pointer())
                .isEqualTo("/devices/migDeviceClass"));
    assertThat(world.cluster().settings().devices().deviceClass()).isEqualTo("gpu.nvidia.com");
  }

  /** Fails when an operator with a lost key file gets no helpful response. */
  @Test
  void brokenConnectionIsReplacedWhileAttemptsRunOnlyOnAnOperatorsConfirmation() {
    world.run(world.place(world.submit(Specs.job("runs"))));
    keyLost = true;

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> connect(TWO, false))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE))
        .withMessageContainingAll("is encrypted under key a1b2", "Restore the key", "force=true");
    assertThat(stores.inventory().connection(world.cluster().id())).isEqualTo(ONE);

    connect(TWO, true);

    assertThat(stores.inventory().connection(world.cluster().id())).isEqualTo(TWO);
    AuditRecord written = stores.auditEntries().getLast();
    assertThat(written.detail().get("forced")).asString().contains("cannot be decrypted");
  }

  /** Fails when the Jobs of a front appear deleted because another server responds in its place. */
  @Test
  void serverChangeRequiresForceWhileFrontJobsOrVolumesExist() {
    held = List.of("60 Jobs that Fairlead adopted there", "2 volumes of projects");

    connect(ONE, false);
    refused(TWO, false, "60 Jobs that Fairlead adopted there and 2 volumes", "force=true");

    connect(TWO, true);

    assertThat(stores.inventory().connection(world.cluster().id())).isEqualTo(TWO);
    assertThat(stores.auditEntries().getLast().detail().get("forced"))
        .asString()
        .contains("60 Jobs");
  }

  /** Fails when force is required although nothing can start twice. */
  @Test
  void clusterWithoutWorkAcceptsAnyConnection() {
    keyLost = true;

    connect(TWO, false);

    assertThat(stores.inventory().connection(world.cluster().id())).isEqualTo(TWO);
    assertThat(stores.auditEntries().getLast().detail()).doesNotContainKey("forced");
  }
}
