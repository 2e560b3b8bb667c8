package dev.fairlead.verify.engine.cases;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.NodeRules;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.verify.engine.cases.kueue.KueueCase;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code topology-placement}: task groups on nodes. Judged loosely, as the cases require: the same
 * groups are placed, and their placements meet the constraints. Groups that share a domain are one
 * job.
 */
final class TopologyMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    KueueCase world = new KueueCase(scenario);
    Map<JobId, List<Value>> jobs = new LinkedHashMap<>();
    for (List<Value> group : groups(scenario.get("probe").get("tasks").list())) {
      CaseJobs.Rank rank = new CaseJobs.Rank(-jobs.size(), 0);
      jobs.put(world.offer(scenario.get("probe"), group, rank), group);
    }
    Plan plan = PlanResult.plan(world.course().world());
    SortedMap<String, Boolean> found = new TreeMap<>();
    jobs.values().forEach(g -> g.forEach(t -> found.put(t.get("name").text(), false)));
    List<String> broken = new ArrayList<>();
    for (Decision.Place place : PlanResult.places(plan)) {
      for (Value task : jobs.getOrDefault(place.job(), List.of())) {
        found.put(task.get("name").text(), true);
        broken.addAll(broken(scenario, task, place.members()));
      }
    }
    Verdict same = Verdict.of(expected(scenario), found);
    return same.agrees() && !broken.isEmpty() ? Verdict.differs(broken.getFirst()) : same;
  }

  private static List<List<Value>> groups(List<Value> tasks) {
    SortedMap<String, List<Value>> shared = new TreeMap<>();
    List<List<Value>> groups = new ArrayList<>();
    for (Value task : tasks) {
      String place =
          task.get("topology").get("co_place_group").text(task.get("co_place_group").text(""));
      List<Value> group = shared.get(place);
      if (group == null) {
        group = new ArrayList<>();
        groups.add(group);
        if (!place.isEmpty()) {
          shared.put(place, group);
        }
      }
      group.add(task);
    }
    return groups;
  }

  private static SortedMap<String, Boolean> expected(Value scenario) {
    SortedMap<String, Boolean> expected = new TreeMap<>();
    for (Value task : scenario.get("expect").get("tasks").list()) {
      expected.put(task.get("name").text(), task.get("placeable").flag(true));
    }
    return expected;
  }

  /**
   * The constraints that the placement of a task group violates, checked independently of the
   * placement.
   */
  private static List<String> broken(Value scenario, Value task, List<Member> members) {
    List<String> broken = new ArrayList<>();
    List<String> nodes =
        members.stream()
            .filter(m -> m.role().equals(task.get("name").text()))
            .map(Member::nodeName)
            .toList();
    if (nodes.size() != task.get("count").count(1)) {
      broken.add(nodes.size() + " of " + task.get("count").count(1) + " placed");
    }
    Value wish = task.get("topology");
    Value required = wish.get("required_level");
    if (required.present() && domains(scenario, required.text(), nodes).size() > 1) {
      broken.add("more than one domain of the required level");
    }
    int size = wish.get("slice_size").count(1);
    Value level = wish.get("slice_level");
    if (level.present()
        && domains(scenario, level.text(), nodes).values().stream().anyMatch(n -> n % size != 0)) {
      broken.add("a slice of " + size + " is divided");
    }
    return broken;
  }

  /** Members by domain of a level, with the names of the levels above it. */
  private static SortedMap<String, Integer> domains(
      Value scenario, String level, List<String> nodes) {
    List<String> levels =
        scenario.get("cluster").get("topologies").list().getFirst().get("levels").texts();
    SortedMap<String, Integer> domains = new TreeMap<>();
    for (Value row : scenario.get("cluster").get("nodes").list()) {
      String name = row.get("name").text();
      SortedMap<String, String> labels = NodeRules.labels(row.get("labels"));
      StringBuilder path = new StringBuilder();
      levels
          .subList(0, levels.indexOf(level) + 1)
          .forEach(l -> path.append('/').append(labels.get(l)));
      int here = (int) nodes.stream().filter(name::equals).count();
      if (here > 0) {
        domains.merge(path.toString(), here, Integer::sum);
      }
    }
    return domains;
  }
}
