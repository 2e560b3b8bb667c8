package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.verify.engine.cases.kueue.KueueCase;
import dev.fairlead.verify.engine.cases.kueue.KueueTree;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * {@code admission-cycle}: the jobs that one plan over the heads of the queues starts, and their
 * victims.
 */
final class AdmissionMode implements Mode {
  private static final Comparator<Value> FIRST =
      Comparator.comparingInt((Value job) -> -job.get("priority").whole(0))
          .thenComparingDouble(job -> -job.get("age_s").number(0))
          .thenComparing(job -> job.get("name").text());

  @Override
  public Verdict judge(Value scenario) {
    KueueCase world = new KueueCase(scenario);
    heads(scenario, world.tree()).stream()
        .sorted(Comparator.comparing(job -> job.get("name").text()))
        .forEach(job -> world.offer(job, job.get("tasks").list(), KueueCase.rank(job)));
    Plan plan = PlanResult.plan(world.course().world());
    Value expect = scenario.get("expect");
    Verdict started = Verdict.of(expectedStarts(expect), starts(world, plan));
    if (!started.agrees()) {
      return started;
    }
    return Verdict.of(PlanResult.expectedVictims(expect), PlanResult.victims(world, plan));
  }

  /** The first job of each queue. */
  static java.util.Collection<Value> heads(Value scenario, KueueTree tree) {
    SortedMap<String, Value> heads = new TreeMap<>();
    for (Value job : scenario.get("jobs").list()) {
      String queue = job.get("queue").text("");
      boolean waits =
          job.get("state").text("PENDING").equals("PENDING") && !job.get("inactive").flag(false);
      if (waits && tree.knows(queue)) { // the engine orders a queue by past use
        String key =
            tree.row(queue).get("usage_based_order").flag(false)
                ? queue + "/" + job.get("name").text()
                : queue;
        heads.merge(key, job, (a, b) -> FIRST.compare(a, b) <= 0 ? a : b);
      }
    }
    return heads.values();
  }

  private static SortedSet<String> expectedStarts(Value expect) {
    SortedSet<String> expected = new TreeSet<>();
    for (Value start : expect.get("admitted").list()) {
      SortedMap<String, String> tasks = new TreeMap<>();
      for (Value task : start.get("tasks").list()) {
        SortedSet<String> flavors = new TreeSet<>();
        task.get("flavors").fields().values().forEach(f -> flavors.add(f.text()));
        if (task.get("count").count(1) > 0) {
          tasks.put(
              task.get("name").text(),
              String.join("+", flavors) + " x" + task.get("count").count(1));
        }
      }
      expected.add(start.get("job").text() + " in " + start.get("queue").text("") + tasks);
    }
    return expected;
  }

  private static SortedSet<String> starts(KueueCase world, Plan plan) {
    SortedSet<String> found = new TreeSet<>();
    SortedSet<String> served = new TreeSet<>();
    for (Decision.Place place : PlanResult.places(plan)) {
      Value row = world.row(place.job());
      if (!served.add(row.get("queue").text(""))) {
        continue;
      }
      found.add(
          row.get("name").text()
              + " in "
              + row.get("queue").text("")
              + PlanResult.tasks(world.names(), place.members()));
    }
    return found;
  }
}
