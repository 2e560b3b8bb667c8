package dev.fairlead.work.job;

import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a job, with its explanation at that time.
 *
 * @param at when it was decided. For a wait, the time when it began or its first reason became this
 *     one
 * @param expected predicted start, set by the store when a wait or a placement is added, null
 *     without a prediction in the wait
 */
public record DecisionRecord(JobId job, Instant at, Body body, @Nullable Expected expected) {
  /** A decision that is not stored yet. */
  public DecisionRecord(JobId job, Instant at, Body body) {
    this(job, at, body, null);
  }

  /** Times by which half and nine tenths of such jobs have started. */
  public record Expected(Instant p50, Instant p90) {}

  /** Maximum number of retained decisions of a job, the newest of each {@link Kind#most}. */
  public static final int MOST = 250;

  /** Longer texts are cut. */
  public static final int TEXT = 500;

  /** A wait is recorded after this duration, and again when its first reason changed. */
  public static final Duration WAIT = Duration.ofMinutes(1);

  /** Minimum time between recorded changes of the first reason, after the first change. */
  public static final Duration CHANGES = Duration.ofHours(1);

  /** The decision. */
  public enum Kind {
    PLACED,
    WAITED,
    EVICTED,
    /** Evicted, with a reservation elsewhere. */
    MOVED,
    /** Its attempt became UNKNOWN: whether it runs cannot be observed. */
    UNREACHABLE,
    /** The attempt is observable again. */
    REACHABLE;

    /**
     * Retained decisions of this kind per job, so that a drained array still shows why it waited.
     * Evictions and moves are counted together, and so are the last two.
     */
    public int most() {
      return switch (this) {
        case WAITED, UNREACHABLE, REACHABLE -> 50;
        case PLACED, EVICTED, MOVED -> 75;
      };
    }
  }

  /** Content of a decision of one kind. */
  public sealed interface Body {
    Kind kind();
  }

