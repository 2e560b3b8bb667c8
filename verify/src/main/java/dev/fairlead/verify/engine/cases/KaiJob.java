package dev.fairlead.verify.engine.cases;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.kueue.KueueNodes;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A job of a {@code kai-*} case: equal tasks of one sub-group are one role. */
final class KaiJob {
  private static final double MILLI = 1000;
  private static final String TASKS = "tasks";

  private final Value row;
  private final String model;
  private final Map<String, List<Value>> roles = new LinkedHashMap<>();

  /**
   * @param model model of all GPUs
   */
  KaiJob(Value row, String model) {
    this.row = row;
    this.model = model;
    Map<String, String> names = new LinkedHashMap<>();
    for (Value task : row.get("tasks").list()) {
      if (!state(task).equals("FAILED")) {
        String kind =
            task.get("group").text("") + "/" + gpu(task) + "/" + cpu(task) + "/" + memory(task);
        String name = names.computeIfAbsent(kind, k -> "r" + names.size());
        roles.computeIfAbsent(name, n -> new ArrayList<>()).add(task);
      }
    }
  }

  static String state(Value task) {
    return task.get("state")
        .oneOf("PENDING", "PENDING", "RUNNING", "STARTING", "RESERVED", "STOPPING", "FAILED");
  }

  /** Tasks by role, running ones first. */
  Map<String, List<Value>> roles() {
    Map<String, List<Value>> ordered = new LinkedHashMap<>();
    roles.forEach((name, tasks) -> {
      List<Value> sorted = new ArrayList<>(tasks);
      sorted.sort(java.util.Comparator.comparing(t -> state(t).equals("PENDING")));
      ordered.put(name, sorted);
    });
    return ordered;
  }

  static long cpu(Value task) {
    return Math.round(task.get("requests").get("cpu").number(0) * MILLI);
  }

  static long memory(Value task) {
    return Math.round(task.get("requests").get("memory").number(0));
  }

  GpuRequest gpu(Value task) {
    if (task.get("legacy_mig").flag(false)) {
      throw new NotExpressible(Missing.SLICE_OF_OLD_KIND);
    }
    if (!task.get("device_claims").list().isEmpty()) {
      throw new NotExpressible(Missing.DEVICE_CLAIMS);
    }
    SortedMap<String, Value> mig = task.get("mig").fields();
    if (!mig.isEmpty()) {
      String profile = mig.firstKey();
      Value slices = task.get("mig").get(profile);
      return new GpuRequest(
          GpuRequest.Kind.MIG,
          slices.count(1),
          0,
          0,
          profile.substring(profile.indexOf("mig-") + 4),
          List.of(),
          0);
    }
    boolean part = task.get("gpu_fraction").present() || task.get("gpu_memory_mib").present();
    if (part && task.get("gpu_devices").count(1) > 1) {
      throw new NotExpressible(Missing.PARTS_OF_SEVERAL_GPUS);
    }
    if (task.get("gpu_fraction").present()) {
      return GpuRequest.fraction((int) Math.round(task.get("gpu_fraction").number() * MILLI));
    }
    if (task.get("gpu_memory_mib").present()) {
      return new GpuRequest(
          GpuRequest.Kind.MEMORY, 0, 0, task.get("gpu_memory_mib").count(0), null, List.of(), 0);
    }
    int whole = (int) Math.round(task.get("requests").get(ResourceNames.GPU).number(0));
    return whole == 0 ? GpuRequest.NONE : GpuRequest.whole(whole);
  }

