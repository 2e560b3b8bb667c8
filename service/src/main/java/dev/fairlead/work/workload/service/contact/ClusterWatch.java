package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.operation.ClosedBy;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.judgement.OpenFaults;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A supervisor's view of its cluster: contact, state and nodes. Stores changes in the inventory.
 */
public final class ClusterWatch {
  /**
   * Reports of the cluster that are accepted immediately. Afterwards, one report in each {@link
   * #TAKE}.
   */
  private static final int TAKEN_AT_ONCE = 10;

  public static final Duration TAKE = Duration.ofSeconds(1);

  private final ClusterId id;
  private final InventoryStore inventory;
  private final ClosedPlaces places;
  private final CordonSync cordons;
  private final NodeLabelSync nodeLabels;
  private final Transactions transactions;
  private final ClusterContact contact;
  private final TokenBucket reports;
  private final ConditionWatch conditions;
  private final WindowWatch windows;
  private final NoticeWatch notices;
  private @Nullable ClusterGateway seenThrough;
  private long revision = Long.MIN_VALUE;
  private Map<String, NodeReport> nodes = new TreeMap<>();
  private ClosedPlaces.Closed closed = ClosedPlaces.Closed.NOTHING;
  private ClosedPlaces.@Nullable Known known;
  private boolean reportDue;
  private boolean withheld;

  public ClusterWatch(
      ClusterId id,
      InventoryStore inventory,
      ClosedPlaces places,
      Transactions transactions,
      MonotonicClock clock) {
    this.cordons = new CordonSync(inventory, transactions, clock);
    this.nodeLabels = new NodeLabelSync(id, places, clock);
    this.id = id;
    this.inventory = inventory;
    this.places = places;
    this.transactions = transactions;
    this.contact = new ClusterContact(id, inventory, transactions, clock);
    this.reports = new TokenBucket(TAKEN_AT_ONCE, TAKE, clock);
    this.windows = places.windows(id);
    this.notices = new NoticeWatch(id, places);
    this.conditions = new ConditionWatch(id, places.conditions(), transactions, clock);
  }

  public Map<String, NodeReport> nodes() {
    return nodes;
  }

  public ClusterContact contact() {
    return contact;
  }

  public boolean silent() {
    return contact.silent();
  }

  /** The notices of machines that end. */
  public NoticeCount notices() {
    return notices.count();
  }

  /** Returns whether the nodes differ from the stored ones and are stored later. */
  public boolean withheld() {
    return withheld;
  }

  /** Clusters that may run the job by their state, its placement, their backend and their GPUs. */
  public Set<ClusterId> mayUse(JobSpec spec) {
    return named(spec, cluster -> spec.roles().stream().allMatch(role -> offers(cluster, role)));
  }

  /** Selects clusters only by state, placement and backend, because nodes may still be arriving. */
  public Set<ClusterId> named(JobSpec spec) {
    return named(spec, cluster -> true);
  }

  private Set<ClusterId> named(JobSpec spec, Predicate<Cluster> further) {
    List<String> named = spec.placement().clusters();
    Set<ClusterId> usable = new TreeSet<>();
    for (Cluster cluster : inventory.clusters()) {
      if (cluster.state() != ClusterState.DISABLED
          && (named.isEmpty() || named.contains(cluster.name()))
          && BackendLoss.trouble(cluster.settings().backend().kind(), spec) == null
          && further.test(cluster)) {
        usable.add(cluster.id());
      }
    }
    return usable;
  }

  /** Its stored nodes, with their GPUs. Reads only the changes since the last call. */
  public List<Node> stored() {
    return places.nodes().stream().filter(node -> node.cluster().equals(id)).toList();
  }

  private boolean offers(Cluster cluster, RoleSpec role) {
    return role.gpu().kind() == GpuRequest.Kind.NONE
        || places.nodes().stream()
            .filter(node -> node.cluster().equals(cluster.id()))
            .anyMatch(node ->
                !node.gpus().isEmpty() && role.gpu().accepts(node.gpuModel(), node.gpuMemoryMiB()));
  }

