package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.LocalCluster;
import dev.fairlead.verify.host.Processes;
import java.util.SortedMap;
import java.util.TreeMap;

/** CPU time of the programs of a control plane from now on. */
final class ControlPlaneCpu {
  private final SortedMap<String, Long> ids;
  private final SortedMap<String, Double> before;

  private ControlPlaneCpu(SortedMap<String, Long> ids) {
    this.ids = ids;
    this.before = used();
  }

  static ControlPlaneCpu of(LocalCluster cluster) {
    SortedMap<String, Long> programs = cluster.processes();
    programs.remove("watchdog"); // of this harness
    return new ControlPlaneCpu(programs);
  }

  private SortedMap<String, Double> used() {
    SortedMap<String, Double> used = new TreeMap<>();
    ids.forEach((program, id) -> used.put(program, Processes.ownMillis(id) / 1000));
    return used;
  }

  /** CPU time by program. */
  SortedMap<String, Double> seconds() {
    SortedMap<String, Double> now = used();
    now.replaceAll((program, seconds) -> seconds - before.getOrDefault(program, 0.0));
    return now;
  }
}
