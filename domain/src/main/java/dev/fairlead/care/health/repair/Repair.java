package dev.fairlead.care.health.repair;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The repair of a quarantined node in steps of increasing strength, from the step that its incident
 * requires until its quarantine ends. The row is written before a step is requested.
 *
 * @param incident the incident with the strongest step
 * @param cause as text
 * @param step the next step or the last completed one
 * @param message reason for a wait, empty if none
 * @param heldBy the operator that holds it, null if none
 * @param askedAt when the step was requested, null if it was not
 * @param steps finished steps, in order
 * @param endedAt null until its node has no quarantine of an incident
 */
@RecordBuilder
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
    List<StepTaken> steps,
    @Nullable Instant endedAt,
    long version)
    implements RepairBuilder.With {
  /** Maximum number of retained steps: all steps, repeated several times. */
  public static final int MOST_STEPS = 50;

  private static final String RELEASE =
      "repaired: check that the fault has cleared, and release the node";

  public Repair {
    steps = List.copyOf(steps);
  }

  /**
   * A finished step.
   *
   * @param askedAt time when the step was requested, null if it never was
   * @param done whether the step was done, false if it was skipped
   * @param by operator or component that reported the end
   */
  public record StepTaken(
      RepairStep step, @Nullable Instant askedAt, Instant at, boolean done, String by) {}

  public static Repair opened(RepairId id, Incident incident, Instant now) {
    return RepairBuilder.builder()
        .id(id)
        .cluster(incident.cluster())
        .node(incident.node())
        .nodeName(incident.nodeName())
        .incident(incident.id())
        .cause(incident.cause())
        .step(incident.step())
        .state(RepairState.WAITING)
        .message("")
        .heldBy(null)
        .openedAt(now)
        .askedAt(null)
        .steps(List.of())
        .endedAt(null)
        .version(1)
        .build();
  }

  /** Returns the repair starting with this step instead of its own. */
  Repair beginning(RepairStep first, String why) {
    return with().cause(cause + ", " + why).step(first).build();
  }

  /** Returns the repair after its node got worse. The requested step is then skipped. */
  Repair goingBy(Incident incident, Instant now) {
    boolean worse = incident.step().compareTo(step) > 0;
    return worse
        ? with()
            .incident(incident.id())
            .cause(incident.cause())
            .step(incident.step())
            .state(RepairState.WAITING)
            .message("")
            .askedAt(null)
            .steps(
                askedAt == null || state == RepairState.REPAIRED
                    ? steps
                    : over(false, now, "the fault got worse"))
            .endedAt(null)
            .build()
        : this;
  }

  /** Returns the strongest completed step, null if none. */
  public @Nullable RepairStep done() {
    return steps.stream()
        .filter(StepTaken::done)
        .map(StepTaken::step)
        .reduce(RepairStep::or)
        .orElse(null);
  }

  /** Returns when its step was completed, null unless it waits for its release. */
  public @Nullable Instant doneAt() {
    return state == RepairState.REPAIRED ? steps.getLast().at() : null;
  }

  /**
   * Returns the repair after a fault appeared following its completed step. The same fault
   * continues with the next stronger step. Another fault continues with its own step, but not a
   * weaker one.
   */
  Repair again(Incident fault, boolean same) {
    return with()
        .incident(fault.id())
        .cause("%s, after %s was done".formatted(fault.cause(), step))
        .step((same ? step.next() : step).or(fault.step()))
        .state(RepairState.WAITING)
        .message(heldBy == null ? "" : message)
        .askedAt(null)
        .endedAt(null)
        .build();
  }

  /**
   * Returns the repair with the obstacle to its step. The repair changes only if the obstacle does.
   */
  Repair waits(String obstacle) {
    return obstacle.equals(message) ? this : with(step, state, obstacle, heldBy, askedAt, steps);
  }

  /** Returns the repair with a message about the requested step, unless an operator holds it. */
  public Repair told(String words) {
    return state == RepairState.ASKED && heldBy == null ? waits(words) : this;
  }

  /** Returns the repair with its step requested. */
  Repair asked(Instant now) {
    return with(step, RepairState.ASKED, "", heldBy, now, steps);
  }

  /** Returns the repair as its next version is stored. */
  public Repair following() {
    return withVersion(version + 1);
  }

  Repair ended(Instant now) {
    return with().state(RepairState.ENDED).message("").endedAt(now).build();
  }

  /**
   * Returns whether the repair's node must not return to use automatically, because a machine is
   * under repair.
   */
  public boolean keepsOut() {
    return state == RepairState.ASKED || state != RepairState.ENDED && heldBy != null;
  }

  /** Returns whether the requested step is overdue and no operator holds it. */
  public boolean overdue(Instant now) {
    return state == RepairState.ASKED
        && heldBy == null
        && askedAt != null
        && now.isAfter(askedAt.plus(step.allowed()));
  }

  /**
   * Applies an order of an operator. The result is empty if the order has no effect in this state.
   */
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

  private List<StepTaken> over(boolean done, Instant at, String by) {
    List<StepTaken> all = new ArrayList<>(steps);
    all.add(new StepTaken(step, askedAt, at, done, by));
    return all.subList(Math.max(0, all.size() - MOST_STEPS), all.size());
  }

  private Repair with(
      RepairStep due,
      RepairState next,
      String text,
      @Nullable String holder,
      @Nullable Instant asked,
      List<StepTaken> taken) {
    return with()
        .step(due)
        .state(next)
        .message(text)
        .heldBy(holder)
        .askedAt(asked)
        .steps(taken)
        .build();
  }
}
