package dev.fairlead.job;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.explanation.Explanation;
import dev.fairlead.explanation.Reason;
import dev.fairlead.resources.Flavor;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about a job, as it was explained then.
 *
 * @param at when it was decided; of a wait, when it began or its first reason became this one
 */
public record DecisionRecord(JobId job, Instant at, Body body) {
  /** So many are kept of a job, the newest. */
  public static final int MOST = 200;

  /** A wait is recorded when it has lasted so long, and again when its first reason changed. */
  public static final Duration WAIT = Duration.ofMinutes(1);

  /** What was decided. */
  public enum Kind {
    PLACED,
    WAITED,
    EVICTED,
    /** Evicted, with a place elsewhere that is kept for it. */
    MOVED
  }

  /** What there is to say of a decision of one kind. */
  public sealed interface Body {
    Kind kind();
  }

  /**
   * It got a place.
   *
   * @param element first index of the array, 0 for a job that is none
   * @param elements that were placed on the cluster at once, 1 for a job that is no array
   * @param attempt number of the attempt, of the first element
   * @param quota its queue and the quota nodes above it that have limits, of its tenant alone
   * @param victims attempts that left for it, by right
   */
  public record Placed(
      int element,
      int elements,
      int attempt,
      Place place,
      List<QuotaState> quota,
      SortedMap<EvictionRight, Integer> victims)
      implements Body {
    public Placed {
      quota = List.copyOf(quota);
      victims = Collections.unmodifiableSortedMap(new TreeMap<>(victims));
    }

    @Override
    public Kind kind() {
      return Kind.PLACED;
    }
  }

  /**
   * Where members were placed.
   *
   * @param gpuMilli thousandths of GPUs
   * @param nodes number of them
   * @param nodeNames the first of them, at most {@value #NAMES}
   */
  public record Place(
      ClusterId cluster,
      int members,
      long gpuMilli,
      int nodes,
      List<String> nodeNames,
      List<Flavor> flavors) {
    private static final int NAMES = 8;

    public Place {
      nodeNames = List.copyOf(nodeNames);
      flavors = List.copyOf(flavors);
    }

    public static Place of(ClusterId cluster, Collection<Member> members) {
      List<String> names = members.stream().map(Member::nodeName).distinct().sorted().toList();
      return new Place(
          cluster,
          members.size(),
          members.stream().mapToLong(Member::gpuMilli).sum(),
          names.size(),
          names.stream().limit(NAMES).toList(),
          members.stream().map(Member::flavor).distinct().sorted().toList());
    }
  }

  /**
   * GPUs of a quota node with the job, in thousandths.
   *
   * @param node its name
   * @param version of its limits
   * @param owned by its subtree; null for unlimited
   * @param sharePermille what it borrows over what its group could lend, by weight; 0 when it
   *     borrows nothing, null where its group does not go by that
   */
  public record QuotaState(
      String node,
      long version,
      Flavor flavor,
      long used,
      @Nullable Long owned,
      long borrowed,
      @Nullable Long sharePermille) {}

  /**
   * It waited.
   *
   * @param explanation with the first of its blockers, near misses and clusters
   */
  public record Waited(Explanation explanation) implements Body {
    private static final int BLOCKERS = 8;
    private static final int CLUSTERS = 16;

    /** Of an explanation of any size. */
    public static Waited of(Explanation why) {
      return new Waited(
          new Explanation(
              why.computedAt(),
              why.blockers().stream().limit(BLOCKERS).toList(),
              why.nearMisses().stream().limit(BLOCKERS).toList(),
              why.clusters().stream().limit(CLUSTERS).toList(),
              why.estimate()));
    }

    @Override
    public Kind kind() {
      return Kind.WAITED;
    }
  }

  /**
   * An attempt, or members of one, had to leave.
   *
   * @param right by which another job made it leave, null when none did
   * @param message what its owner reads
   * @param members that had to leave
   * @param by the job that gets the place, when it is of the same project
   */
  public record Evicted(
      int element,
      int attempt,
      StopCause cause,
      @Nullable EvictionRight right,
      String message,
      int members,
      @Nullable JobId by)
      implements Body {
    @Override
    public Kind kind() {
      return right == EvictionRight.MOVED ? Kind.MOVED : Kind.EVICTED;
    }
  }

  /** Causes by which the platform or a cluster, not the job or its owner, ends an attempt. */
  private static final Set<StopCause> FROM_OUTSIDE =
      Set.of(StopCause.DRAIN, StopCause.ISOLATION, StopCause.EVICTION, StopCause.LOSS);

  private static final String STOPPING = EventTypes.of("Attempt", AttemptState.STOPPING);
  private static final String EVICTED = EventTypes.of("Attempt", AttemptState.EVICTED);

  /** The first reason of a wait; null for another decision. */
  public @Nullable Reason reason() {
    return body instanceof Waited waited ? waited.explanation().first().reason() : null;
  }

  /**
   * An eviction that is no scheduler's decision: by a drain, an incident, a lost machine or the
   * cluster. The scheduler says itself what it decides, for whom and by which right.
   */
  static Optional<Evicted> eviction(Transition transition) {
    Attempt attempt = transition.attempt();
    Failure failure = attempt == null ? null : attempt.failure();
    if (attempt == null || failure == null) {
      return Optional.empty();
    }
    Attempt.StopOrder stop = attempt.stop();
    boolean told = stop != null && FROM_OUTSIDE.contains(stop.cause()) && has(transition, STOPPING);
    boolean atOnce = stop == null && has(transition, EVICTED);
    return told || atOnce
        ? Optional.of(
            new Evicted(
                attempt.element(),
                attempt.number(),
                stop == null ? StopCause.EVICTION : stop.cause(),
                null,
                failure.message(),
                attempt.members().size(),
                null))
        : Optional.empty();
  }

  private static boolean has(Transition transition, String fact) {
    return transition.facts().stream().anyMatch(f -> f.type().equals(fact));
  }
}
