package dev.fairlead.care.flaky;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.healthtest.HealthTestPlan;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.PlaceFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The points against a node, with their parts. Pure.
 *
 * @param points points of all parts together
 * @param parts that count, in the order of their kinds
 * @param gpus its devices with known faults, the worst first
 * @param flakyNode whether it should not return to use without a change
 */
public record FlakyNode(
    NodeId node,
    String name,
    ClusterId cluster,
    int points,
    List<Part> parts,
    List<Device> gpus,
    boolean flakyNode) {
  /** Time window of the counted events. */
  public static final Duration WINDOW = Duration.ofDays(30);

  /** Minimum number of points of a flaky node, for example five repairs that did not help. */
  public static final int ENOUGH = 10;

  public FlakyNode {
    parts = List.copyOf(parts);
    gpus = List.copyOf(gpus);
  }

  /** A kind of event against a node, with its points. */
  public enum Kind {
    /** A fault that needs a repair. */
    FAULT(2),
    /** A fault after which the job restarts on the same device. */
    SMALL_FAULT(1),
    /** A failed health test. */
    TEST(3),
    /** A completed repair step. */
    REPAIR(2),
    /** An attempt that ended because of the node, within the last hour. */
    ATTEMPT(1);

    private final int points;

    Kind(int points) {
      this.points = points;
    }

    static Kind of(Incident incident) {
      if (HealthTestPlan.found(incident)) {
        return TEST;
      }
      return incident.step().compareTo(RepairStep.RESTART_JOB) > 0 ? FAULT : SMALL_FAULT;
    }
  }

  /** The number of events of one kind. */
  public record Part(Kind kind, int times, int points) {
    private static Part of(Kind kind, int times) {
      return new Part(kind, times, times * kind.points);
    }
  }

  /**
   * A device of the node.
   *
   * @param serial null if unknown
   * @param points points of its faults
   */
  public record Device(String gpu, @Nullable String serial, int points) {}

  /**
   * Returns the nodes with points, the worst first.
   *
   * @param incidents incidents of the period, of any node
   * @param repairs repairs of the period, of any node
   * @param failures attempts that recently ended because of their node, not counted for nodes
   *     without a fault or repair, because the scheduler avoids these anyway
   */
  public static List<FlakyNode> of(
      Collection<Incident> incidents,
      Collection<Repair> repairs,
      Collection<PlaceFailure> failures,
      Instant now) {
    SortedMap<NodeId, Against> against = new TreeMap<>();
    Instant from = now.minus(WINDOW);
    for (Incident incident : incidents) {
      if (!incident.openedAt().isBefore(from)) {
        of(against, incident.node(), incident.nodeName(), incident.cluster()).add(incident);
      }
    }
    for (Repair repair : repairs) {
      of(against, repair.node(), repair.nodeName(), repair.cluster()).add(repair, from);
    }
    for (PlaceFailure failure : failures) {
      Against known = against.get(failure.node());
      if (known != null) {
        known.count(Kind.ATTEMPT);
      }
    }
    return against.values().stream()
        .map(Against::flakyNode)
        .filter(flakyNode -> flakyNode.points() > 0)
        .sorted(
            Comparator.comparingInt(FlakyNode::points).reversed().thenComparing(FlakyNode::name))
        .toList();
  }

  private static Against of(
      SortedMap<NodeId, Against> against, NodeId node, String name, ClusterId cluster) {
    return against.computeIfAbsent(node, id -> new Against(id, name, cluster));
  }

  /** The counters of one node. */
  private static final class Against {
    private final NodeId node;
    private final String name;
    private final ClusterId cluster;
    private final SortedMap<Kind, Integer> times = new TreeMap<>();
    private final SortedMap<String, Device> gpus = new TreeMap<>();

    Against(NodeId node, String name, ClusterId cluster) {
      this.node = node;
      this.name = name;
      this.cluster = cluster;
    }

    void count(Kind kind) {
      times.merge(kind, 1, Integer::sum);
    }

    void add(Incident incident) {
      Kind kind = Kind.of(incident);
      count(kind);
      String gpu = incident.gpu();
      if (gpu != null) {
        gpus.merge(
            gpu,
            new Device(gpu, incident.serial(), kind.points),
            (a, b) ->
                new Device(
                    gpu, a.serial() == null ? b.serial() : a.serial(), a.points() + b.points()));
      }
    }

    void add(Repair repair, Instant from) {
      for (Repair.StepTaken step : repair.steps()) {
        if (step.done() && !step.at().isBefore(from)) {
          count(Kind.REPAIR);
        }
      }
    }

    FlakyNode flakyNode() {
      List<Part> parts = new ArrayList<>();
      times.forEach((kind, count) -> parts.add(Part.of(kind, count)));
      int points = parts.stream().mapToInt(Part::points).sum();
      List<Device> worst =
          gpus.values().stream()
              .sorted(Comparator.comparingInt(Device::points).reversed().thenComparing(Device::gpu))
              .toList();
      return new FlakyNode(node, name, cluster, points, parts, worst, points >= ENOUGH);
    }
  }
}
