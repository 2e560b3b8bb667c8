package dev.fairlead.work.placement.node;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.shape.NeighbourTerm;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the members that match each term, and the members of jobs that avoid it, by domain. It
 * holds only terms that an active job names, so other jobs cost nothing. Terms are found by one
 * label of their jobs.
 *
 * <p>Each term costs a count for each matching running job. Terms of waiting jobs count up to
 * {@link #MOST_TERMS} in a project, and a job with another term waits.
 */
public final class NeighbourCounts {
  /** Maximum number of different terms of the active jobs of a project. */
  public static final int MOST_TERMS = 128;

  private final SortedMap<NeighbourTerm, Counts> terms = new TreeMap<>();
  private final Map<ProjectId, Integer> termsOfProjects = new LinkedHashMap<>();
  private final Map<Label, List<NeighbourTerm>> byLabel = new LinkedHashMap<>();
  private final Map<Neighbours, List<Counted>> checks = new LinkedHashMap<>();
  private final List<Holder> holders = new ArrayList<>();
  private @Nullable Map<Held, String> names;
  private Neighbours last = Neighbours.ANY;
  private List<Counted> checksOfLast = List.of();

  /** A label of the jobs of a term, or their class for a term without a project. */
  private record Label(@Nullable ProjectId project, String key, String value) {
    static Label first(NeighbourTerm term) {
      String key = term.jobs().firstKey();
      return new Label(term.project(), key, term.jobs().getOrDefault(key, ""));
    }
  }

  /** Members by domain. Members of reservations count, but a job cannot be near them. */
  private static final class Counts {
    private final SortedMap<String, Integer> matching = new TreeMap<>();
    private final SortedMap<String, Integer> reserved = new TreeMap<>();
    private final SortedMap<String, Integer> avoiding = new TreeMap<>();
  }

  /** A running job that terms concern. */
  private record Holder(String job, Neighbours its, List<NodeCapacity> nodes) {}

  /** A domain that running jobs close by a term. */
  private record Held(Rule rule, NeighbourTerm term, String domain) {}

  /** Decision of a term about a node. */
  public enum Rule {
    /** The job avoids the jobs of the term. */
    AWAY,
    /** A job in the domain avoids this job. */
    KEPT_AWAY,
    /** The job must be near a job that matches the term. */
    NEAR,
    /** The project has too many terms to count this one. */
    UNCOUNTED
  }

  /**
   * A condition on the domain of a node.
   *
   * @param first whether the job matches its term itself, so that it may be the first
   */
  public record Check(Rule rule, NeighbourTerm term, boolean first) {}

  private record Counted(Check check, Counts counts) {
    /** A term without a running job closes no node at any level, so many terms cost little. */
    boolean refuses(NodeCapacity node) {
      if (check.rule == Rule.KEPT_AWAY && counts.avoiding.isEmpty()) {
        return false;
      }
      String domain = node.domain(check.term.within());
      return switch (check.rule) {
        case AWAY ->
            domain == null
                || counts.matching.containsKey(domain)
                || counts.reserved.containsKey(domain);
        case KEPT_AWAY -> domain != null && counts.avoiding.containsKey(domain);
        case NEAR ->
            domain == null
                || !counts.matching.containsKey(domain)
                    && !(check.first && counts.matching.isEmpty());
        case UNCOUNTED -> true;
      };
    }
  }

  /** Returns an index of the terms of the waiting and running jobs, without members. */
  public static NeighbourCounts of(World world) {
    NeighbourCounts index = new NeighbourCounts();
    for (World.LiveAttempt live : world.live()) {
      index.name(live.job(), true);
    }
    for (PendingJob pending : world.pending()) {
      index.name(pending.job(), false);
    }
    return index;
  }

  /** Returns an index of the terms that differ between two lists, without members. */
  public static NeighbourCounts difference(List<NeighbourTerm> one, List<NeighbourTerm> other) {
    NeighbourCounts index = new NeighbourCounts();
    if (!one.equals(other)) {
      SortedSet<NeighbourTerm> differ = new TreeSet<>(one);
      for (NeighbourTerm term : other) {
        if (!differ.remove(term)) {
          differ.add(term);
        }
      }
      differ.forEach(index::counts);
    }
    return index;
  }

  private void name(Job job, boolean runs) {
    if (job.spec().placement().namesJobs()) {
      Neighbours its = Neighbours.of(job, Collections.emptySortedSet());
      Stream.concat(its.near().stream(), its.away().stream())
          .filter(term -> runs || !uncounted(term))
          .forEach(this::counts);
    }
  }

  /** Returns whether the project of an unknown term has reached its maximum number of terms. */
  private boolean uncounted(NeighbourTerm term) {
    ProjectId project = term.project();
    return project != null
        && !terms.containsKey(term)
        && termsOfProjects.getOrDefault(project, 0) >= MOST_TERMS;
  }

  private Counts counts(NeighbourTerm term) {
    Counts known = terms.get(term);
    if (known == null) {
      known = new Counts();
      terms.put(term, known);
      ProjectId project = term.project();
      if (project != null) {
        termsOfProjects.merge(project, 1, Integer::sum);
      }
      byLabel.computeIfAbsent(Label.first(term), l -> new ArrayList<>()).add(term);
    }
    return known;
  }

  /** Returns the terms by which jobs are compared, sorted. */
  public List<NeighbourTerm> terms() {
    return List.copyOf(terms.keySet());
  }

  /** Returns whether no job names another. */
  public boolean isEmpty() {
    return terms.isEmpty();
  }

  /** Returns the terms that concern the job. */
  public Neighbours of(Job job) {
    return Neighbours.of(job, matched(job));
  }

  /** Returns the terms that name the job. */
  public SortedSet<NeighbourTerm> matched(Job job) {
    if (terms.isEmpty()) {
      return Collections.emptySortedSet();
    }
    SortedSet<NeighbourTerm> matched = new TreeSet<>();
    String jobClass = job.spec().placement().jobClass();
    if (jobClass != null) {
      matching(job, new Label(null, NeighbourTerm.CLASS, jobClass), matched);
    }
    for (Map.Entry<String, String> label : job.spec().labels().entrySet()) {
      matching(job, new Label(job.project(), label.getKey(), label.getValue()), matched);
    }
    return matched;
  }

  private void matching(Job job, Label label, SortedSet<NeighbourTerm> found) {
    for (NeighbourTerm term : byLabel.getOrDefault(label, List.of())) {
      if (term.matches(job)) {
        found.add(term);
      }
    }
  }

  /** Returns whether the terms let a member run on the node. */
  boolean admits(Neighbours newcomer, NodeCapacity node) {
    return newcomer.any() || refusing(newcomer, node) == null;
  }

  /** Returns the first condition that the node does not meet, null if it meets all. */
  public @Nullable Check refusing(Neighbours newcomer, NodeCapacity node) {
    for (Counted each : checks(newcomer)) {
      if (each.refuses(node)) {
        return each.check;
      }
    }
    return null;
  }

  /** Returns whether the node has no domain at the level of the condition. */
  public boolean outside(Check check, NodeCapacity node) {
    return node.domain(check.term.within()) == null;
  }

  /** Names a job for explanations that {@link #blocking} can return. */
  public void hold(Job job, Neighbours its, List<NodeCapacity> nodes) {
    holders.add(new Holder(job.name(), its, nodes));
  }

  /**
   * Returns the name of a running job of the project of the term that closes the node, the first by
   * name. The result is null for none, and for a class, because its jobs may belong to other
   * tenants.
   */
  public @Nullable String blocking(Check check, NodeCapacity node) {
    String domain = node.domain(check.term.within());
    boolean held = check.rule == Rule.AWAY || check.rule == Rule.KEPT_AWAY;
    if (check.term.project() == null || !held || domain == null) {
      return null;
    }
    Map<Held, String> known = names;
    if (known == null) {
      known = new LinkedHashMap<>();
      for (Holder holder : holders) {
        name(Rule.AWAY, holder.its.matched(), holder, known);
        name(Rule.KEPT_AWAY, holder.its.away(), holder, known);
      }
      names = known;
    }
    return known.get(new Held(check.rule, check.term, domain));
  }

  private static void name(
      Rule rule, List<NeighbourTerm> terms, Holder holder, Map<Held, String> names) {
    for (NeighbourTerm term : terms) {
      for (NodeCapacity node : holder.nodes) {
        String domain = node.domain(term.within());
        if (domain != null) {
          names.merge(
              new Held(rule, term, domain), holder.job, BinaryOperator.minBy(String::compareTo));
        }
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // the nodes of a cluster are queried for one shape
  private List<Counted> checks(Neighbours of) {
    if (last != of) {
      checksOfLast = checks.computeIfAbsent(of, this::conditions);
      last = of;
    }
    return checksOfLast;
  }

  private List<Counted> conditions(Neighbours of) {
    List<Counted> found = new ArrayList<>();
    of.away().forEach(term -> found.add(counted(Rule.AWAY, term, false)));
    of.matched().forEach(term -> found.add(counted(Rule.KEPT_AWAY, term, false)));
    of.near().forEach(term -> found.add(counted(Rule.NEAR, term, of.matched().contains(term))));
    return found;
  }

  private Counted counted(Rule rule, NeighbourTerm term, boolean first) {
    return uncounted(term)
        ? new Counted(new Check(Rule.UNCOUNTED, term, false), new Counts())
        : new Counted(new Check(rule, term, first), counts(term));
  }

  /**
   * Adds (sign 1) or removes (sign -1) a member on the node.
   *
   * @param runs false for the member of a reservation
   */
  void move(Neighbours its, NodeCapacity node, boolean runs, int sign) {
    for (NeighbourTerm term : its.matched()) {
      Counts counts = counts(term);
      count(runs ? counts.matching : counts.reserved, node.domain(term.within()), sign);
    }
    for (NeighbourTerm term : its.away()) {
      count(counts(term).avoiding, node.domain(term.within()), sign);
    }
  }

  private static void count(SortedMap<String, Integer> of, @Nullable String domain, int by) {
    if (domain != null && of.merge(domain, by, Integer::sum) == 0) {
      of.remove(domain);
    }
  }
}
