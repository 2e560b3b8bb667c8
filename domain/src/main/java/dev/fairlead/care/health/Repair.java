package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The way of a quarantined node up the repair ladder: one step at a time, from what its incident
 * asks for until its quarantine ends. The row is written before a step is asked for.
 *
 * @param incident the one with the strongest step
 * @param cause in words
 * @param step that is due or was done last
 * @param message what it waits for, empty for nothing
 * @param heldBy the operator that holds it, null for none
 * @param askedAt when the step was asked for, null while it is not
 * @param steps those that are over, in their order
 * @param endedAt null until its node has no quarantine of an incident
 */
public record Repair(
    RepairId id,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    IncidentId incident,
    String cause,
    RepairStep step,
    RepairState state,
    String message,
    @Nullable String heldBy,
    Instant openedAt,
    @Nullable Instant askedAt,
    List<Step> steps,
    @Nullable Instant endedAt,
    long version) {
  /** How many steps are kept: the ladder, tried several times. */
  public static final int MOST_STEPS = 50;

  private static final String RELEASE =
      "repaired: look whether the fault is gone and release the node";

  public Repair {
    steps = List.copyOf(steps);
  }

  /**
   * A step that is over.
   *
   * @param askedAt null when it never was
   * @param done false for one that was left out
   * @param by the operator that said so, or what else did
   */
  public record Step(
      RepairStep step, @Nullable Instant askedAt, Instant at, boolean done, String by) {}

  public static Repair opened(RepairId id, Incident incident, Instant now) {
    return new Repair(
        id,
        incident.cluster(),
        incident.node(),
        incident.nodeName(),
        incident.id(),
        incident.cause(),
        incident.step(),
        RepairState.WAITING,
        "",
        null,
        now,
        null,
        List.of(),
        null,
        1);
  }

  /** The same, which begins with that step in place of its own. */
  Repair beginning(RepairStep first, String why) {
    return new Repair(
        id,
        cluster,
        node,
        nodeName,
        incident,
        cause + ", " + why,
        first,
        state,
        message,
        heldBy,
        openedAt,
        askedAt,
        steps,
        endedAt,
        version);
  }

  /** The same when its node has got worse; the step that was asked for is left out then. */
  Repair goingBy(Incident incident, Instant now) {
    boolean worse = incident.step().compareTo(step) > 0;
    return worse
        ? new Repair(
            id,
            cluster,
            node,
            nodeName,
            incident.id(),
            incident.cause(),
            incident.step(),
            RepairState.WAITING,
            "",
            heldBy,
            openedAt,
            null,
            askedAt == null || state == RepairState.REPAIRED
                ? steps
                : over(false, now, "the fault got worse"),
            null,
            version)
        : this;
  }

  /** The strongest step that was done, null for none. */
  public @Nullable RepairStep done() {
    return steps.stream().filter(Step::done).map(Step::step).reduce(RepairStep::or).orElse(null);
  }

  /** When its step was done, null unless it waits for its release. */
  public @Nullable Instant doneAt() {
    return state == RepairState.REPAIRED ? steps.getLast().at() : null;
  }

  /**
   * The same when a fault of its node shows after its step was done: that of which it was done goes
   * on with the next stronger step, another one with a step of its own, not a weaker one.
   */
  Repair again(Incident fault, boolean same) {
    return new Repair(
        id,
        cluster,
        node,
        nodeName,
        fault.id(),
        "%s, after %s was done".formatted(fault.cause(), step),
        (same ? step.next() : step).or(fault.step()),
        RepairState.WAITING,
        heldBy == null ? "" : message,
        heldBy,
        openedAt,
        null,
        steps,
        null,
        version);
  }

  /** The same with what keeps its step from being asked for; it changes when that does. */
  Repair waits(String obstacle) {
    return obstacle.equals(message) ? this : with(step, state, obstacle, heldBy, askedAt, steps);
  }

  /** The same with what is known of the step that was asked for, unless an operator holds it. */
  public Repair told(String words) {
    return state == RepairState.ASKED && heldBy == null ? waits(words) : this;
  }

  /** The same with its step asked for. */
  Repair asked(Instant now) {
    return with(step, RepairState.ASKED, "", heldBy, now, steps);
  }

  /** The same, as its next version is stored. */
  public Repair following() {
    return new Repair(
        id,
        cluster,
        node,
        nodeName,
        incident,
        cause,
        step,
        state,
        message,
        heldBy,
        openedAt,
        askedAt,
        steps,
        endedAt,
        version + 1);
  }

  /** The same, over. */
  Repair ended(Instant now) {
    return new Repair(
        id,
        cluster,
        node,
        nodeName,
        incident,
        cause,
        step,
        RepairState.ENDED,
        "",
        heldBy,
        openedAt,
        askedAt,
        steps,
        now,
        version);
  }

  /** Whether its node must not come back into use by itself: a machine is worked on. */
  public boolean keepsOut() {
    return state == RepairState.ASKED || state != RepairState.ENDED && heldBy != null;
  }

  /** Whether the step that was asked for takes longer than it may, and no operator holds it. */
  public boolean overdue(Instant now) {
    return state == RepairState.ASKED
        && heldBy == null
        && askedAt != null
        && now.isAfter(askedAt.plus(step.allowed()));
  }

  /** What the order of an operator makes of it; empty when there is nothing to be done by it. */
  public Optional<Repair> ordered(RepairOrder order, String operator, Instant now) {
    boolean over = state == RepairState.ENDED;
    boolean before = state == RepairState.WAITING || state == RepairState.ASKED;
    boolean further = step != step.next();
    boolean valid =
        !over
            && switch (order) {
              case HOLD -> heldBy == null;
              case RESUME -> heldBy != null;
              case SKIP -> before && further;
              case FORCE -> state == RepairState.WAITING || state == RepairState.REPAIRED;
              case DONE -> state == RepairState.ASKED;
            };
    return valid ? Optional.of(obeying(order, operator, now)) : Optional.empty();
  }

  private Repair obeying(RepairOrder order, String operator, Instant now) {
    return switch (order) {
      case HOLD -> with(step, state, "held by " + operator, operator, askedAt, steps);
      case RESUME -> with(step, state, repaired() ? RELEASE : "", null, askedAt, steps);
      case SKIP ->
          with(step.next(), RepairState.WAITING, "", heldBy, null, over(false, now, operator));
      case FORCE -> with(repaired() ? step.next() : step, RepairState.ASKED, "", null, now, steps);
      case DONE ->
          with(step, RepairState.REPAIRED, RELEASE, null, askedAt, over(true, now, operator));
    };
  }

  private boolean repaired() {
    return state == RepairState.REPAIRED;
  }

  private List<Step> over(boolean done, Instant at, String by) {
    List<Step> all = new ArrayList<>(steps);
    all.add(new Step(step, askedAt, at, done, by));
    return all.subList(Math.max(0, all.size() - MOST_STEPS), all.size());
  }

  private Repair with(
      RepairStep due,
      RepairState next,
      String text,
      @Nullable String holder,
      @Nullable Instant asked,
      List<Step> taken) {
    return new Repair(
        id, cluster, node, nodeName, incident, cause, due, next, text, holder, openedAt, asked,
        taken, endedAt, version);
  }
}
