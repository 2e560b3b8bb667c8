package dev.fairlead.placement.deserved;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A job: its tasks, how many of each group it needs at least, and where they run. */
public final class Work {
  private final String name;
  private final String queue;
  private final int priority;
  private final boolean preemptible;
  private final double age;
  private final List<Part> parts;
  private final SortedMap<String, Integer> least;
  private final @Nullable Near near;
  private final SortedMap<String, Machine> running = new TreeMap<>();

  /**
   * Labels whose value all tasks must or should have in common; null = none.
   *
   * @param required label that all nodes must share
   * @param preferred label that all nodes should share
   */
  public record Near(@Nullable String required, @Nullable String preferred) {}

  /**
   * What is told of a job.
   *
   * @param age seconds, larger = older
   */
  public record Facts(String name, String queue, int priority, boolean preemptible, double age) {}

  /**
   * A job of which nothing runs yet.
   *
   * @param least tasks by group without which nothing of it may run
   */
  public Work(Facts facts, List<Part> parts, Map<String, Integer> least, @Nullable Near near) {
    name = facts.name();
    queue = facts.queue();
    priority = facts.priority();
    preemptible = facts.preemptible();
    age = facts.age();
    this.parts = parts.stream().sorted(Comparator.comparingInt((Part p) -> -p.order())).toList();
    this.least = new TreeMap<>(least);
    this.near = near;
  }

  public String name() {
    return name;
  }

  String queue() {
    return queue;
  }

  int priority() {
    return priority;
  }

  boolean preemptible() {
    return preemptible;
  }

  @Nullable Near near() {
    return near;
  }

  /** Where a task runs; null when it waits. */
  public @Nullable Machine at(String part) {
    return running.get(part);
  }

  /** Notes that a task runs. */
  public void runs(Part part, Machine machine) {
    running.put(part.name(), machine);
  }

  void waits(Part part) {
    running.remove(part.name());
  }

  boolean anyRuns() {
    return !running.isEmpty();
  }

  List<Part> waiting() {
    return parts.stream().filter(p -> !running.containsKey(p.name())).toList();
  }

  List<Part> runningParts() {
    return parts.stream().filter(p -> running.containsKey(p.name())).toList();
  }

  /** The next tasks that start together: what is missing of the least, else one more. */
  List<Part> next() {
    List<Part> missing = new ArrayList<>();
    for (Map.Entry<String, Integer> group : least.entrySet()) {
      long there = running(group.getKey());
      waiting().stream()
          .filter(p -> p.group().equals(group.getKey()))
          .limit(Math.max(0, group.getValue() - there))
          .forEach(missing::add);
      if (there + missing.stream().filter(p -> p.group().equals(group.getKey())).count()
          < group.getValue()) {
        return List.of();
      }
    }
    return missing.isEmpty() ? waiting().stream().limit(1).toList() : missing;
  }

  /** Whether what runs is enough to run. */
  boolean satisfied() {
    return least.entrySet().stream().allMatch(g -> running(g.getKey()) >= g.getValue());
  }

  /**
   * What goes together when it is evicted: tasks beyond the least one by one, then all the rest.
   */
  List<List<Part>> units() {
    List<List<Part>> units = new ArrayList<>();
    List<Part> rest = new ArrayList<>(runningParts());
    for (int i = rest.size() - 1; i >= 0; i--) {
      Part part = rest.get(i);
      long there = rest.stream().filter(p -> p.group().equals(part.group())).count();
      if (there > least.getOrDefault(part.group(), 0)) {
        units.add(List.of(part));
        rest.remove(i);
      }
    }
    if (!rest.isEmpty()) {
      units.add(rest);
    }
    return units;
  }

  private long running(String group) {
    return runningParts().stream().filter(p -> p.group().equals(group)).count();
  }

  /** In the order of a queue: higher priority, satisfied ones later, older, by name. */
  static final Comparator<Work> FIRST =
      Comparator.comparing((Work w) -> w.anyRuns() && w.satisfied())
          .thenComparingInt(w -> -w.priority)
          .thenComparingDouble(w -> -w.age)
          .thenComparing(Work::name);

  /** Lower priority, then newer, goes first. */
  static final Comparator<Work> CHEAPEST =
      Comparator.comparingInt(Work::priority)
          .thenComparingDouble(w -> w.age)
          .thenComparing(Work::name);
}