  /** Minimum of each role. */
  private SortedMap<String, Integer> fewest() {
    SortedMap<String, Integer> least = new TreeMap<>();
    boolean grouped =
        roles.values().stream().anyMatch(t -> !t.getFirst().get("group").text("").isEmpty());
    for (Value group : row.get("sub_groups").list()) {
      if (grouped && group.get("kind").text().equals(TASKS)) {
        least.put(group.get("name").text(), group.get("min_tasks").count(1));
      }
    }
    int all = roles.values().stream().mapToInt(List::size).sum();
    int gang = Math.min(all, row.get("gang_min").count(1));
    SortedMap<String, Integer> fewest = new TreeMap<>();
    roles.forEach((name, tasks) -> {
      String group = tasks.getFirst().get("group").text("");
      long alike =
          roles.values().stream()
              .filter(t -> t.getFirst().get("group").text("").equals(group))
              .count();
      int size =
          roles.values().stream()
              .filter(t -> t.getFirst().get("group").text("").equals(group))
              .mapToInt(List::size)
              .sum();
      int min = least.isEmpty() ? gang : least.getOrDefault(group, size);
      if (alike > 1 && min < size || least.isEmpty() && roles.size() > 1 && gang < all) {
        throw new NotExpressible(Missing.FEWEST_OVER_UNEQUAL);
      }
      fewest.put(name, Math.clamp(alike > 1 ? tasks.size() : min, 1, tasks.size()));
    });
    return fewest;
  }

  JobSpec spec() {
    SortedMap<String, Integer> fewest = fewest();
    SortedMap<String, TopologySpec> near = new TreeMap<>();
    TopologySpec ofAll = topologies(near);
    List<RoleSpec> specs = new ArrayList<>();
    roles.forEach((name, tasks) -> {
      Value task = tasks.getFirst();
      specs.add(
          new CaseJobs.Tasks(
                  name,
                  tasks.size(),
                  fewest.getOrDefault(name, tasks.size()),
                  gpu(task),
                  cpu(task),
                  memory(task))
              .role(near.get(task.get("group").text(""))));
    });
    PlacementSpec placement =
        PlacementSpec.ANYWHERE.with().topology(ofAll).nodeLabels(labels()).build();
    return CaseJobs.spec(specs, placement, row.get("preemptible").flag(false));
  }

  private SortedMap<String, String> labels() {
    SortedMap<String, String> labels = new TreeMap<>();
    List<List<String>> lists = new ArrayList<>();
    roles.values().forEach(tasks -> tasks.forEach(t -> lists.add(t.get("allowed_nodes").texts())));
    boolean same = lists.stream().distinct().count() == 1;
    if (!same || lists.getFirst().size() > 1) {
      throw new NotExpressible(Missing.NODE_LIST);
    }
    lists.getFirst().forEach(node -> labels.put(KaiCase.NODE_LABEL, node));
    return labels.isEmpty() ? Collections.emptySortedMap() : labels;
  }

  /** The topology of all tasks. Topologies of single sub-groups go into the map. */
  private @Nullable TopologySpec topologies(SortedMap<String, TopologySpec> bySubGroup) {
    TopologySpec ofAll = null;
    for (Value group : row.get("sub_groups").list()) {
      Value wish = group.get("topology");
      if (!wish.present()) {
        continue;
      }
      String required = wish.get("required_level").textOrNull();
      String preferred = wish.get("preferred_level").textOrNull();
      if (required != null && preferred != null) {
        /* Inside the required domain of all roles, a role may prefer a narrower level. */
        bySubGroup.put(
            "", new TopologySpec(KueueNodes.level(preferred), TopologySpec.Mode.PREFERRED));
      }
      TopologySpec spec =
          required != null
              ? new TopologySpec(KueueNodes.level(required), TopologySpec.Mode.REQUIRED)
              : new TopologySpec(
                  KueueNodes.level(String.valueOf(preferred)), TopologySpec.Mode.PREFERRED);
      String name = group.get("name").text();
      boolean leaf =
          group.get("kind").text().equals(TASKS)
              && row.get("tasks").list().stream()
                  .anyMatch(t -> t.get("group").text("").equals(name));
      if (leaf) {
        bySubGroup.put(name, spec);
      } else if (group.get("parent").present() || ofAll != null) {
        throw new NotExpressible(Missing.SUB_GROUP_TOPOLOGY);
      } else {
        ofAll = spec;
      }
    }
    return ofAll;
  }

  String model() {
    return model;
  }
}
