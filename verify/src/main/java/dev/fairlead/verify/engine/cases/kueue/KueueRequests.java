package dev.fairlead.verify.engine.cases.kueue;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NodeRules;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Requests of tasks of a {@code kueue-*} case, as fields of a job. */
final class KueueRequests {
  private final Value scenario;
  private final KueueNames names;
  private final KueueTree tree;

  KueueRequests(Value scenario, KueueNames names, KueueTree tree) {
    this.scenario = scenario;
    this.names = names;
    this.tree = tree;
  }

  /** Labels that any task requests. If a label has two values, the last one counts. */
  SortedMap<String, String> labels() {
    SortedMap<String, String> all = new TreeMap<>();
    List<Value> tasks = new ArrayList<>(scenario.get("probe").get("tasks").list());
    scenario.get("jobs").list().forEach(job -> tasks.addAll(job.get("tasks").list()));
    tasks.forEach(task -> all.putAll(labels(task)));
    return all;
  }

  private static SortedMap<String, String> labels(Value task) {
    SortedMap<String, String> labels = NodeRules.labels(task.get("node_selector"));
    Value affinity = task.get("node_affinity");
    boolean soft =
        !affinity.get("preferredDuringSchedulingIgnoredDuringExecution").list().isEmpty();
    List<Value> terms =
        affinity
            .get("requiredDuringSchedulingIgnoredDuringExecution")
            .get("nodeSelectorTerms")
            .list();
    if (soft || terms.size() > 1) {
      throw new NotExpressible(Missing.NODE_AFFINITY);
    }
    for (Value term : terms) {
      for (Value expression : term.get("matchExpressions").list()) {
        List<String> values = expression.get("values").texts();
        if (!expression.get("operator").text().equals("In") || values.size() != 1) {
          throw new NotExpressible(Missing.NODE_AFFINITY);
        }
        labels.put(expression.get("key").text(), values.getFirst());
      }
    }
    return labels;
  }

  JobSpec spec(String queue, List<Value> all, boolean preemptible) {
    List<Value> tasks = all.stream().filter(t -> t.get("count").count(1) > 0).toList();
    boolean together = together(tasks);
    boolean elastic =
        scenario.get("settings").get("source_switches").get("PartialAdmission").flag(true);
    List<RoleSpec> roles = new ArrayList<>();
    for (Value task : tasks) {
      int count = task.get("count").count(1);
      roles.add(
          new CaseJobs.Tasks(
                  task.get("name").text(),
                  count,
                  elastic ? Math.max(1, task.get("min_count").count(count)) : count,
                  gpu(queue, task),
                  names.amount(task.get("requests"), ResourceNames.CPU),
                  names.amount(task.get("requests"), ResourceNames.MEMORY))
              .role(together ? null : topology(task.get("topology"))));
    }
    PlacementSpec placement =
        PlacementSpec.ANYWHERE
            .with()
            .nodeLabels(oneSelector(tasks))
            .topology(together ? topology(tasks.getFirst().get("topology")) : null)
            .segment(segment(tasks))
            .build();
    return CaseJobs.spec(roles, placement, preemptible);
  }

  /** Returns whether all tasks must share one domain. */
  private static boolean together(List<Value> tasks) {
    SortedSet<String> groups = new TreeSet<>();
    for (Value task : tasks) {
      groups.add(
          task.get("topology").get("co_place_group").text(task.get("co_place_group").text("")));
    }
    if (groups.size() > 1) {
      throw new NotExpressible(Missing.SUB_GROUP_TOPOLOGY);
    }
    return tasks.size() > 1 && !groups.first().isEmpty();
  }

  private static SortedMap<String, String> oneSelector(List<Value> tasks) {
    SortedMap<String, String> first = labels(tasks.getFirst());
    if (tasks.stream().anyMatch(t -> !labels(t).equals(first))) {
      throw new NotExpressible(Missing.SELECTOR_BY_TASK);
    }
    return first;
  }

  private static @Nullable TopologySpec topology(Value wish) {
    if (wish.get("required_level").present()) {
      return new TopologySpec(
          KueueNodes.level(wish.get("required_level").text()), TopologySpec.Mode.REQUIRED);
    }
    return wish.get("preferred_level").present()
        ? new TopologySpec(
            KueueNodes.level(wish.get("preferred_level").text()), TopologySpec.Mode.PREFERRED)
        : null;
  }

  /** Returns whether a submit accepts the tasks: a slice without its size is an error of input. */
  static boolean valid(List<Value> tasks) {
    return tasks.stream()
        .map(task -> task.get("topology"))
        .allMatch(t -> !t.get("slice_level").present() || t.get("slice_size").present());
  }

  private static PlacementSpec.@Nullable Segment segment(List<Value> tasks) {
    PlacementSpec.Segment first = null;
    for (int i = 0; i < tasks.size(); i++) {
      Value topology = tasks.get(i).get("topology");
      if (topology.get("slice_layers").present()) {
        throw new NotExpressible(Missing.SLICE_LAYERS);
      }
      Value level = topology.get("slice_level");
      PlacementSpec.Segment own =
          level.present()
              ? new PlacementSpec.Segment(
                  topology.get("slice_size").count(1), KueueNodes.level(level.text()))
              : null;
      if (i > 0 && !Objects.equals(own, first)) {
        throw new NotExpressible(Missing.SLICE_LAYERS);
      }
      first = own;
    }
    return first;
  }

  /** A GPU that represents the flavors of the resource group of the task, in order. */
  private GpuRequest gpu(String queue, Value task) {
    if (!names.carried()) {
      return GpuRequest.NONE;
    }
    List<String> asked = new ArrayList<>();
    for (Map.Entry<String, Value> request : task.get("requests").fields().entrySet()) {
      if (!request.getKey().equals("pods")) {
        asked.add(request.getKey());
      }
    }
    List<String> flavors = new ArrayList<>();
    int groups = 0;
    for (Value group : tree.row(queue).get("flavor_groups").list()) {
      if (group.get("resources").texts().stream().anyMatch(asked::contains)) {
        groups++;
        flavors.addAll(group.get("flavors").texts());
      }
    }
    if (groups > 1) {
      throw new NotExpressible(Missing.FLAVOR_GROUPS);
    }
    List<String> open = flavors.isEmpty() ? names.flavors() : flavors;
    return GpuRequest.whole(1, open.stream().map(names::model).toArray(String[]::new));
  }
}
