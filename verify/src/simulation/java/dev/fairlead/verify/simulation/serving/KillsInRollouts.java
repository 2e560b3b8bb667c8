package dev.fairlead.verify.simulation.serving;

import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Counts the kills of several runs by the step of the rollouts that are open at that time. */
public final class KillsInRollouts {
  /** Steps of a service in the simulation. The count after them is of rollouts without steps. */
  private static final int STEPS = 2;

  private static final Map<Victim, Set<Fault>> VICTIMS =
      Map.of(
          Victim.REPLICA,
          Set.of(Fault.DELETED_POD, Fault.DEAD_GPU, Fault.SICK_GPU),
          Victim.NODE,
          Set.of(
              Fault.REBOOT,
              Fault.CRASHED_NODE,
              Fault.DEAD_MACHINE,
              Fault.DEAD_KUBELET,
              Fault.SILENT_NODE),
          Victim.CLUSTER,
          Set.of(Fault.CUT, Fault.DEAF),
          Victim.FAIRLEAD,
          Set.of(Fault.CRASH, Fault.KILLED_BETWEEN));

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
    VICTIMS.forEach((victim, faults) -> {
      if (faults.contains(fault)) {
        struck(victim, services);
      }
    });
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

  /**
   * Returns whether each victim was struck in the first step of a rollout. Later steps are rarer.
   */
  public boolean complete() {
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