  /**
   * The job was placed.
   *
   * @param element first index of the array, 0 for a job that is not an array
   * @param elements number of elements placed on the cluster in the same decision, 1 for a job that
   *     is not an array
   * @param attempt number of the attempt, of the first element
   * @param quota its queue and limited ancestors, of its tenant only
   * @param victims attempts evicted for the job, grouped by preemption right
   * @param tier tier of its placement, null without a routing policy and for joining members
   */
  public record Placed(
      int element,
      int elements,
      int attempt,
      Place place,
      List<QuotaState> quota,
      SortedMap<EvictionRight, Integer> victims,
      @Nullable UsedTier tier)
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
   * Nodes of the members.
   *
   * @param gpuMilli thousandths of GPUs
   * @param nodes number of nodes
   * @param nodeNames first nodes, at most {@value #NAMES}
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
   * @param version version of its limits
   * @param owned amount that its subtree owns, null if unlimited
   * @param sharePermille borrowed amount relative to the lendable amount of its group, by weight, 0
   *     if it borrows nothing, null if its group does not compare shares
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
   * @param begun whether the scheduler saw the wait begin. A wait found at a takeover may be
   *     recorded already
   */
  public record Waited(Explanation explanation, boolean begun) implements Body {
    private static final int BLOCKERS = 8;
    private static final int CLUSTERS = 16;

    /** Applies to an explanation of any size. */
    public static Waited of(Explanation why, boolean begun) {
      return new Waited(
          new Explanation(
              why.computedAt(),
              why.blockers().stream().limit(BLOCKERS).map(Waited::cut).toList(),
              why.nearMisses().stream().limit(BLOCKERS).toList(),
              why.clusters().stream().limit(CLUSTERS).toList(),
              why.estimate()),
          begun);
    }

    private static Blocker cut(Blocker full) {
      String action = full.action();
      return new Blocker(
          full.reason(),
          full.scope(),
          DecisionRecord.cut(full.message()),
          full.numbers(),
          action == null ? null : DecisionRecord.cut(action));
    }

    @Override
    public Kind kind() {
      return Kind.WAITED;
    }
  }

  /**
   * An attempt or some of its members had to leave, or the attempts of several elements had to
   * leave for the same reason.
   *
   * @param element first index of the array, 0 for a job that is not an array
   * @param elements number evicted together, 1 for a job that is not an array
   * @param attempt number of the attempt, of the first element
   * @param right right of the preempting job, null if none
   * @param message text for its owner
   * @param members that had to leave
   * @param by the job that gets the capacity, if it is of the same project
   * @param saving expected saving of a move back to reserved capacity, null for anything else and
   *     for earlier records
   */
  @RecordBuilder
  public record Evicted(
      int element,
      int elements,
      int attempt,
      StopCause cause,
      @Nullable EvictionRight right,
      String message,
      int members,
      @Nullable JobId by,
      @Nullable Saving saving)
      implements Body, DecisionRecordEvictedBuilder.With {
    public Evicted {
      message = cut(message);
    }

    /** An eviction of a whole attempt that saves no money. */
    public static Evicted of(
        Attempt attempt, StopCause cause, @Nullable EvictionRight right, String message) {
      return DecisionRecordEvictedBuilder.builder()
          .element(attempt.element())
          .elements(1)
          .attempt(attempt.number())
          .cause(cause)
          .right(right)
          .message(message)
          .members(attempt.members().size())
          .by(null)
          .saving(null)
          .build();
    }

    @Override
    public Kind kind() {
      return right == EvictionRight.MOVED || right == EvictionRight.MOVED_BACK
          ? Kind.MOVED
          : Kind.EVICTED;
    }

    private Evicted and(Evicted other) {
      Evicted first = other.element < element ? other : this;
      return with()
          .element(first.element)
          .elements(elements + other.elements)
          .attempt(first.attempt)
          .message(first.message)
          .members(members + other.members)
          .saving(first.saving)
          .build();
    }
  }

  /**
   * An attempt became unreachable, or reachable again, or those of several elements.
   *
   * @param again whether it can
   * @param element first index of the array, 0 for a job that is not an array
   * @param elements number on one cluster together, 1 for a job that is not an array
   * @param attempt number of the attempt, of the first element
   * @param members members without proof of their end
   * @param nodeNames nodes of these members, at most 8
   */
  public record Unreachable(
      boolean again,
      int element,
      int elements,
      int attempt,
      ClusterId cluster,
      int members,
      List<String> nodeNames)
      implements Body {
    public Unreachable {
      nodeNames = nodeNames.stream().distinct().sorted().limit(Place.NAMES).toList();
    }

    private static Unreachable of(Attempt attempt, boolean again) {
      List<Member> living = attempt.members().stream().filter(member -> !member.dead()).toList();
      return new Unreachable(
          again,
          attempt.element(),
          1,
          attempt.number(),
          attempt.cluster(),
          living.size(),
          living.stream().map(Member::nodeName).toList());
    }

    @Override
    public Kind kind() {
      return again ? Kind.REACHABLE : Kind.UNREACHABLE;
    }

    private Unreachable and(Unreachable other) {
      Unreachable first = other.element < element ? other : this;
      List<String> names = new ArrayList<>(nodeNames);
      names.addAll(other.nodeNames);
      return new Unreachable(
          again,
          first.element,
          elements + other.elements,
          first.attempt,
          cluster,
          members + other.members,
          names);
    }
  }

  /** Its stored content cannot be read: another version wrote it. */
  public record Unreadable(Kind kind) implements Body {}

  /** Orders by which the platform, not the job or its owner, ends an attempt. */
  private static final Set<StopCause> FROM_OUTSIDE =
      Set.of(StopCause.DRAIN, StopCause.ISOLATION, StopCause.HANG);

  private static final String STOPPING = EventTypes.of("Attempt", AttemptState.STOPPING);
  private static final String UNKNOWN = EventTypes.of("Attempt", AttemptState.UNKNOWN);

  /** Detail of a fact: the attempt was UNKNOWN before. */
  static final String SEEN_AGAIN = "seenAgain";

  /** Returns the first reason for a wait, null for another decision. */
  public @Nullable Reason reason() {
    return body instanceof Waited waited ? waited.explanation().first().reason() : null;
  }

  /**
   * Merges the decisions about elements of an array that leave for the same reason or are no longer
   * observed.
   */
  public static List<DecisionRecord> together(List<DecisionRecord> decided) {
    Map<Object, DecisionRecord> together = new LinkedHashMap<>();
    for (DecisionRecord one : decided) {
      together.merge(one.key(), one, DecisionRecord::and);
    }
    return List.copyOf(together.values());
  }

  private Object key() {
    return switch (body) {
      case Evicted evicted -> new Leaving(job, evicted.cause, evicted.right, evicted.by);
      case Unreachable unreachable -> new Hidden(job, unreachable.cluster, unreachable.again);
      case Placed _, Waited _, Unreadable _ -> this;
    };
  }

  private record Hidden(JobId job, ClusterId cluster, boolean again) {}

  private record Leaving(
      JobId job, StopCause cause, @Nullable EvictionRight right, @Nullable JobId by) {}

  private DecisionRecord and(DecisionRecord other) {
    if (body instanceof Unreachable mine && other.body instanceof Unreachable its) {
      return new DecisionRecord(job, at, mine.and(its));
    }
    return body instanceof Evicted mine && other.body instanceof Evicted its
        ? new DecisionRecord(job, at, mine.and(its))
        : this;
  }

  /** An attempt that becomes unreachable, or reachable again before its end. */
  public static Optional<Unreachable> sight(Transition transition) {
    Attempt attempt = transition.attempt();
    boolean again =
        transition.facts().stream().anyMatch(fact -> fact.data().containsKey(SEEN_AGAIN));
    return attempt == null || !again && !has(transition, UNKNOWN)
        ? Optional.empty()
        : Optional.of(Unreachable.of(attempt, again));
  }

  /**
   * An eviction without a decision of the scheduler: by a drain, an incident, a lost machine or the
   * cluster. The scheduler itself records its decisions with beneficiary and right.
   */
  public static Optional<Evicted> eviction(Transition transition) {
    Attempt attempt = transition.attempt();
    Failure failure = attempt == null ? null : attempt.failure();
    StopCause cause = attempt == null || failure == null ? null : cause(transition, attempt);
    return cause == null || attempt == null || failure == null
        ? Optional.empty()
        : Optional.of(Evicted.of(attempt, cause, null, failure.message()));
  }

  /**
   * The cause of its stop order, or of its end without an order, null if the job itself caused it.
   */
  private static @Nullable StopCause cause(Transition transition, Attempt attempt) {
    Attempt.StopOrder stop = attempt.stop();
    if (stop != null && stop.cause() != StopCause.MEMBER_FAILED) {
      return FROM_OUTSIDE.contains(stop.cause()) && has(transition, STOPPING) ? stop.cause() : null;
    }
    Failure failure = attempt.failure();
    boolean ends = !attempt.live() && has(transition, EventTypes.of("Attempt", attempt.state()));
    return failure != null && ends ? cause(failure) : null;
  }

  private static @Nullable StopCause cause(Failure failure) {
    if (failure.explained()) {
      return StopCause.ISOLATION;
    }
    return switch (failure.cause()) {
      case EVICTED -> StopCause.EVICTION;
      case NODE_FAILURE, CLUSTER_LOST -> StopCause.LOSS;
      case USER_ERROR,
          OUT_OF_MEMORY,
          IMAGE_PULL,
          CONFIGURATION,
          DEADLINE_EXCEEDED,
          DEPENDENCY_FAILED,
          OUTPUT_MISSING,
          SKIPPED,
          CHECK_REJECTED,
          PREEMPTED,
          GPU_FAULT,
          NETWORK,
          START_TIMEOUT,
          HANG,
          PLACEMENT_CONFLICT,
          STOPPED,
          PLATFORM ->
          null;
    };
  }

  private static String cut(String text) {
    if (text.length() <= TEXT) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(TEXT - 1)) ? TEXT - 1 : TEXT;
    return text.substring(0, end);
  }

  private static boolean has(Transition transition, String fact) {
    return transition.facts().stream().anyMatch(f -> f.type().equals(fact));
  }
}
