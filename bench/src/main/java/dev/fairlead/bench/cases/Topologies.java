package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.RunningJob;
import dev.fairlead.placement.topology.DomainPlacer;
import dev.fairlead.placement.topology.Spot;
import dev.fairlead.placement.topology.Wish;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The nodes behind the flavors of a case that have a topology, with what running jobs take. */
final class Topologies {
  private final SortedMap<String, NodesCase> byFlavor = new TreeMap<>();
  private final SortedMap<String, List<Hold>> held = new TreeMap<>();

  /** Tasks of a running job at a place. */
  private record Hold(Spot spot, SortedMap<String, Long> member, long count) {
    void take(int sign) {
      spot.take(member, sign * count);
    }
  }

  Topologies(Value scenario, RunningCase running) {
    Value cluster = scenario.get("cluster");
    for (Value flavor : cluster.get("flavors").list()) {
      if (flavor.get("topology").present()) {
        List<String> levels = levels(cluster, flavor.get("topology").text());
        byFlavor.put(
            flavor.get("name").text(),
            new NodesCase(cluster, levels, NodeRules.labels(flavor.get("node_labels"))));
      }
    }
    for (Value job : scenario.get("jobs").list()) {
      RunningJob holder = running.jobs().get(RunningCase.name(job));
      if (holder != null) {
        job.get("tasks").list().forEach(task -> hold(holder, task));
      }
    }
  }

  private static List<String> levels(Value cluster, String topology) {
    for (Value row : cluster.get("topologies").list()) {
      if (row.get("name").text().equals(topology)) {
        return row.get("levels").texts();
      }
    }
    return List.of();
  }

  private void hold(RunningJob job, Value task) {
    for (Value domain : task.get("placement").get("domains").list()) {
      for (NodesCase nodes : byFlavor.values()) {
        for (Spot spot : nodes.at(domain.get("path").texts()).stream().limit(1).toList()) {
          Hold hold = new Hold(spot, NodesCase.member(task), domain.get("count").count(1));
          hold.take(1);
          held.computeIfAbsent(job.key() + job.queue(), k -> new ArrayList<>()).add(hold);
        }
      }
    }
  }

  boolean has(String flavor) {
    return byFlavor.containsKey(flavor);
  }

  /** Whether the flavor's topology has all levels that a task names. */
  boolean knows(String flavor, Value task) {
    NodesCase nodes = byFlavor.get(flavor);
    return nodes == null || nodes.knows(task.get("topology"));
  }

  /** Whether every group of a job finds places once some running jobs are gone. */
  boolean places(List<TaskGroup> groups, FlavorAssignment flavors, List<RunningJob> gone) {
    gone.forEach(job -> release(job, -1));
    boolean all = placed(groups, flavors, false);
    gone.forEach(job -> release(job, 1));
    return all;
  }

  /** Takes the places of a job; false when there are none. */
  boolean take(List<TaskGroup> groups, FlavorAssignment flavors) {
    return placed(groups, flavors, true);
  }

  void release(RunningJob job, int sign) {
    held.getOrDefault(job.key() + job.queue(), List.of()).forEach(hold -> hold.take(sign));
  }

  private boolean placed(List<TaskGroup> groups, FlavorAssignment flavors, boolean keep) {
    List<Hold> taken = new ArrayList<>();
    boolean all = true;
    for (TaskGroup group : groups) {
      all = all && placed(group, flavors, taken);
    }
    if (!all || !keep) {
      taken.forEach(hold -> hold.take(-1));
    }
    return all;
  }

  private boolean placed(TaskGroup group, FlavorAssignment flavors, List<Hold> taken) {
    NodesCase nodes = nodes(group, flavors);
    if (nodes == null) {
      return true;
    }
    List<Wish> wishes = new ArrayList<>();
    for (int i = 0; i < group.entries().size(); i++) {
      Value task = group.entries().get(i);
      wishes.add(nodes.wish(task, group.counts().get(i), task.get("topology")));
    }
    wishes.sort((a, b) -> Long.compare(a.count(), b.count()));
    Optional<List<SortedMap<String, Long>>> places =
        new DomainPlacer(nodes.levels(), nodes.spots()).together(wishes);
    if (places.isEmpty()) {
      return false;
    }
    for (int i = 0; i < wishes.size(); i++) {
      for (Spot spot : nodes.spots()) {
        long count = places.get().get(i).getOrDefault(spot.name(), 0L);
        Hold hold = new Hold(spot, wishes.get(i).member(), count);
        hold.take(1);
        taken.add(hold);
      }
    }
    return true;
  }

  private @Nullable NodesCase nodes(TaskGroup group, FlavorAssignment flavors) {
    for (Value task : group.entries()) {
      for (FlavorAssignment.FlavorUse use :
          flavors.flavors().getOrDefault(task.get("name").text(), new TreeMap<>()).values()) {
        if (byFlavor.containsKey(use.flavor())) {
          return byFlavor.get(use.flavor());
        }
      }
    }
    return null;
  }
}
