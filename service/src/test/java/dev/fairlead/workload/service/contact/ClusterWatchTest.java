package dev.fairlead.workload.service.contact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.attempt.AttemptId;
import dev.fairlead.attempt.MemberKey;
import dev.fairlead.cluster.Capabilities;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.health.service.ConditionIntake;
import dev.fairlead.health.service.Isolation;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.node.NodeReport;
import dev.fairlead.node.NodeReports;
import dev.fairlead.workload.ActionOutcome;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.Contact;
import dev.fairlead.workload.InventoryView;
import dev.fairlead.workload.LogRequest;
import dev.fairlead.workload.TermClaim;
import dev.fairlead.workload.WorkloadAction;
import dev.fairlead.workload.WorkloadView;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ClusterWatchTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final ClusterWatch watch =
      new ClusterWatch(
          world.cluster().id(),
          stores.inventory(),
          new ClosedPlaces(
              stores.inventory(),
              stores.operations(),
              stores.health(),
              stores.repairs(),
              stores.pools(),
              stores.bookings(),
              new ConditionIntake(
                  stores.inventory(),
                  stores.health(),
                  new Isolation(stores.health(), stores.inventory(), stores.ids()),
                  stores.ids())),
          stores.transactions(),
          () -> 0);

  private static InventoryView booted(long revision, String bootId) {
    return new InventoryView(revision, List.of(NodeReports.node("node-1").bootId(bootId).build()));
  }

  private String bootSeen(Shown gateway, InventoryView view) {
    gateway.view = view;
    watch.look(lease, gateway, null, world.now());
    return watch.nodes().get("node-1").bootId();
  }

  /**
   * Seed 4 of the simulation: the old boot id came again and counted as a reboot, a running attempt
   * was declared dead and its job started twice. Fails when the order of revisions is not minded.
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
  void revisionsOfANewConnectionStartAnew() {
    bootSeen(new Shown(), booted(7, "first"));
    assertThat(bootSeen(new Shown(), booted(1, "second"))).isEqualTo("second");
  }

  /**
   * Seed 10259 of the simulation: a supervisor that got its lease back after a reboot judged by the
   * boot it had seen long before, and an attempt that another had started since was declared dead.
   * Fails when nothing is forgotten with the lease.
   */
  @Test
  void whatWasSeenUnderAFormerLeaseProvesNothing() {
    Shown gateway = new Shown();
    bootSeen(gateway, booted(2, "first"));

    watch.forget();

    gateway.view = booted(1, "older still");
    watch.look(lease, gateway, null, world.now());
    assertThat(watch.nodes()).isEmpty();
    assertThat(bootSeen(gateway, booted(2, "first"))).isEqualTo("first");
    assertThat(bootSeen(gateway, booted(3, "second"))).isEqualTo("second");
  }

  /** Fails when only a turn, which may itself wait for the cluster, notes that it fell silent. */
  @Test
  void aClusterThatFallsSilentDuringATurnIsNotedAtOnce() {
    Shown gateway = new Shown();
    bootSeen(gateway, booted(1, "first"));
    gateway.contact = new Contact(3900, true, null);
    watch.contact().beat(lease, gateway, world::now);
    assertThat(stored().state()).isEqualTo(ClusterState.ACTIVE);

    gateway.contact = new Contact(4000, true, null);
    watch.contact().beat(lease, gateway, world::now);

    assertThat(stored().state()).isEqualTo(ClusterState.DEGRADED);
    assertThat(stored().trouble()).contains("no usable answer from it since");
    assertThat(watch.contact().unanswered()).isTrue();
  }

  private Cluster stored() {
    return stores.inventory().cluster(world.cluster().id()).orElseThrow();
  }

  /** Shows what it is told to. */
  private static final class Shown implements ClusterGateway {
    private InventoryView view = booted(0, "none");
    private Contact contact = new Contact(0, true, null);

    @Override
    public Contact contact() {
      return contact;
    }

    @Override
    public Capabilities capabilities() {
      return Capabilities.UNSEEN;
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
    public TermClaim claim(long term, long mark) {
      return TermClaim.OURS;
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
    public InputStream logs(LogRequest request) {
      return InputStream.nullInputStream();
    }

    @Override
    public void onChange(Runnable listener) {}

    @Override
    public void close() {}
  }
}
