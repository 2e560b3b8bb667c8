package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobCount;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Counts of jobs by their groups and by the values of a label. */
final class JobCounts {
  private JobCounts() {}

  /** The given number of values that follow the given one, with their jobs by state. */
  static SortedMap<String, SortedMap<JobState, Integer>> labelled(
      List<Job> jobs, String label, String after, int most) {
    SortedMap<String, SortedMap<JobState, Integer>> counts = new TreeMap<>();
    for (Job job : jobs) {
      String value = job.spec().labels().getOrDefault(label, "");
      if (value.compareTo(after) > 0) {
        counts.computeIfAbsent(value, one -> new TreeMap<>()).merge(job.state(), 1, Integer::sum);
      }
    }
    while (counts.size() > most) {
      counts.remove(counts.lastKey());
    }
    return counts;
  }

  static List<JobCount> by(
      Set<JobCount.Group> groups, List<Job> jobs, Function<Job, String> queueName) {
    TreeMap<List<String>, JobCount> counts =
        new TreeMap<>(Comparator.comparing(values -> String.join("\0", values)));
    for (Job job : jobs) {
      TreeMap<JobCount.Group, String> group = new TreeMap<>();
      groups.forEach(one -> group.put(one, value(job, one, queueName)));
      counts.merge(
          List.copyOf(group.values()),
          new JobCount(group, 1, JobFilters.gpuMilli(job)),
          (a, b) -> new JobCount(group, a.jobs() + b.jobs(), a.gpuMilli() + b.gpuMilli()));
    }
    return List.copyOf(counts.values());
  }

  private static String value(Job job, JobCount.Group group, Function<Job, String> queueName) {
    return switch (group) {
      case STATE -> job.state().name();
      case QUEUE -> queueName.apply(job);
      case PROJECT -> job.project().text();
      case USER -> job.user();
    };
  }
}
