package dev.fairlead.bench.simulation;

import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts the kills of several runs by the step of the rollouts that are open at that time. */
final class KillsInRollouts {
  /** Steps of a service in the simulation. The count after them is of rollouts without steps. */
  private static final int STEPS = 2;

  private final Map<Victim, int[]> counts = new EnumMap<>(Victim.class);

  /** What is killed, or does not respond. */
  enum Victim {
    REPLICA,
    NODE,
    GATEWAY,
    CLUSTER,
    FAIRLEAD
  }

  void struck(Fault fault, List<ServiceState> services) {
    switch (fault) {
      case DELETED_POD, DEAD_GPU, SICK_GPU -> struck(Victim.REPLICA, services);
      case REBOOT, CRASHED_NODE, DEAD_MACHINE, DEAD_KUBELET, SILENT_NODE ->
          struck(Victim.NODE, services);
      case CUT, DEAF -> struck(Victim.CLUSTER, services);
      case CRASH, KILLED_BETWEEN -> struck(Victim.FAIRLEAD, services);
      default -> {}
    }
  }

  void struck(Victim victim, List<ServiceState> services) {
    int[] steps = counts.computeIfAbsent(victim, any -> new int[STEPS + 1]);
    for (ServiceState state : services) {
      Rollout rollout = state.rollout();
      if (rollout != null && rollout.open()) {
        steps[rollout.judged() ? Math.min(rollout.step(), STEPS - 1) : STEPS]++;
      }
    }
  }

  /** Whether each victim was struck in the first step of a rollout. Later steps are rarer. */
  boolean complete() {
    return counts.size() == Victim.values().length
        && counts.values().stream().allMatch(steps -> steps[0] > 0);
  }

  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    counts.forEach((victim, steps) ->
        lines.add(
            "%s %d, %d and %d"
                .formatted(
                    victim == Victim.FAIRLEAD ? "Fairlead" : victim.name().toLowerCase(Locale.ROOT),
                    steps[0],
                    steps[1],
                    steps[2])));
    return String.join("; ", lines);
  }
}
