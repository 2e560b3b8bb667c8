package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.RunningJob;
import dev.fairlead.placement.preemption.Victim;
import dev.fairlead.placement.routing.Fit;
import dev.fairlead.placement.routing.Standing;
import dev.fairlead.placement.routing.Subtrees;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Flavors and victims for a head as the quota tree stands at the start of a pass. */
final class Nominations {
  private final Value scenario;
  private final QuotaCase quota;
  private final RunningCase running;
  private final Topologies topologies;

  Nominations(Value scenario, QuotaCase quota, RunningCase running, Topologies topologies) {
    this.scenario = scenario;
    this.quota = quota;
    this.running = running;
    this.topologies = topologies;
  }

  /** At full size, or where that cannot be, the largest size down to the least that can. */
  Head of(Value job) {
    List<Value> tasks = job.get("tasks").list();
    List<Integer> full = new ArrayList<>();
    List<Integer> spare = new ArrayList<>();
    for (Value task : tasks) {
      int count = task.get("count").count(1);
      full.add(count);
      spare.add(count - task.get("min_count").count(count));
    }
    Head whole = at(job, tasks, full);
    int most = spare.stream().mapToInt(Integer::intValue).sum();
    boolean partly =
        scenario.get("settings").get("source_switches").get("PartialAdmission").flag(true);
    if (most == 0 || !partly || whole.fits() || !whole.victims().isEmpty()) {
      return whole;
    }
    for (int less = 1; less <= most; less++) {
      List<Integer> counts = new ArrayList<>();
      for (int i = 0; i < full.size(); i++) {
        counts.add(full.get(i) - spare.get(i) * less / most);
      }
      Head part = at(job, tasks, counts);
      if (part.fits() || !part.victims().isEmpty()) {
        return part;
      }
    }
    return whole;
  }

  private Head at(Value job, List<Value> tasks, List<Integer> counts) {
    String queue = job.get("queue").text();
    QuotaNodeId id = quota.id(queue);
    List<TaskGroup> groups = TaskGroup.of(tasks, counts);
    FlavorAssignment flavors =
        FlavorAssignment.of(
            quota,
            scenario,
            quota.row(queue),
            groups,
            (cell, amount) -> outlook(job, cell, amount));
    Fit fit = flavors.standing().fit();
    boolean delayed = !quota.row(queue).get("external_checks").list().isEmpty();
    Predicate<List<RunningJob>> room = gone -> delayed || topologies.places(groups, flavors, gone);
    if (fit == Fit.DOES_NOT_FIT) {
      return new Head(job, id, groups, flavors, false, delayed, List.of());
    }
    if (fit == Fit.FITS && room.test(List.of())) {
      return new Head(job, id, groups, flavors, true, delayed, List.of());
    }
    SortedSet<QuotaCell> lacking =
        fit == Fit.FITS
            ? new TreeSet<>(flavors.use().keySet())
            : new TreeSet<>(flavors.evicting().keySet());
    List<Victim> victims = running.victims(job, flavors.use(), lacking, room);
    if (victims.isEmpty() && !room.test(List.of())) {
      SortedSet<QuotaCell> every = new TreeSet<>(flavors.use().keySet());
      victims = running.victims(job, flavors.use(), every, room);
    }
    return new Head(job, id, groups, flavors, false, delayed, victims);
  }

  /** What evicting for this cell alone would come to. */
  private Standing outlook(Value job, QuotaCell cell, long amount) {
    QuotaTree tree = quota.tree();
    QuotaNodeId queue = quota.id(job.get("queue").text());
    Subtrees subtrees = new Subtrees(tree);
    SortedMap<QuotaCell, Long> asks = new TreeMap<>();
    asks.put(cell, amount);
    List<Victim> victims = running.victims(job, asks, new TreeSet<>(List.of(cell)), gone -> true);
    if (victims.isEmpty()) {
      return new Standing(Fit.NO_VICTIMS, subtrees.holding(queue, cell, amount).height());
    }
    victims.forEach(v -> v.job().use().forEach((c, n) -> tree.free(v.job().queue(), c, n)));
    int height = subtrees.holding(queue, cell, amount).height();
    victims.forEach(v -> v.job().use().forEach((c, n) -> tree.use(v.job().queue(), c, n)));
    boolean own = victims.stream().anyMatch(v -> v.job().queue().equals(queue));
    return new Standing(own ? Fit.PREEMPTION : Fit.RECLAIM, height);
  }
}
