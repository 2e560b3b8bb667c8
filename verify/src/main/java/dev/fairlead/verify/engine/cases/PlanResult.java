package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.kueue.KueueCase;
import dev.fairlead.verify.engine.cases.kueue.KueueNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A plan in the format of the {@code kueue-*} cases. */
final class PlanResult {
  private PlanResult() {}

  /** The plan of the production engine. */
  static Plan plan(World world) {
    return new SchedulingEngine().plan(new Snapshot(world, List.of(), Snapshot.WORK_BUDGET));
  }

  static List<Decision.Place> places(Plan plan) {
    List<Decision.Place> places = new ArrayList<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Place place) {
        places.add(place);
      }
    }
    return places;
  }

  static List<Decision.Preempt> evictions(Plan plan) {
    List<Decision.Preempt> evictions = new ArrayList<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Preempt preempt) {
        evictions.add(preempt);
      }
    }
    return evictions;
  }

  /** {@code flavor xcount} by task. */
  static SortedMap<String, String> tasks(KueueNames names, List<Member> members) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    SortedMap<String, String> flavors = new TreeMap<>();
    for (Member member : members) {
      counts.merge(member.role(), 1, Integer::sum);
      flavors.put(member.role(), names.flavorOf(member.flavor().model()));
    }
    SortedMap<String, String> tasks = new TreeMap<>();
    counts.forEach((task, count) -> tasks.put(task, flavors.get(task) + " x" + count));
    return tasks;
  }

  /** Victims by name with the right that evicts them. */
  static SortedMap<String, String> victims(KueueCase world, Plan plan) {
    SortedMap<String, String> victims = new TreeMap<>();
    for (Decision.Preempt preempt : evictions(plan)) {
      for (Decision.Preempt.Eviction victim : preempt.victims()) {
        victims.put(
            world.row(victim.job()).get("name").text("holder"), right(victim.right().name()));
      }
    }
    return victims;
  }

  private static String right(String right) {
    return switch (right) {
      case "WITHIN_QUEUE" -> "same-queue";
      case "RECLAIM" -> "reclaim";
      case "FAIR_SHARE" -> "fair-share";
      case "WHILE_BORROWING" -> "reclaim-while-borrowing";
      default -> right;
    };
  }

  /** Expected victims of a case. */
  static SortedMap<String, String> expectedVictims(Value expect) {
    SortedMap<String, String> expected = new TreeMap<>();
    for (Value victim : expect.get("preempted").list()) {
      expected.put(victim.get("job").text(), victim.get("reason").text(""));
    }
    return expected;
  }
}
