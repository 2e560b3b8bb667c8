package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Clusters with their own scheduler. It binds pods late, to other nodes than planned and to
 * quarantined ones, stops for a while, and evicts groups. With faults off, the resources of each
 * member follow its pod.
 */
public final class BackendArea implements Area {
  private static final Duration SETTLED = Duration.ofSeconds(150);

  /** Without faults, a pod runs at most this long on a different node than its resources. */
  private static final long FOLLOWED = Duration.ofMinutes(2).toMillis();

  private static final long CHECKED = Duration.ofSeconds(5).toMillis();
  private static final int TRIES = 20;

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final SortedMap<ClusterId, SimulatedCluster> clusters = new TreeMap<>();
  private final Set<ClusterId> stopped = new HashSet<>();
  private final Map<String, Long> apart = new HashMap<>();
  private final boolean unknown;
  private boolean faults = true;
  private boolean calm;
  private long checked;

  public BackendArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.unknown = missing.contains(Guard.BACKEND_WAITS);
    boolean wanted = missing.stream().anyMatch(Guard::ofBackends);
    if (!wanted && (!missing.isEmpty() || chance.nextInt(6) != 0)) {
      return;
    }
    durable
        .clusters()
        .forEach((id, cluster) -> {
          if (!durable.sheltered(id) && (wanted || chance.nextInt(3) != 0)) {
            begin(id, cluster);
          }
        });
  }

  private void begin(ClusterId id, SimulatedCluster cluster) {
    clusters.put(id, cluster);
    durable.schedules(
        id,
        chance.nextBoolean() ? PlacementBackend.Kind.KUBE_SCHEDULER : PlacementBackend.Kind.KUEUE);
    cluster.binder().waitForScheduler();
    passes(id);
    troubles(id);
  }

  private void passes(ClusterId id) {
    time.in(
        millis(100, 3_000),
        "scheduler of a cluster",
        () -> {
          if (!stopped.contains(id)) {
            pass(id);
          }
          passes(id);
        });
  }

  private void troubles(ClusterId id) {
    time.in(
        millis(5_000, 240_000),
        "trouble with a scheduler",
        () -> {
          if (faults) {
            trouble(id);
            troubles(id);
          }
        });
  }

  private Duration millis(int least, int most) {
    return Duration.ofMillis(chance.nextInt(least, most));
  }

  private void trouble(ClusterId id) {
    if (chance.nextInt(3) == 0 && stopped.add(id)) {
      time.in(
          Duration.ofSeconds(List.of(10, 120, 900).get(chance.nextInt(3))),
          "the scheduler returns",
          () -> stopped.remove(id));
    } else if (durable.backend(id) == PlacementBackend.Kind.KUEUE) {
      evict(id);
    }
  }

  /** Deletes all pods of a group, like Kueue when it preempts a Workload. */
  private void evict(ClusterId id) {
    SimulatedCluster cluster = cluster(id);
    List<Map.Entry<AttemptId, SortedMap<MemberKey, String>>> groups =
        cluster.binder().nodes().entrySet().stream()
            .filter(each -> !each.getValue().containsValue(""))
            .toList();
    if (!groups.isEmpty()) {
      Map.Entry<AttemptId, SortedMap<MemberKey, String>> victim =
          groups.get(chance.nextInt(groups.size()));
      time.say(() -> "evicts the group " + victim.getKey().text());
      victim.getValue().keySet().forEach(pod -> cluster.deletePod(victim.getKey(), pod));
    }
  }

  private SimulatedCluster cluster(ClusterId id) {
    return Objects.requireNonNull(clusters.get(id));
  }

  /** Binds one pod, or all pods of one attempt together. */
  private void pass(ClusterId id) {
    SimulatedCluster cluster = cluster(id);
    List<Map.Entry<AttemptId, SortedMap<MemberKey, String>>> waiting =
        cluster.binder().nodes().entrySet().stream()
            .filter(each -> each.getValue().containsValue(""))
            .toList();
    if (waiting.isEmpty() || faults && chance.nextInt(3) == 0) {
      return;
    }
    AttemptId attempt = waiting.get(chance.nextInt(waiting.size())).getKey();
    List<MemberKey> pods = new ArrayList<>();
    cluster
        .binder()
        .nodes()
        .get(attempt)
        .forEach((pod, node) -> {
          if (node.isEmpty()) {
            pods.add(pod);
          }
        });
    boolean together = durable.backend(id) == PlacementBackend.Kind.KUEUE;
    if (together && pods.size() < size(attempt)) {
      return;
    }
    List<String> nodes = open(id);
    for (int i = 0; i < TRIES && !nodes.isEmpty(); i++) {
      SortedMap<MemberKey, String> chosen = new TreeMap<>();
      for (MemberKey pod : together ? pods : List.of(pods.get(chance.nextInt(pods.size())))) {
        chosen.put(pod, nodes.get(chance.nextInt(nodes.size())));
      }
      if (cluster.binder().bind(attempt, chosen)) {
        time.say(() -> "bound " + attempt.text() + " " + chosen);
        return;
      }
    }
  }

  private int size(AttemptId attempt) {
    return durable.stores().jobs().attempts(List.of(attempt)).stream()
        .mapToInt(a -> a.members().size())
        .findFirst()
        .orElse(0);
  }

  /** Nodes that the scheduler treats as open. The scheduler may not have read a quarantine yet. */
  private List<String> open(ClusterId id) {
    boolean all = faults && chance.nextInt(8) == 0;
    return durable.stores().inventory().nodes(id).stream()
        .filter(node -> all || node.state() == NodeState.ACTIVE)
        .map(Node::name)
        .toList();
  }

  /** Without the guard, moves are not stored. */
  static JobStore jobs(JobStore stored, Set<Guard> missing) {
    return missing.contains(Guard.BACKEND_FOLLOWED)
        ? UnguardedStores.of(
            JobStore.class,
            (self, method, arguments) -> {
              if (method.getName().equals("append")) {
                stored.append(
                    ((List<?>) arguments[0])
                        .stream()
                            .map(Transition.class::cast)
                            .filter(t -> t.holding() != Transition.AllocationChange.MOVE)
                            .toList());
                return null;
              }
              return UnguardedStores.invoke(stored, method, arguments);
            })
        : stored;
  }

  /** Such a cluster refuses requests that need the choice of nodes. */
  @Override
  public ClusterGateway reached(ProcessLife life, ClusterId cluster, ClusterGateway gateway) {
    PlacementBackend.Kind backend = durable.backend(cluster);
    return clusters.containsKey(cluster)
        ? UnguardedStores.of(
            ClusterGateway.class,
            (self, method, arguments) -> {
              if (method.getName().equals("apply")
                  && arguments[0] instanceof WorkloadAction.Launch launch) {
                String lost = BackendLoss.trouble(backend, launch.order().job().spec());
                if (lost != null) {
                  return new ActionOutcome.Refused(ActionOutcome.Why.DENIED, lost);
                }
              }
              Object answer = UnguardedStores.invoke(gateway, method, arguments);
              return unknown && answer instanceof WorkloadView view ? withoutWaits(view) : answer;
            })
        : gateway;
  }

  /** Without the guard, pods that wait for their node are not reported. */
  private static WorkloadView withoutWaits(WorkloadView view) {
    SortedMap<AttemptId, ObservedWorkload> seen = new TreeMap<>();
    view.workloads()
        .forEach((id, workload) -> {
          SortedMap<MemberKey, ObservedMember> members = new TreeMap<>(workload.members());
          members.replaceAll((key, m) -> m.node() == null ? m.with().reason(null).build() : m);
          seen.put(id, new ObservedWorkload(id, members, workload.others()));
        });
    return new WorkloadView(view.revision(), view.complete(), seen);
  }

  /** Restarts the schedulers without faults. */
  @Override
  public void heal() {
    faults = false;
    stopped.clear();
    time.in(SETTLED, "schedulers without faults", () -> calm = true);
  }

  @Override
  public void check() {
    if (!calm || clusters.isEmpty() || time.now() - checked < CHECKED) {
      return;
    }
    checked = time.now();
    Set<String> now = new HashSet<>();
    clusters.forEach((id, cluster) -> {
      SortedMap<AttemptId, SortedMap<MemberKey, String>> real = cluster.binder().nodes();
      durable.stores().jobs().attempts(real.keySet()).stream()
          .filter(a -> a.live() && a.stop() == null && a.state() != AttemptState.UNKNOWN)
          .forEach(attempt ->
              attempt.members().stream()
                  .filter(m -> moved(m, real.get(attempt.id()).get(MemberKey.of(m))))
                  .forEach(m -> {
                    String pod = attempt.id().text() + "/" + m.key();
                    now.add(pod);
                    if (time.now() - apart.computeIfAbsent(pod, p -> time.now()) > FOLLOWED) {
                      throw new InvariantBroken(
                          Invariant.LEDGER_FOLLOWS_POD,
                          pod + " has its resources on " + m.node().text() + " in " + attempt);
                    }
                  }));
    });
    apart.keySet().retainAll(now);
  }

  private boolean moved(Member member, String node) {
    return node != null
        && !node.isEmpty()
        && !member.dead()
        && !member.leaves()
        && durable
            .stores()
            .inventory()
            .node(member.node())
            .filter(ledger -> !ledger.name().equals(node))
            .isPresent();
  }
}
