package dev.fairlead.bench.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tasks of a job that get their flavors together: one group, or several that share a domain.
 *
 * @param counts tasks by entry, reduced ones where a job may start smaller
 */
record TaskGroup(List<Value> entries, List<Integer> counts) {

  /** The groups of a job at full size; released tasks need nothing. */
  static List<TaskGroup> of(List<Value> tasks, boolean released) {
    List<Integer> counts = new ArrayList<>();
    for (Value task : tasks) {
      counts.add(task.get("count").count(1) - (released ? task.get("released").count(0) : 0));
    }
    return of(tasks, counts);
  }

  static List<TaskGroup> of(List<Value> tasks, List<Integer> counts) {
    SortedMap<String, TaskGroup> shared = new TreeMap<>();
    List<TaskGroup> groups = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      Value task = tasks.get(i);
      String place =
          task.get("topology").get("co_place_group").text(task.get("co_place_group").text(""));
      TaskGroup group = shared.get(place);
      if (group == null) {
        group = new TaskGroup(new ArrayList<>(), new ArrayList<>());
        groups.add(group);
        if (!place.isEmpty()) {
          shared.put(place, group);
        }
      }
      group.entries.add(task);
      group.counts.add(counts.get(i));
    }
    return groups;
  }

  /** Base units of every resource; pods too where the queue counts them. */
  SortedMap<String, Long> asked(boolean pods) {
    SortedMap<String, Long> sum = new TreeMap<>();
    for (int i = 0; i < entries.size(); i++) {
      asked(i, pods).forEach((resource, amount) -> sum.merge(resource, amount, Long::sum));
    }
    return sum;
  }

  /** Base units that one entry asks for. */
  SortedMap<String, Long> asked(int entry, boolean pods) {
    SortedMap<String, Long> sum = new TreeMap<>();
    for (Map.Entry<String, Value> request :
        entries.get(entry).get("requests").fields().entrySet()) {
      sum.put(request.getKey(), QuotaCase.amount(request.getValue().number() * counts.get(entry)));
    }
    if (pods) {
      sum.put("pods", QuotaCase.amount(counts.get(entry)));
    }
    return sum;
  }
}
