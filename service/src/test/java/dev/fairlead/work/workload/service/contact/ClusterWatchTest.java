package dev.fairlead.work.workload.service.contact;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterWatchTest {
  private long nanos;
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final ClusterWatch watch =
      new ClusterWatch(
          world.cluster().id(),
          stores.inventory(),
          ServiceParts.closedPlaces(stores),
          stores.transactions(),
          () -> nanos);

  private static InventoryView booted(long revision, String bootId) {
    return new InventoryView(revision, List.of(NodeReports.node("node-1").bootId(bootId).build()));
  }

  private String bootSeen(Shown gateway, InventoryView view) {
    gateway.view = view;
    watch.look(lease, gateway, null, world.now());
    return watch.nodes().get("node-1").bootId();
  }

  /**
   * Seed 4 of the simulation: the old boot id was reported again and counted as a reboot, a running
   * attempt was declared dead and its job started twice. Fails when the order of revisions is
   * ignored.
   */
  @Test
  void anOlderReportOfTheNodesIsNotTaken() {
    Shown gateway = new Shown();
    assertThat(bootSeen(gateway, booted(1, "first"))).isEqualTo("first");
    assertThat(bootSeen(gateway, booted(2, "second"))).isEqualTo("second");
    assertThat(bootSeen(gateway, booted(1, "first"))).isEqualTo("second");
    assertThat(world.node("node-1").bootId()).isEqualTo("second");
  }

  @Test
  void newConnectionRestartsItsRevisions() {
    bootSeen(new Shown(), booted(7, "first"));
    assertThat(bootSeen(new Shown(), booted(1, "second"))).isEqualTo("second");
  }

  /**
   * Seed 10259 of the simulation: a supervisor that regained its lease after a reboot judged by an
   * old boot, and an attempt that another process had started since was declared dead. Fails when
   * nothing is forgotten with the lease.
   */
  @Test
  void reportsUnderAFormerLeaseProveNothing() {
    Shown gateway = new Shown();
    bootSeen(gateway, booted(2, "first"));

    watch.forget();

    gateway.view = booted(1, "older still");
    watch.look(lease, gateway, null, world.now());
    assertThat(watch.nodes()).isEmpty();
    assertThat(bootSeen(gateway, booted(2, "first"))).isEqualTo("first");
    assertThat(bootSeen(gateway, booted(3, "second"))).isEqualTo("second");
  }

  /** Fails if a job denied by other clusters waits for a denial that never arrives. */
  @Test
  void jobSkipsAClusterWhoseBackendRejectsIt() {
    JobSpec numa =
        Specs.job("a")
            .placement(PlacementSpec.ANYWHERE.with().numa(PlacementSpec.Numa.REQUIRED).build())
            .build();
    assertThat(watch.named(numa)).containsExactly(world.cluster().id());

    ClusterSettings settings =
        world
            .cluster()
            .settings()
            .withBackend(
                new PlacementBackend(PlacementBackend.Kind.KUBE_SCHEDULER, null, null, null));
    Cluster now = world.cluster();
    stores
        .inventory()
        .configure(now.configured(now.capacity(), now.pricePerGpuHour(), settings), null);

    assertThat(watch.named(numa)).isEmpty();
    assertThat(watch.named(Specs.job("b").build())).containsExactly(world.cluster().id());
  }

  /** Fails when only a pass, which may itself wait for the cluster, records its silence. */
  @Test
  void clusterThatFallsSilentDuringATurnIsNotedImmediately() {
    Shown gateway = new Shown();
    bootSeen(gateway, booted(1, "first"));
    gateway.contact = new Contact(3900, true, null);
    watch.contact().beat(lease, gateway, world::now);
    assertThat(stored().state()).isEqualTo(ClusterState.ACTIVE);

    gateway.contact = new Contact(4000, true, null);
    watch.contact().beat(lease, gateway, world::now);

    assertThat(stored().state()).isEqualTo(ClusterState.DEGRADED);
    assertThat(stored().trouble()).satisfies(reason("cluster-watch.usable-answer-since"));
    assertThat(watch.contact().unanswered()).isTrue();
  }

  /**
   * A loop acts only on clusters with a contact under its lease. Fails when none is recorded until
   * the clock of the database has caught up with the last contact.
   */
  @Test
  void aContactIsRecordedAfterTheClockOfTheDatabaseWasSetBack() {
    Shown gateway = new Shown();
    Instant ahead = world.now().plus(Duration.ofHours(2));
    watch.look(lease, gateway, null, ahead);
    assertThat(stored().lastSeenAt()).isEqualTo(ahead);

    nanos += ClusterWatch.TAKE.toNanos();
    watch.look(lease, gateway, null, world.now());
    assertThat(stored().lastSeenAt()).isEqualTo(world.now());
  }

  /** Checks nodes of the cluster without labels. */
  private List<String> labelled(Shown gateway, int nodes, NodeLabelPolicy setting) {
    Cluster now = stored();
    stores
        .inventory()
        .configure(
            now.configured(
                now.capacity(),
                now.pricePerGpuHour(),
                now.settings().withNodeLabelsAndTaints(setting)),
            null);
    gateway.view =
        new InventoryView(
            gateway.view.revision() + 1,
            IntStream.range(0, nodes)
                .mapToObj(n ->
                    NodeReports.node("n-" + n)
                        .labelsAndTaints(new NodeLabelsAndTaints("old", null))
                        .build())
                .toList());
    return labelled(gateway);
  }

  private List<String> labelled(Shown gateway) {
    gateway.marked.clear();
    watch.look(lease, gateway, null, world.now());
    watch.syncNodeLabels(lease, gateway);
    return gateway.marked;
  }

  /**
   * Fails when a node that joins a quarantined rack is briefly in use, or a rack is out of service
   * after the end of its quarantine.
   */
  @Test
  void nodeJoiningAQuarantinedRackIsOutOfUseUntilItsRelease() {
    Shown gateway = new Shown();
    gateway.view = racks(1, "n-0");
    watch.look(lease, gateway, null, world.now());
    Instant end = world.now().plusSeconds(3600);
    stores
        .health()
        .write(
            new DomainQuarantine(
                new DomainQuarantineId(stores.ids().next()),
                world.cluster().id(),
                "rack",
                "r0",
                "cooling fails",
                "olga",
                world.now(),
                end,
                null,
                null,
                1));
    gateway.view = racks(2, "n-0", "n-1");
    watch.look(lease, gateway, null, end.minusSeconds(1));
    assertThat(states()).containsOnly(NodeState.QUARANTINED).hasSize(2);

    watch.look(lease, gateway, null, end);
    assertThat(states()).containsOnly(NodeState.ACTIVE).hasSize(2);
    assertThat(stores.health().standing(world.cluster().id())).isEmpty();
    assertThat(stores.health().domains(world.cluster().id())).isEmpty();
  }

  private List<NodeState> states() {
    return stores.inventory().nodes(world.cluster().id()).stream().map(Node::state).toList();
  }

  private static InventoryView racks(long revision, String... nodes) {
    return new InventoryView(
        revision,
        Stream.of(nodes).map(n -> NodeReports.node(n).topology("rack", "r0").build()).toList());
  }

  /** Fails when a pass makes a call for each node, or repeats a call too early. */
  @Test
  void aTurnLabelsABoundedNumberOfNodes() {
    Shown gateway = new Shown();
    assertThat(labelled(gateway, 50, NodeLabelPolicy.NEVER))
        .hasSize(NodeLabelSync.MOST)
        .contains("n-0 NONE");
    assertThat(labelled(gateway)).as("soon after").isEmpty();
    nanos += Duration.ofSeconds(5).toNanos() - 1;
    assertThat(labelled(gateway)).as("soon after").isEmpty();
    nanos += 1;
    assertThat(labelled(gateway)).hasSize(NodeLabelSync.MOST);
  }

  /** Fails when a missing right costs a call for each node, or is never tried again. */
  @Test
  void missingRightEndsTheTurnAndIsRetriedWithAnotherNode() {
    Shown gateway = new Shown();
    gateway.marking = new ActionOutcome.Refused(ActionOutcome.Why.UNSUPPORTED, "may not patch");
    assertThat(labelled(gateway, 50, NodeLabelPolicy.POOL)).containsExactly("n-0 NONE");
    nanos += Duration.ofSeconds(5).toNanos();
    assertThat(labelled(gateway)).isEmpty();
    nanos += Duration.ofSeconds(25).toNanos();
    assertThat(labelled(gateway)).containsExactly("n-1 NONE");
    gateway.marking = new ActionOutcome.Done(new TreeSet<>());
    nanos += Duration.ofSeconds(30).toNanos();
    assertThat(labelled(gateway))
        .hasSize(NodeLabelSync.MOST)
        .doesNotContain("n-0 NONE", "n-1 NONE");
  }

  /** Fails when one node with a foreign label delays the others. */
  @Test
  void nodeWithAForeignLabelDelaysNoOther() {
    Shown gateway = new Shown();
    gateway.marking = new ActionOutcome.Refused(ActionOutcome.Why.NAME_TAKEN, "somebody else's");
    assertThat(labelled(gateway, 22, NodeLabelPolicy.POOL)).hasSize(NodeLabelSync.MOST);
    nanos += Duration.ofSeconds(5).toNanos();
    assertThat(labelled(gateway)).hasSize(2);
    nanos += Duration.ofSeconds(5).toNanos();
    assertThat(labelled(gateway)).isEmpty();
    nanos += Duration.ofMinutes(5).toNanos();
    assertThat(labelled(gateway)).hasSize(NodeLabelSync.MOST);
  }

  private static ActionOutcome refused() {
    return new ActionOutcome.Refused(ActionOutcome.Why.UNSUPPORTED, "not this node");
  }

  /** Checks {@code times} more times at this interval, and returns the changes of each. */
  private List<List<String>> labelledLater(Shown gateway, int times, Duration wait) {
    List<List<String>> looks = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      nanos += wait.toNanos();
      looks.add(List.copyOf(labelled(gateway)));
    }
    return looks;
  }

  /**
   * Fails when failing nodes, such as a constantly changing node, are retried before the others.
   */
  @Test
  void temporarilyUnmarkableNodesDelayNoOther() {
    Shown gateway = new Shown();
    gateway.odd = new ActionOutcome.Unavailable("was changed meanwhile");
    gateway.oddNodes = List.of("n-0 NONE", "n-1 NONE");
    assertThat(labelled(gateway, 12, NodeLabelPolicy.POOL)).containsExactly("n-0 NONE");
    assertThat(labelledLater(gateway, 2, Duration.ofSeconds(5)))
        .satisfiesExactly(
            second -> assertThat(second).containsExactly("n-1 NONE"),
            third -> assertThat(third).hasSize(11).startsWith("n-10 NONE").endsWith("n-0 NONE"));
  }

  /** Fails when more nodes are refused than can be tried until the first one is tried again. */
  @Test
  void individuallyRejectedNodesDelayNoOther() {
    Shown gateway = new Shown();
    gateway.odd = refused();
    gateway.oddNodes = IntStream.range(10, 22).mapToObj(n -> "n-" + n + " NONE").toList();
    labelled(gateway, 30, NodeLabelPolicy.POOL);
    List<String> all =
        labelledLater(gateway, 14, Duration.ofSeconds(30)).stream().flatMap(List::stream).toList();
    assertThat(all).contains("n-22 NONE", "n-29 NONE", "n-9 NONE");
  }

  /** Fails when each pass calls a cluster for taints of GPUs that it cannot have. */
  @Test
  void clusterWithoutTaintsOfGpusIsNotAskedForThem() {
    Shown gateway = new Shown();
    assertThat(labelled(gateway, 1, NodeLabelPolicy.POOL_AND_QUARANTINE))
        .containsExactly("n-0 NONE");
    gateway.view = new InventoryView(9, List.of(NodeReports.node("n-0").build()));
    Node node = stores.inventory().nodes(world.cluster().id()).getFirst();
    Quarantine whole =
        Quarantine.begun(
            new QuarantineId(stores.ids().next()),
            node.cluster(),
            node.id(),
            "XID 48",
            "olga",
            world.now(),
            null);
    stores.health().write(whole.of(node.gpus().getFirst().serial()));
    gateway.capabilities = Capabilities.UNOBSERVED.because(Capabilities.DEVICE_TAINTS, "no rules");
    nanos += Duration.ofMinutes(2).toNanos();
    assertThat(labelled(gateway)).isEmpty();
    gateway.capabilities = Capabilities.UNOBSERVED;
    nanos += Duration.ofMinutes(2).toNanos();
    assertThat(labelled(gateway))
        .singleElement()
        .asString()
        .contains(node.gpus().getFirst().serial());
  }

  /** Fails when the attempts of a slow cluster wait for twenty slow responses. */
  @Test
  void aSlowClusterLabelsFewNodesInATurn() {
    Shown gateway = new Shown();
    gateway.meanwhile = () -> nanos += Duration.ofSeconds(1).toNanos();
    assertThat(labelled(gateway, 12, NodeLabelPolicy.POOL)).hasSize(2);
  }

  /**
   * A change of {@code nodeLabelsAndTaints} reopens the connection. Fails when the cluster can be
   * removed at that moment, with permanent labels on its nodes.
   */
  @Test
  void connectionNotYetOpenReportsNothingAboutLabels() {
    Shown gateway = new Shown();
    gateway.capabilities = Capabilities.UNOBSERVED.with(Capabilities.Presence.PRESENT);
    bootSeen(gateway, booted(1, "first"));
    assertThat(stored().capabilities().nodeLabelsAndTaints())
        .isEqualTo(Capabilities.Presence.PRESENT);

    gateway.capabilities = Capabilities.UNOBSERVED;
    gateway.contact = new Contact(0, false, null);
    watch.look(lease, gateway, null, world.now());
    assertThat(stored().capabilities().nodeLabelsAndTaints())
        .isEqualTo(Capabilities.Presence.PRESENT);

    gateway.contact = new Contact(0, true, null);
    watch.look(lease, gateway, null, world.now());
    assertThat(stored().capabilities().nodeLabelsAndTaints())
        .as("it has no nodes any more")
        .isEqualTo(Capabilities.Presence.UNKNOWN);
  }

  /** Fails when nodes with unusable GPUs are not reported. */
  @Test
  void nodesWithoutAKnownGpuModelAreAWarningThatBlocksNothing() {
    Shown gateway = new Shown();
    gateway.capabilities = Capabilities.UNOBSERVED.because(Capabilities.GPU_MODELS, "set a label");
    bootSeen(gateway, booted(1, "first"));
    assertThat(stored().trouble()).isEqualTo("set a label");
    assertThat(stored().state()).isEqualTo(ClusterState.ACTIVE);

    gateway.capabilities = Capabilities.UNOBSERVED;
    watch.look(lease, gateway, null, world.now());
    assertThat(stored().trouble()).isNull();
  }

  private Cluster stored() {
    return stores.inventory().cluster(world.cluster().id()).orElseThrow();
  }

  /** Shows the state that a test sets. */
  private static final class Shown implements ClusterGateway {
    private InventoryView view = booted(0, "none");
    private Contact contact = new Contact(0, true, null);
    private ActionOutcome marking = new ActionOutcome.Done(new TreeSet<>());
    private final List<String> marked = new ArrayList<>();

    /** Result for {@link #oddNodes} instead of {@link #marking}. */
    private ActionOutcome odd = marking;

    private List<String> oddNodes = List.of();
    private Runnable meanwhile = () -> {};
    private Capabilities capabilities = Capabilities.UNOBSERVED;

    @Override
    public Contact contact() {
      return contact;
    }

    @Override
    public Capabilities capabilities() {
      return capabilities;
    }

    @Override
    public InventoryView inventory() {
      return view;
    }

    @Override
    public Optional<NodeReport> nodeNow(String name) {
      return Optional.empty();
    }

    @Override
    public WorkloadView workloadsSince(long revision) {
      return new WorkloadView(0, true, new TreeMap<>());
    }

    @Override
    public boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid) {
      return true;
    }

    @Override
    public SortedSet<AttemptId> lookedUp() {
      return new TreeSet<>();
    }

    @Override
    public EpochClaim claim(long epoch, long watermark) {
      return EpochClaim.OURS;
    }

    @Override
    public ActionOutcome apply(WorkloadAction action) {
      return new ActionOutcome.Unavailable("not of this test");
    }

    @Override
    public ActionOutcome keepOut(String node, boolean out) {
      return new ActionOutcome.Unavailable("not of this test");
    }

    @Override
    public ActionOutcome setLabelsAndTaints(String node, NodeLabelsAndTaints wanted) {
      marked.add(node + " " + (wanted.none() ? "NONE" : wanted));
      meanwhile.run();
      return oddNodes.contains(marked.getLast()) ? odd : marking;
    }

    @Override
    public InputStream logs(LogRequest request) {
      return InputStream.nullInputStream();
    }

    @Override
    public void onChange(Runnable listener) {}

    @Override
    public void close() {}
  }
}
