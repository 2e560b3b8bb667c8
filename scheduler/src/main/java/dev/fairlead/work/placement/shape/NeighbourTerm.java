package dev.fairlead.work.placement.shape;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Jobs, and a level of the topology. {@code near}, {@code away} and {@code avoidClasses} of a job
 * are such terms.
 *
 * @param project project of the jobs, null for jobs of a class in any project
 * @param jobs labels that the jobs carry, at least one. Without a project only their class
 * @param within name of the level
 */
public record NeighbourTerm(
    @Nullable ProjectId project, SortedMap<String, String> jobs, String within)
    implements Comparable<NeighbourTerm> {
  /** Key of a class in {@link #jobs}. */
  public static final String CLASS = "class";

  private static final Comparator<NeighbourTerm> ORDER =
      Comparator.comparing(
              NeighbourTerm::project, Comparator.nullsFirst(Comparator.<Id>naturalOrder()))
          .thenComparing(NeighbourTerm::jobs, NeighbourTerm::compare)
          .thenComparing(NeighbourTerm::within);

  static NeighbourTerm ofClass(String name) {
    return new NeighbourTerm(null, new TreeMap<>(Map.of(CLASS, name)), Levels.HOST);
  }

  static NeighbourTerm of(Job job, PlacementSpec.JobTerm term) {
    return new NeighbourTerm(job.project(), term.jobs(), term.within());
  }

  /** Returns whether the term names the job. */
  public boolean matches(Job job) {
    return project == null
        ? Objects.equals(jobs.get(CLASS), job.spec().placement().jobClass())
        : project.equals(job.project())
            && job.spec().labels().entrySet().containsAll(jobs.entrySet());
  }

  /** Returns whether the term's domains are single nodes. */
  public boolean ofNode() {
    return within.equals(Levels.HOST);
  }

  /** Describes the jobs: {@code app=cache,tier=1}. */
  public String text() {
    return project == null ? "of class " + jobs.get(CLASS) : "with " + labels();
  }

  private String labels() {
    return jobs.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(","));
  }

  /** Compares label by label, because sorted sets of terms are built for each job. */
  private static int compare(SortedMap<String, String> one, SortedMap<String, String> other) {
    Iterator<Map.Entry<String, String>> others = other.entrySet().iterator();
    for (Map.Entry<String, String> label : one.entrySet()) {
      if (!others.hasNext()) {
        return 1;
      }
      Map.Entry<String, String> its = others.next();
      int byKey = label.getKey().compareTo(its.getKey());
      int order = byKey == 0 ? label.getValue().compareTo(its.getValue()) : byKey;
      if (order != 0) {
        return order;
      }
    }
    return others.hasNext() ? -1 : 0;
  }

  @Override
  public int compareTo(NeighbourTerm other) {
    return ORDER.compare(this, other);
  }
}
