package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.verify.engine.cases.kueue.KueueCase;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * {@code flavor-choice}: the flavors of a job, and whether it starts, evicts or waits. Holders that
 * are preemptible or not model the possible preemption.
 */
final class FlavorChoiceMode implements Mode {
  private static final int ABOVE_HOLDERS = 10;

  @Override
  public Verdict judge(Value scenario) {
    KueueCase world = new KueueCase(scenario);
    Value probe = scenario.get("probe");
    for (Value use : scenario.get("usage").list()) {
      if (use.get("amount").number() > 0) {
        world.holder(use, goes(scenario, use), 0);
      }
    }
    world.offer(probe, probe.get("tasks").list(), new CaseJobs.Rank(ABOVE_HOLDERS, 0));
    Plan plan = PlanResult.plan(world.course().world());
    List<Decision.Place> places = PlanResult.places(plan);
    List<Decision.Preempt> evictions = PlanResult.evictions(plan);
    String mode =
        !places.isEmpty() ? "fits" : evictions.isEmpty() ? "does-not-fit" : "needs-preemption";
    Value expect = scenario.get("expect");
    if (!mode.equals(expect.get("mode").text()) || mode.equals("does-not-fit")) {
      return Verdict.of(expect.get("mode").text(), mode);
    }
    List<Member> members =
        !places.isEmpty()
            ? places.getFirst().members()
            : evictions.getFirst().reservation().members();
    return Verdict.of(flavors(expect), PlanResult.tasks(world.names(), members));
  }

  static boolean goes(Value scenario, Value use) {
    boolean own = use.get("queue").text().equals(scenario.get("probe").get("queue").text());
    for (Value row : scenario.get("preemption_oracle").list()) {
      if (Objects.equals(row.get("flavor").textOrNull(), use.get("flavor").textOrNull())
          && row.get("resource").text().equals(use.get("resource").text())) {
        return switch (row.get("possible").text()) {
          case "none" -> false;
          case "reclaim" -> !own;
          case "same-queue-preemption" -> own;
          default -> throw row.get("possible").bad("none, reclaim or same-queue-preemption");
        };
      }
    }
    return true;
  }

  private static SortedMap<String, String> flavors(Value expect) {
    SortedMap<String, String> tasks = new TreeMap<>();
    for (Value task : expect.get("tasks").list()) {
      SortedSet<String> flavors = new TreeSet<>();
      task.get("flavors").fields().values().forEach(f -> flavors.add(f.get("flavor").text()));
      if (task.get("count").count(1) > 0) {
        tasks.put(
            task.get("name").text(), String.join("+", flavors) + " x" + task.get("count").count(1));
      }
    }
    return tasks;
  }
}
