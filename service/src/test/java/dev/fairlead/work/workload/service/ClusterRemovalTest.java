package dev.fairlead.work.workload.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterCheck;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.service.FleetCommands;
import dev.fairlead.fleet.operation.service.DrainCommands;
import dev.fairlead.front.FrontJob;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClusterRemovalTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor operator = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final FleetCommands fleet =
      new FleetCommands(stores.transactions(), stores.inventory(), stores.audit());
  private final ClusterRemoval removal =
      new ClusterRemoval(
          stores.transactions(),
          stores.inventory(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
          stores.leases(),
          stores.audit(),
          occupants());
  private final List<String> requests = new ArrayList<>();

  private ClusterOccupants occupants() {
    return new ClusterOccupants(
        stores.jobs(),
        stores.operations(),
        stores.reservations(),
        stores.volumes(),
        stores.fronts(),
        stores.services(),
        new Requests());
  }

  /** Nodes of provisioners, tested with the supplies. */
  private final class Requests implements ClusterCheck {
    @Override
    public Optional<String> refuses(Cluster cluster) {
      throw new AssertionError("it is not disabled");
    }

    @Override
    public List<String> openRequests(Cluster cluster) {
      return requests;
    }
  }

  private void remove(boolean validateOnly) {
    Cluster now = world.cluster();
    removal.remove(operator, now.name(), now.version(), validateOnly);
  }

  private void move(ClusterEvent event) {
    fleet.move(operator, world.cluster().name(), event, false);
  }

  private List<String> lives() {
    try {
      remove(false);
      return List.of();
    } catch (Refusal refused) {
      assertThat(refused.code()).isEqualTo(ProblemCode.IN_USE);
      return refused.problems().stream().map(p -> p.pointer() + " " + p.detail()).toList();
    }
  }

  @Test
  void eachBlockerIsNamedUntilNothingRemains() {
    String name = world.cluster().name();
    Attempt runs = world.run(world.place(world.submit(Specs.job("runs").gpus(1))));
    PlacementSpec there = PlacementSpec.ANYWHERE.with().clusters(List.of(name)).build();
    world.submit(Specs.job("waits").placement(there));
    drain();

    assertThat(lives())
        .hasSize(3)
        .satisfiesExactly(
            attempts -> assertThat(attempts).contains(runs.id().text(), "RUNNING"),
            jobs -> assertThat(jobs).satisfies(reason("cluster-removal.name-cluster-alone-waits")),
            operations -> assertThat(operations).contains("/operations Operations: opr_"));
    assertThat(world.cluster().state()).isEqualTo(ClusterState.DRAINING);
  }

  private void drain() {
    new DrainCommands(
            stores.transactions(),
            stores.inventory(),
            stores.operations(),
            stores.audit(),
            stores.ids(),
            stores.clock())
        .drainCluster(operator, world.cluster().name(), null, false);
  }

  /** Fails when a cluster in service is removed by one mistaken call. */
  @Test
  void clusterInServiceMustBeDisabledFirst() {
    move(ClusterEvent.DRAIN);
    move(ClusterEvent.ENABLE);

    assertThat(lives()).singleElement().asString().startsWith("/state It is in service (ACTIVE)");
  }

  /** Fails when a permanently lost cluster retains its ended attempts, and therefore itself. */
  @Test
  void endedAttemptsOfADisabledClusterAreWrittenOff() {
    Attempt ended = world.succeed(world.run(world.place(world.submit(Specs.job("ran")))));
    move(ClusterEvent.DRAIN);
    assertThat(lives())
        .singleElement()
        .asString()
        .satisfies(reason("cluster-removal.pods-being-removed"));
    move(ClusterEvent.DISABLE);

    remove(false);

    assertThat(world.attempt(ended).retiredAt()).isNotNull();
    assertThat(stores.inventory().clusterNamed(world.uniqueName("x"))).isEmpty();
    assertThat(stores.auditEntries()).extracting(AuditRecord::operation).endsWith("deleteCluster");
  }

  /** Fails when Jobs retain a finalizer that nothing removes, and the plan does not report that. */
  @Test
  void planListsJobsThatRetainTheirFinalizer() {
    move(ClusterEvent.DISABLE);
    stores
        .fronts()
        .insert(
            List.of(
                new FrontJob(
                    world.cluster().id(),
                    "uid-1",
                    "team-a",
                    "train",
                    world.tenant().id(),
                    world.project().id(),
                    null,
                    false,
                    Instant.EPOCH)));

    assertThat(removal.extent(world.cluster().name()).frontJobs()).isEqualTo(1);
    assertThat(occupants().heldBy(world.cluster()))
        .singleElement()
        .satisfies(reason("cluster-removal.jobs-fairlead-took-up", 1));
    remove(false);
  }

  /**
   * Fails when services stay assigned to a removed cluster and their objects retain a finalizer.
   */
  @Test
  void frontStaysUntilItsModelServicesAreDeleted() {
    move(ClusterEvent.DRAIN);
    served();

    assertThat(lives())
        .singleElement()
        .asString()
        .startsWith("/modelServices ")
        .contains("chat of project " + world.project().name());
    assertThat(occupants().heldBy(world.cluster()))
        .containsExactly("1 services of ModelServices there");

    move(ClusterEvent.DISABLE);
    assertThat(removal.extent(world.cluster().name()).modelServices()).isEqualTo(1);
    remove(false);
    assertThat(stores.services().all()).as("a removal ends no service").hasSize(1);
  }

  private void served() {
    ModelServiceId id = new ModelServiceId(stores.ids().next());
    String document = ModelService.document(world.project().id(), "chat");
    ModelService settings =
        new ModelService(
                id,
                "chat",
                world.project().name(),
                "chat.example",
                1,
                2,
                ModelService.DEFAULT_STEPS,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                null,
                List.of(),
                null,
                ModelService.Access.OPEN,
                null,
                List.of(),
                RouteOptions.NONE)
            .withOwner(new ServiceOwner(world.cluster().name(), "team-a", "uid-1", "digest"));
    ConfigDocument<ModelService> _ =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    ModelService.DOCUMENTS,
                    document,
                    world.tenant().id(),
                    world.project().id(),
                    settings,
                    0));
    stores
        .services()
        .insert(ServiceState.first(id, world.tenant().id(), document, settings.route()));
  }

  /** Fails when labels and taints remain on nodes, and the plan does not report that. */
  @Test
  void nodesWithPoolLabelsAreReportedUntilTheLabelsAreGone() {
    move(ClusterEvent.DRAIN);
    showing(NodeLabelPolicy.POOL, Capabilities.Presence.UNKNOWN);
    assertThat(lives())
        .singleElement()
        .asString()
        .startsWith("/nodeLabelsAndTaints Its nodes show");
    showing(NodeLabelPolicy.NEVER, Capabilities.Presence.PRESENT);
    assertThat(lives())
        .singleElement()
        .asString()
        .startsWith("/nodeLabelsAndTaints Its nodes show");

    showing(NodeLabelPolicy.NEVER, Capabilities.Presence.NONE);
    remove(true);
    showing(NodeLabelPolicy.POOL, Capabilities.Presence.PRESENT);
    move(ClusterEvent.DISABLE); // a permanently removed cluster never responds again
    remove(false);
  }

  private void showing(NodeLabelPolicy setting, Capabilities.Presence presence) {
    Cluster now = world.cluster();
    Cluster said =
        now.configured(
            now.capacity(), now.pricePerGpuHour(), now.settings().withNodeLabelsAndTaints(setting));
    stores.inventory().configure(said, null);
    Capabilities seen = said.capabilities().with(presence);
    stores.inventory().update(said.moved(said.state(), Instant.EPOCH, null, seen));
  }

  @Test
  void dryRunRemovesNothingAndAStaleVersionIsRejected() {
    move(ClusterEvent.DISABLE);
    Cluster before = world.cluster();
    String lease = ClusterSupervisor.lease(before.id());
    stores.leases().create(lease, "one");

    remove(true);

    assertThat(world.cluster()).isEqualTo(before);
    assertThat(stores.leases().read(lease)).isPresent();
    assertThatThrownBy(() -> removal.remove(operator, before.name(), before.version() - 1, false))
        .satisfies(problem("cluster-removal.changed-since-read", before.name()));
    remove(false);
    assertThat(stores.leases().read(lease)).isEmpty();
    assertThat(stores.inventory().cluster(before.id())).isEmpty();
  }

  /**
   * Fails without the open requests among the occupants: their nodes would be billed permanently.
   */
  @Test
  void clusterWithProvisionedNodesStaysUntilTheyAreReturned() {
    move(ClusterEvent.DRAIN);
    requests.add("spr_1 of pool burst (READY, 2 held)");

    assertThat(lives())
        .singleElement()
        .asString()
        .satisfies(
            reason(
                "cluster-removal.open-requests-nodes-pool",
                "/supplyRequests",
                "spr_1",
                "burst",
                "READY",
                2))
        .contains("maxNodes", "pool supply delete");
    assertThat(occupants().heldBy(world.cluster())).containsExactly("1 open requests for nodes");

    requests.clear();
    assertThat(occupants().heldBy(world.cluster())).isEmpty();
    assertThat(lives()).isEmpty();
  }

  /** Fails when a cluster is removed with the only copy of a project's data. */
  @Test
  void clusterWithVolumesIsNotRemoved() {
    Volume volume =
        Volumes.stored(
            stores, Volumes.kept(stores, world.project(), "training").placed(world.cluster().id()));
    move(ClusterEvent.DISABLE);

    assertThat(lives())
        .singleElement()
        .satisfies(
            reason("cluster-removal.volumes-projects-training-placed", "/volumes", "PLACED"));

    assertThat(occupants().heldBy(world.cluster())).containsExactly("1 volumes of projects");

    stores.volumes().delete(volume);
    assertThat(occupants().heldBy(world.cluster())).isEmpty();
    assertThat(lives()).isEmpty();
  }
}
