package dev.fairlead.verify.engine.cases.kueue;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Maps flavors and resources of a {@code kueue-*} case to the product. The resource names of a case
 * are arbitrary, so its resources become cpu, memory and GPUs, in this order. A single flavor
 * becomes the flavor of members without GPU. If a case has several flavors, each becomes a GPU
 * model, and each task requests one such GPU. There are more GPUs than requests.
 */
public final class KueueNames {
  static final double MILLI = 1000;
  private static final double LARGEST = 1L << 53;
  private static final String ONLY_FLAVOR = "default";
  private static final String PODS = "pods";

  private final List<String> flavors;
  private final SortedMap<String, String> resources = new TreeMap<>();

  KueueNames(Value scenario) {
    SortedSet<String> asked = new TreeSet<>();
    Collection<String> named = new TreeSet<>();
    for (Value flavor : scenario.get("cluster").get("flavors").list()) {
      named.add(flavor.get("name").text());
    }
    for (Value queue : scenario.get("queues").list()) {
      for (Value quota : queue.get("quotas").list()) {
        named.add(flavor(quota));
        asked.add(quota.get("resource").text());
      }
    }
    if (asked.contains(PODS)) {
      throw new NotExpressible(Missing.PODS_QUOTA);
    }
    tasks(scenario).forEach(task -> asked.addAll(task.get("requests").fields().keySet()));
    tasks(scenario).forEach(task -> asked.addAll(task.get("usage").fields().keySet()));
    scenario
        .get("cluster")
        .get("nodes")
        .list()
        .forEach(n -> asked.addAll(n.get("allocatable").fields().keySet()));
    asked.remove(PODS);
    flavors = named.isEmpty() ? List.of(ONLY_FLAVOR) : List.copyOf(named);
    name(asked);
  }

  private void name(SortedSet<String> asked) {
    List<String> free = new ArrayList<>(List.of(ResourceNames.CPU, ResourceNames.MEMORY));
    for (String own : List.copyOf(free)) {
      if (asked.remove(own)) {
        resources.put(own, own);
        free.remove(own);
      }
    }
    for (String other : asked) {
      if (free.isEmpty()) {
        throw new NotExpressible(Missing.MANY_RESOURCES);
      }
      resources.put(other, free.removeFirst());
    }
  }

  /** All tasks of a case, waiting and running. */
  private static List<Value> tasks(Value scenario) {
    List<Value> tasks = new ArrayList<>();
    scenario.get("jobs").list().forEach(job -> tasks.addAll(job.get("tasks").list()));
    tasks.addAll(scenario.get("probe").get("job").get("tasks").list());
    tasks.addAll(scenario.get("probe").get("tasks").list());
    return tasks;
  }

  List<String> flavors() {
    return flavors;
  }

  /** Returns whether tasks request GPUs that represent their flavor. */
  boolean carried() {
    return flavors.size() > 1;
  }

  static String flavor(Value quota) {
    return quota.get("flavor").text(ONLY_FLAVOR);
  }

  /** The GPU model of a flavor, CPU for a single one. */
  String model(String flavor) {
    int at = flavors.indexOf(flavor);
    if (!carried() || at < 0) {
      return carried() ? "none" : Flavor.CPU;
    }
    return String.format(java.util.Locale.ROOT, "F%02d", at);
  }

  /** The flavor of a GPU model. */
  public String flavorOf(String model) {
    return !carried()
        ? flavors.getFirst()
        : flavors.stream().filter(f -> model(f).equals(model)).findFirst().orElse(model);
  }

  Flavor flavored(String flavor) {
    return new Flavor(model(flavor), CapacityType.RESERVED);
  }

  QuotaCell cell(Value quota) {
    return new QuotaCell(
        flavored(flavor(quota)),
        resources.getOrDefault(quota.get("resource").text(), ResourceNames.CPU));
  }

  /** All cells of the case. */
  List<QuotaCell> cells() {
    List<QuotaCell> cells = new ArrayList<>();
    for (String flavor : flavors) {
      resources.values().forEach(r -> cells.add(new QuotaCell(flavored(flavor), r)));
    }
    return cells;
  }

  /** Base units of cpu or memory among amounts by resource. */
  long amount(Value amounts, String wanted) {
    long sum = 0;
    for (Map.Entry<String, Value> each : amounts.fields().entrySet()) {
      if (wanted.equals(resources.get(each.getKey()))) {
        sum += units(each.getValue().number());
      }
    }
    return sum;
  }

  /** Base units of one resource. */
  long amount(String resource, double value, String wanted) {
    return wanted.equals(resources.get(resource)) ? units(value) : 0;
  }

  static long units(double value) {
    return Math.round(Math.min(LARGEST, value * MILLI));
  }
}
