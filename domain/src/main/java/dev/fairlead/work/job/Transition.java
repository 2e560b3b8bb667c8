package dev.fairlead.work.job;

import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.event.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A complete change of a job: the next rows of the job, its element and its attempt, and the facts
 * to store with them. The job's version is one above the stored version, 1 for a new job, and the
 * stored version if only the attempt changes.
 *
 * @param elements array elements that changed
 * @param attempt the attempt that changed or is new, null if none
 * @param holding change of the attempt's allocation and quota in the same commit
 * @param actor the cause of the change, for the events
 */
public record Transition(
    Job job,
    List<JobElement> elements,
    @Nullable Attempt attempt,
    AllocationChange holding,
    List<Fact> facts,
    String actor) {
  /** The change of the allocation of the attempt. */
  public enum AllocationChange {
    /** The attempt is new: node capacity, GPU slots and quota are taken, or nothing is written. */
    TAKE,
    KEEP,
    /**
     * Members join the attempt: the same amount is allocated for each member that is not stored
     * yet.
     */
    JOIN,
    /** Members left the attempt: their node capacity, GPU slots and quota are released. */
    LEAVE,
    /**
     * Members hold the same resources on another node. This is limited neither by quota nor by the
     * free resources of the node.
     */
    MOVE,
    /**
     * Members hold the same resources for another user. Their use until now counts for the pool
     * that the user has taken the attempt from.
     */
    TRANSFER,
    /** The attempt became terminal: everything it holds is released. */
    RELEASE
  }

  public Transition {
    elements = List.copyOf(elements);
    facts = List.copyOf(facts);
  }

  /** Records facts about a job or its attempt. The state of the job does not change. */
  public static Transition of(
      Job job,
      @Nullable Attempt attempt,
      AllocationChange holding,
      List<Fact> facts,
      String actor) {
    return new Transition(
        job.next(job.run(), job.array()), List.of(), attempt, holding, facts, actor);
  }

  /**
   * Returns whether spec, priority or labels changed too. Only an owner's patch and {@link #taken}
   * change them. All other transitions leave these columns unchanged.
   */
  public boolean respecified() {
    return taken() || facts.stream().anyMatch(fact -> fact.type().equals(OwnerTransitions.PATCHED));
  }

  /** Returns whether name, submitter and time of the submit changed too. */
  public boolean taken() {
    return facts.stream().anyMatch(fact -> fact.type().equals(EventTypes.TAKEN));
  }

  /**
   * Returns whether the row of the job does not change: nothing that the job or a plan depends on
   * follows from the retirement of an ended attempt.
   */
  public boolean attemptOnly() {
    return attempt != null
        && attempt.retiredAt() != null
        && facts.stream().allMatch(fact -> fact.type().equals(EventTypes.RETIRED));
  }

  /** Returns the transition without an event. */
  public Transition withoutFacts() {
    return new Transition(job, elements, attempt, holding, List.of(), actor);
  }

  /** Version of the job that has to be stored before it, 0 for a new job. */
  public long before() {
    return attemptOnly() ? job.version() : job.version() - 1;
  }

  /**
   * Returns the change in two steps, for ledgers by node: the first releases the resources of
   * members on their former node, the second allocates them on the current node. All releases come
   * first, because members of several attempts may exchange their nodes. Other transitions are
   * unchanged.
   */
  public static List<Transition> bookedByNode(List<Transition> transitions) {
    List<Transition> released = new ArrayList<>();
    List<Transition> booked = new ArrayList<>();
    for (Transition each : transitions) {
      if (each.holding == AllocationChange.MOVE) {
        released.add(each.with(AllocationChange.LEAVE));
        booked.add(each.with(AllocationChange.JOIN));
      } else {
        booked.add(each);
      }
    }
    released.addAll(booked);
    return released;
  }

  private Transition with(AllocationChange other) {
    return new Transition(job, elements, attempt, other, facts, actor);
  }

  /** Returns whether members follow a decision of another scheduler, which no guard refuses. */
  public boolean moves() {
    return facts.stream().anyMatch(fact -> fact.type().equals(EventTypes.MEMBER_MOVED));
  }

  /** Returns whether supervisors may have to act on the change. */
  public boolean concernsAttempts() {
    return attempt != null || respecified() || job.state() == JobState.CANCELLING;
  }

  /** Returns the transition with another fact before its own facts. */
  Transition after(Fact first) {
    List<Fact> all = new ArrayList<>(List.of(first));
    all.addAll(facts);
    return new Transition(job, elements, attempt, holding, all, actor);
  }

  /** Returns the transition for an attempt that members have left. */
  public Transition leaving() {
    return holding == AllocationChange.KEEP
        ? new Transition(job, elements, attempt, AllocationChange.LEAVE, facts, actor)
        : this;
  }

  /** Returns whether all these admission checks permit its attempt. */
  public boolean checked(List<String> named) {
    return attempt != null && job.unchecked(named, attempt.number()).isEmpty();
  }

  /** Returns the user to whom the use until this transition is charged. */
  public String formerUser() {
    return holding == AllocationChange.TRANSFER ? OwnActor.WARM_POOLS.text() : job.user();
  }

  /** Names of the nodes of the attempt's members, or empty without an attempt. */
  public SortedSet<String> nodes() {
    SortedSet<String> nodes = new TreeSet<>();
    if (attempt != null) {
      attempt.members().forEach(member -> nodes.add(member.nodeName()));
    }
    return nodes;
  }
}