  /** Applies cordons, pools and quarantines to the cluster. */
  public void syncNodeLabels(HeldLease lease, ClusterGateway gateway) {
    if (!silent()) {
      cordons.carry(lease, gateway, closed.cordons(), nodes);
      nodeLabels.carry(gateway, nodes);
    }
  }

  public DrainScope drained() {
    return closed.drained().with(windows.closed());
  }

  public OpenFaults isolated() {
    return closed.isolated();
  }

  /**
   * Returns whether the member's node accepts no new members, because of an operator or the
   * cluster.
   */
  public boolean closed(Member member) {
    NodeReport report = nodes.get(member.nodeName());
    return drained().covers(member.node())
        || closed.quarantined().contains(member.node())
        || report != null && (report.cordoned() || report.endsSoon())
        || closed.cordons().stream()
            .anyMatch(n -> n.id().equals(member.node()) && n.cordon() == Cordon.ORDERED);
  }

  /**
   * Stores changed state and nodes. Returns true when every attempt must be judged again. Reports
   * of a cluster that changes all the time are accepted at a limited rate, and then the latest:
   * each costs a check of all its attempts, and a plan.
   *
   * @param heldBack the reason why nothing may be done on the cluster, null when it may
   */
  public boolean look(
      HeldLease lease, ClusterGateway gateway, @Nullable String heldBack, Instant now) {
    boolean changed = contact.look(lease, gateway, heldBack, now);
    ClosedPlaces.Closed before = closed;
    if (closed.due(now)) {
      transactions.runFenced(lease, () -> places.release(id, now));
    }
    known = places.of(id, known, now);
    closed = known.closed();
    boolean reordered = !closed.equals(before);
    SortedMap<NodeId, List<ClosedBy>> left = windows.closed();
    boolean handsOver = windows.look(now);
    reportDue |= reordered || handsOver || notices.due(now);
    changed |= reordered || !windows.closed().equals(left);
    if (gateway.contact().synced()) {
      InventoryView view = gateway.inventory();
      forgetOther(gateway);
      /* An older report shows the boot before a reboot, which would count as another reboot. */
      boolean newer = view.revision() > revision;
      boolean ordered = reportDue && view.revision() >= revision;
      withheld = newer && !ordered && !reports.take();
      if (ordered || newer && !withheld) {
        List<NodeReport> shown = notices.read(view.nodes(), closed.announced(), now);
        transactions.runFenced(lease, () -> places.report(id, shown, closed, now));
        changed |= replace(shown);
        revision = view.revision();
        reportDue = false;
      }
      closed
          .isolated()
          .contradicted(nodes, now)
          .forEach(task -> transactions.runFenced(lease, () -> places.contradict(id, task, now)));
      notices.count(nodes, () -> inventory.busy(id), now);
      changed |= conditions.look(lease, nodes.values(), closed.quarantined(), now);
    }
    return changed;
  }

  /**
   * Called when another process takes over the cluster. The nodes observed so far are not evidence
   * about attempts that are launched later. The next report counts, unless it is older than the
   * last.
   */
  public void forget() {
    nodes = new TreeMap<>();
    reportDue = true;
    contact.forget();
    conditions.forget();
    notices.forget();
  }

  /** Revisions of another connection are not comparable. */
  @SuppressWarnings("ReferenceEquality") // the connection itself, not its remote end
  private void forgetOther(ClusterGateway gateway) {
    if (seenThrough != gateway) {
      seenThrough = gateway;
      revision = Long.MIN_VALUE;
    }
  }

  /**
   * Returns true when the readiness, cordon, notice, boot or existence of a node changed: that may
   * be evidence about its attempts, or a request to leave it.
   */
  private boolean replace(List<NodeReport> reports) {
    Map<String, NodeReport> next = new TreeMap<>();
    boolean changed = reports.size() != nodes.size();
    for (NodeReport node : reports) {
      NodeReport before = nodes.get(node.name());
      changed |=
          before == null
              || before.ready() != node.ready()
              || before.cordoned() != node.cordoned()
              || before.leaving() != node.leaving()
              || !before.notice().equals(node.notice())
              || before.machineGone() != node.machineGone()
              || before.outOfService() != node.outOfService()
              || !before.bootId().equals(node.bootId());
      next.put(node.name(), node);
    }
    nodes = next;
    return changed;
  }
}
