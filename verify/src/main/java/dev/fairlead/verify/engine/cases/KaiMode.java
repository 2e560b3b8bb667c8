package dev.fairlead.verify.engine.cases;

import dev.fairlead.fleet.cluster.ClusterSettings.Consolidation;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.verify.engine.cases.form.CaseWorld;
import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * {@code single-phase} and {@code rounds}: the placements after one plan, or at rest. The rules of
 * the queues and of the cluster select the phase. Selected, starting and running are equal here, as
 * are stopping and waiting, and equal tasks of a job are interchangeable.
 */
final class KaiMode implements Mode {
  static final PreemptionRules ALL =
      new PreemptionRules(
          PreemptionRules.WithinQueue.LOWER_PRIORITY, PreemptionRules.Reclaim.ANY, true);

  @Override
  public Verdict judge(Value scenario) {
    Value evaluation = scenario.get("evaluation");
    boolean single = evaluation.get("mode").text().equals("single-phase");
    KaiCase world =
        new KaiCase(
            scenario,
            single ? rules(evaluation.get("phase")) : ALL,
            !single || !evaluation.get("phase").text().equals("allocate")
                ? Consolidation.WHEN_IT_PAYS
                : Consolidation.NEVER);
    CaseWorld course = world.course();
    if (single) {
      course.carryOut(PlanResult.plan(course.world()));
      if (world.stopsAny()) { // a reservation that waits for leaving tasks is no decision yet
        course.end();
        course.carryOut(PlanResult.plan(course.world()));
      }
      return compare(scenario, world, course, true);
    }
    int rounds = evaluation.get("rounds_until_match").count(1);
    int stable = evaluation.get("rounds_stable").count(0);
    Verdict verdict = Verdict.AGREES;
    for (int round = 1; round <= rounds + stable && verdict.agrees(); round++) {
      course.carryOut(PlanResult.plan(course.world()));
      if (round >= rounds) {
        verdict = compare(scenario, world, course, false);
      }
      course.leave();
    }
    return verdict;
  }

  static PreemptionRules rules(Value phase) {
    return switch (phase.text()) {
      case "allocate", "consolidate", "evict-stale-gangs" -> PreemptionRules.NONE;
      case "reclaim" ->
          new PreemptionRules(PreemptionRules.WithinQueue.NEVER, PreemptionRules.Reclaim.ANY, true);
      case "preempt" ->
          new PreemptionRules(
              PreemptionRules.WithinQueue.LOWER_PRIORITY, PreemptionRules.Reclaim.NEVER, true);
      default -> throw phase.bad("a phase");
    };
  }

  private static Verdict compare(
      Value scenario, KaiCase world, CaseWorld course, boolean promised) {
    List<String> wanted = new ArrayList<>();
    List<String> found = new ArrayList<>();
    for (Value row : scenario.get("jobs").list()) {
      String name = row.get("name").text();
      for (Map.Entry<String, List<Value>> role : world.job(name).roles().entrySet()) {
        List<Member> members =
            course.members(
                java.util.Objects.requireNonNull(world.ids().get(name)),
                r -> promised && r.kind() == Reservation.Kind.PREEMPTION);
        List<String> nodes =
            members.stream()
                .filter(m -> m.role().equals(role.getKey()))
                .map(Member::nodeName)
                .sorted()
                .toList();
        compare(scenario, name, role, nodes, wanted, found);
      }
    }
    return Verdict.of(wanted, found);
  }

  private static void compare(
      Value scenario,
      String job,
      Map.Entry<String, List<Value>> role,
      List<String> nodes,
      List<String> wanted,
      List<String> found) {
    int run = 0;
    int wait = 0;
    List<String> pinned = new ArrayList<>();
    for (Value task : role.getValue()) {
      Value own = scenario.get("expect").get("tasks").get(task.get("name").text());
      Value state = own.present() ? own : scenario.get("expect").get("jobs").get(job);
      if (state.present()) {
        boolean runs =
            List.of("RUNNING", "STARTING", "RESERVED").contains(state.get("state").text());
        run += runs ? 1 : 0;
        wait += runs ? 0 : 1;
        if (runs && state.get("node").present()) {
          pinned.add(state.get("node").text());
        }
      }
    }
    int free = role.getValue().size() - run - wait;
    int counted = Math.clamp(nodes.size(), run, run + free);
    List<String> left = new ArrayList<>(nodes);
    pinned.removeIf(left::remove);
    Collections.sort(pinned);
    String which = job + "/" + role.getKey();
    wanted.add(which + " runs " + counted + (pinned.isEmpty() ? "" : " on " + pinned));
    found.add(which + " runs " + nodes.size() + (pinned.isEmpty() ? "" : " on " + nodes));
  }
}
