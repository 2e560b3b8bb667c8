package dev.fairlead.work.placement.shape;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Selects the other jobs with which a member may share a domain. The members of its job, in the
 * same element, count for no term.
 *
 * @param matched terms of any job that name its job, sorted
 * @param near each needs a matching job in the domain of the member, sorted
 * @param away no matching job may be in the domain of the member, sorted
 */
public record Neighbours(
    List<NeighbourTerm> matched, List<NeighbourTerm> near, List<NeighbourTerm> away) {
  public static final Neighbours ANY = new Neighbours(List.of(), List.of(), List.of());

  public Neighbours {
    matched = List.copyOf(matched);
    near = List.copyOf(near);
    away = List.copyOf(away);
  }

  /**
   * @param matched terms that name the job
   */
  public static Neighbours of(Job job, SortedSet<NeighbourTerm> matched) {
    PlacementSpec placement = job.spec().placement();
    if (matched.isEmpty() && !placement.namesJobs()) {
      return ANY;
    }
    SortedSet<NeighbourTerm> near = new TreeSet<>();
    placement.near().forEach(term -> near.add(NeighbourTerm.of(job, term)));
    SortedSet<NeighbourTerm> away = new TreeSet<>();
    placement.away().forEach(term -> away.add(NeighbourTerm.of(job, term)));
    placement.avoidClasses().forEach(name -> away.add(NeighbourTerm.ofClass(name)));
    return new Neighbours(List.copyOf(matched), List.copyOf(near), List.copyOf(away));
  }

  /** Returns the terms of a job with a placement that may have dropped terms. */
  Neighbours under(PlacementSpec placement) {
    return new Neighbours(
        matched,
        placement.near().isEmpty() ? List.of() : near,
        away.stream()
            .filter(term ->
                term.project() == null
                    ? !placement.avoidClasses().isEmpty()
                    : !placement.away().isEmpty())
            .toList());
  }

  /** Returns whether no term concerns it. */
  public boolean any() {
    return matched.isEmpty() && near.isEmpty() && away.isEmpty();
  }

  /** Returns whether only jobs on a node itself decide about that node. */
  public boolean ofNode() {
    return near.isEmpty()
        && matched.stream().allMatch(NeighbourTerm::ofNode)
        && away.stream().allMatch(NeighbourTerm::ofNode);
  }
}
