package dev.fairlead.verify.simulation;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.FaultRates;
import dev.fairlead.verify.simulation.world.QuarantineInvariants;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Breaks clusters, nodes and clocks, and repairs them after a while. */
public final class ClusterFaults {
  private static final Set<Fault> OF_MACHINES =
      EnumSet.of(Fault.DEAD_KUBELET, Fault.REBOOT, Fault.CRASHED_NODE, Fault.DEAD_MACHINE);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final FaultRates faults;
  private final DurableState durable;
  private final QuarantineInvariants quarantines;
  private final SortedMap<String, SimulatedCluster> foreign = new TreeMap<>();
  private final List<Runnable> repairs = new ArrayList<>();
  private final Duration every;
  private List<Area> areas = List.of();

  ClusterFaults(RandomGenerator chance, VirtualTime time, FaultRates faults, DurableState durable) {
    this.chance = chance;
    this.time = time;
    this.faults = faults;
    this.durable = durable;
    this.quarantines = new QuarantineInvariants(durable);
    this.every = Duration.ofSeconds(5 + chance.nextInt(180));
  }

  QuarantineInvariants quarantines() {
    return quarantines;
  }

  /** Plays the faults of these areas too. */
  void in(List<Area> all) {
    areas = List.copyOf(all);
  }

  /** Names of foreign objects, with their clusters. */
  Map<String, SimulatedCluster> foreign() {
    return foreign;
  }

  void start() {
    time.in(
        time.between(Duration.ZERO, every.multipliedBy(2)),
        "mischief",
        () -> {
          strike();
          start();
        });
  }

  private void strike() {
    double sum = 0;
    for (Fault fault : Fault.values()) {
      sum += fault.ofClusters() ? faults.rate(fault) : 0;
    }
    double drawn = chance.nextDouble() * sum;
    for (Fault fault : Fault.values()) {
      double rate = fault.ofClusters() ? faults.rate(fault) : 0;
      if (rate > 0 && drawn < rate) {
        strike(fault);
        return;
      }
      drawn -= rate;
    }
  }

  private void strike(Fault fault) {
    ClusterId id = any(List.copyOf(durable.clusters().keySet()));
    SimulatedCluster cluster = durable.clusters().get(id);
    List<Node> nodes = durable.stores().inventory().nodes(id);
    if (cluster == null
        || nodes.isEmpty()
        || durable.sheltered(id) && OF_MACHINES.contains(fault)) {
      return;
    }
    Node machine = any(nodes);
    String node = machine.name();
    faults.count(fault);
    time.say(() -> fault + " on " + node);
    switch (fault) {
      case CUT -> until(fault, () -> cluster.partition(true), () -> cluster.partition(false));
      case DEAF -> until(fault, () -> cluster.loseAnswers(true), () -> cluster.loseAnswers(false));
      case SILENT_NODE ->
          until(fault, () -> cluster.loseNode(node), () -> cluster.returnNode(node));
      case DEAD_KUBELET ->
          until(fault, () -> cluster.killKubelet(node), () -> cluster.returnNode(node));
      case REBOOT -> cluster.rebootNode(node);
      case CRASHED_NODE ->
          until(fault, () -> cluster.crashNode(node), () -> cluster.returnNode(node));
      case LATE_RESULTS ->
          until(
              fault,
              () -> cluster.reportLate(Duration.ofSeconds(2)),
              () -> cluster.reportLate(Duration.ZERO));
      case DEAD_MACHINE ->
          until(fault, () -> cluster.removeNode(node), () -> cluster.returnNode(node));
      case DEAD_GPU -> {
        int gpu = chance.nextInt(Math.max(1, machine.gpus().size()));
        try {
          until(fault, () -> cluster.loseGpu(node, gpu), () -> cluster.returnGpu(node, gpu));
        } catch (IllegalArgumentException absent) {
          time.say(() -> "the GPU is of another machine");
        }
      }
      case SICK_GPU -> {
        if (!machine.gpus().isEmpty()) {
          int gpu = chance.nextInt(machine.gpus().size());
          until(fault, () -> quarantines.sick(id, machine, gpu), () -> quarantines.healed(machine));
        }
      }
      case CORDON ->
          until(fault, () -> cluster.cordon(node, true), () -> cluster.cordon(node, false));
      case DRAIN ->
          until(fault, () -> durable.drain(machine.id()), () -> durable.uncordon(machine.id()));
      case FOREIGN_POD ->
          until(
              fault,
              () -> cluster.foreignPod(node, ResourceVector.of(16_000, 65_536, 0, 4)),
              () -> cluster.removeForeignPods(node));
      case FOREIGN_OBJECT, DELETED_POD -> pod(fault, id, cluster);
      case CLOCK_STEP -> {
        long seconds = chance.nextLong(-900, 900);
        durable.stepClock(Duration.ofSeconds(seconds));
        time.say(() -> "clock steps by " + seconds + " s");
      }
      case CLOCK_LEAP,
          OTHER_SERVER,
          ETCD_RESTORED,
          CLAIM_HIDDEN,
          CLAIMS_FORGOTTEN,
          DATABASE_COPY,
          BUDGET_HOLDER,
          USAGE_LATE,
          LICENCE_LOWERED,
          WINDOWS_CHANGED,
          CHECKER_DEAD -> {
        for (Area area : areas) {
          if (area.faults().contains(fault)) {
            until(fault, () -> {}, area.strike(fault));
          }
        }
      }
      case CRASH,
          PAUSE,
          STALE_PLAN,
          DATABASE_BEFORE,
          DATABASE_AFTER,
          UNSENT,
          LOST_ANSWER,
          LATE_EFFECT,
          DROPPED,
          DUPLICATE,
          STALE,
          STALE_NODES,
          IMPOSTOR,
          KILLED_BETWEEN -> {}
    }
  }

  private void pod(Fault fault, ClusterId id, SimulatedCluster cluster) {
    List<Attempt> attempts = durable.stores().jobs().unretired(id);
    if (attempts.isEmpty()) {
      return;
    }
    Attempt attempt = any(attempts);
    Member member = any(attempt.members());
    MemberKey key = MemberKey.of(member);
    if (fault == Fault.FOREIGN_OBJECT && member.uid() == null) {
      String name = ObjectNames.pod(attempt.id(), key);
      foreign.put(name, cluster);
      cluster.foreignObject(name);
    } else if (fault == Fault.DELETED_POD) {
      try {
        cluster.deletePod(attempt.id(), key);
      } catch (IllegalArgumentException absent) {
        time.say(() -> "no pod to delete");
      }
    }
  }

  private void until(Fault fault, Runnable break_, Runnable repair) {
    break_.run();
    repairs.add(repair);
    Duration longest = Duration.ofSeconds(List.of(5, 60, 300, 1800).get(chance.nextInt(4)));
    time.in(time.between(Duration.ofSeconds(1), longest), "repair of " + fault, repair);
  }

  /** Everything works again. */
  void heal() {
    repairs.forEach(Runnable::run);
    repairs.clear();
  }

  private <T> T any(List<T> of) {
    return of.get(chance.nextInt(of.size()));
  }
}
