package dev.fairlead.work.world;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import dev.fairlead.work.world.PendingJob.Offer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Elements of an array that wait for the elements of the same index of other arrays. */
public final class ElementDependencies {
  private final Job job;
  private final List<Edge> edges = new ArrayList<>();

  /**
   * An array that elements wait for.
   *
   * @param elements its elements with a row, in any order
   */
  public record Array(String name, JobStatus run, List<JobElement> elements) {}

  /**
   * Elements of one view.
   *
   * @param offers elements that may start, within the limit of the array. If all elements wait, the
   *     first element
   * @param unmet the elements of other arrays, human-readable, empty if an element may start
   * @param dead a dependency that can no longer be met, null if an element may start, or waits
   * @param ended elements that must end, by the same dependency and state
   */
  public record Outcome(
      List<Offer> offers,
      List<String> unmet,
      @Nullable FailedDependency dead,
      List<FailedDependency> ended) {}

  private record Edge(Condition condition, Array array, SortedMap<Integer, JobStatus> rows) {
    static Edge of(Condition condition, Array array) {
      SortedMap<Integer, JobStatus> rows = new TreeMap<>();
      array.elements.forEach(element -> rows.put(element.index(), element.run()));
      return new Edge(condition, array, rows);
    }

    /** Life of one element. An element that waited at the end of its array ended with the array. */
    @Nullable JobStatus run(int index) {
      JobStatus row = rows.get(index);
      JobStatus whole = array.run;
      if (!whole.ended() || row != null && row.ended()) {
        return row;
      }
      return whole.withStartedAt(row == null ? null : row.startedAt());
    }

    Standing standing(int index) {
      JobStatus run = run(index);
      return run == null ? Standing.UNMET : Standing.of(run, condition);
    }

    FailedDependency failed(int index) {
      return FailedDependency.of(array.name, condition, run(index));
    }
  }

  private ElementDependencies(Job job) {
    this.job = job;
  }

  /** Returns whether elements of the job wait for elements. */
  public static boolean has(Job job) {
    return job.array() != null && job.spec().dependsOn().stream().anyMatch(Dependency::perElement);
  }

  /**
   * The dependencies of its elements.
   *
   * @param arrays the array of a dependency, null without a stored row. Such a dependency counts
   *     for the whole job
   */
  public static ElementDependencies of(Job job, Function<Dependency, @Nullable Array> arrays) {
    ElementDependencies all = new ElementDependencies(job);
    for (Dependency dependency : job.spec().dependsOn()) {
      Array array = dependency.perElement() ? arrays.apply(dependency) : null;
      if (array != null) {
        all.edges.add(Edge.of(dependency.condition(), array));
      }
    }
    return all;
  }

  /**
   * Separates elements that may start from waiting elements and dead elements.
   *
   * @param waiting all elements that have not started, and that wait for another attempt, in the
   *     order in which they start
   * @param free number of elements that may start within the limit of the array
   */
  public Outcome split(List<Offer> waiting, int free) {
    List<Offer> open = new ArrayList<>();
    List<Offer> unmet = new ArrayList<>();
    Map<FailedDependency, List<Integer>> dead = new LinkedHashMap<>();
    for (Offer offer : waiting) {
      FailedDependency failed = failed(offer.index());
      if (failed != null) {
        dead.computeIfAbsent(failed, state -> new ArrayList<>()).add(offer.index());
      } else if (edges.stream().allMatch(edge -> edge.standing(offer.index()) == Standing.MET)) {
        open.add(offer);
      } else {
        unmet.add(offer);
      }
    }
    boolean ends = job.spec().onDependencyFailure() == JobSpec.OnDependencyFailure.FAIL;
    List<FailedDependency> groups = new ArrayList<>();
    dead.forEach((state, indexes) -> groups.add(state.of(indexes.stream().sorted().toList())));
    List<FailedDependency> ended = ends ? groups : List.of();
    if (free <= 0 || !open.isEmpty()) {
      return new Outcome(open.stream().limit(Math.max(0, free)).toList(), List.of(), null, ended);
    }
    if (!unmet.isEmpty()) {
      return new Outcome(unmet.subList(0, 1), names(unmet), null, ended);
    }
    return ends || groups.isEmpty()
        ? new Outcome(List.of(), List.of(), null, ended)
        : new Outcome(waiting.subList(0, 1), List.of(), groups.getFirst(), ended);
  }

  private @Nullable FailedDependency failed(int index) {
    FailedDependency failed = null;
    for (Edge edge : edges) {
      if (edge.standing(index) == Standing.DEAD) {
        failed = FailedDependency.first(failed, edge.failed(index));
      }
    }
    return failed;
  }

  /** The element that the first waiting element needs, in each array, and the number of others. */
  private List<String> names(List<Offer> unmet) {
    int index = unmet.getFirst().index();
    String others = unmet.size() == 1 ? "" : " (and %d more elements)".formatted(unmet.size() - 1);
    return edges.stream()
        .filter(edge -> edge.standing(index) != Standing.MET)
        .map(edge -> "element %d of %s%s".formatted(index, edge.array.name, others))
        .toList();
  }
}
