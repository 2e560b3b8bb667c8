package dev.fairlead.bench.cases;

import dev.fairlead.placement.deserved.Machine;
import dev.fairlead.placement.deserved.Phases;
import dev.fairlead.placement.deserved.Work;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code single-phase} and {@code rounds}: what runs where after one step, or at rest. Chosen,
 * starting and running are one here, as are stopping and waiting.
 */
final class DeservedMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    DeservedCase world = new DeservedCase(scenario);
    Value evaluation = scenario.get("evaluation");
    if (evaluation.get("mode").text().equals("single-phase")) {
      step(world.phases(), evaluation.get("phase"));
      return compare(scenario, world);
    }
    int stable = evaluation.get("rounds_stable").count(0);
    for (int round = 0; round < evaluation.get("rounds_until_match").count(1); round++) {
      round(world.phases());
    }
    Verdict verdict = compare(scenario, world);
    for (int round = 0; round < stable && verdict.agrees(); round++) {
      round(world.phases());
      verdict = compare(scenario, world);
    }
    return verdict;
  }

  private static void round(Phases phases) {
    phases.allocate();
    phases.reclaim();
    phases.preempt();
  }

  private static void step(Phases phases, Value phase) {
    switch (phase.text()) {
      case "allocate" -> phases.allocate();
      case "reclaim" -> phases.reclaim();
      case "preempt" -> phases.preempt();
      case "consolidate", "evict-stale-gangs" -> {}
      default -> throw phase.bad("a phase");
    }
  }

  private static Verdict compare(Value scenario, DeservedCase world) {
    SortedMap<String, String> wanted = new TreeMap<>();
    SortedMap<String, String> found = new TreeMap<>();
    Value expect = scenario.get("expect");
    for (Value job : scenario.get("jobs").list()) {
      Value state = expect.get("jobs").get(job.get("name").text());
      Work work = world.works().get(job.get("name").text());
      for (Value task : job.get("tasks").list()) {
        compare(task.get("name").text(), state, world, work, wanted, found);
      }
    }
    for (Map.Entry<String, Value> task : expect.get("tasks").fields().entrySet()) {
      compare(task.getKey(), task.getValue(), world, world.workOf(task.getKey()), wanted, found);
    }
    return Verdict.of(wanted, found);
  }

  private static void compare(
      String task,
      Value state,
      DeservedCase world,
      @Nullable Work work,
      SortedMap<String, String> wanted,
      SortedMap<String, String> found) {
    if (!state.present() || work == null || world.ended().contains(task)) {
      return;
    }
    boolean runs =
        switch (state.get("state").text()) {
          case "RUNNING", "STARTING", "RESERVED" -> true;
          default -> false;
        };
    String node = state.get("node").text("");
    Machine machine = work.at(task);
    wanted.put(task, runs ? "runs" + (node.isEmpty() ? "" : " on " + node) : "waits");
    found.put(
        task,
        machine == null
            ? "waits"
            : "runs" + (node.isEmpty() || !runs ? "" : " on " + machine.name()));
  }
}
