package dev.fairlead.care.health.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A repair step that a repairer performs on a machine. Its row is written before the first call and
 * after each response, so that after a crash the same request is repeated under the same key.
 *
 * @param nonce secret of the calls of this task. A response without it is not trusted
 * @param bootId boot id of the node when the step was requested, empty if unknown
 * @param tests whether the machine must pass a test of the repairer after it
 * @param orderedAt when the step of the repair was requested
 */
@RecordBuilder
public record RepairTask(
    RepairTaskId id,
    RepairId repair,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    RepairStep step,
    String nonce,
    String bootId,
    boolean tests,
    Instant orderedAt,
    Status status,
    long version)
    implements RepairTaskBuilder.With {
  /** Interval between calls to a repairer that answers. */
  static final Duration ASK_EVERY = Duration.ofSeconds(10);

  /** Maximum interval between calls to a repairer that does not answer, or that works for days. */
  static final Duration ASK_AT_LEAST_EVERY = Duration.ofMinutes(5);

  /** Time after which a withdrawn task is abandoned if its repairer does not confirm. */
  static final Duration LOST_AFTER = Duration.ofDays(1);

  /** Maximum duration of a test. A longer test is withdrawn. */
  static final Duration TESTS_FOR = Duration.ofHours(1);

  private static final int DOUBLINGS = 5;

  /**
   * The progress of the calls to the repairer.
   *
   * @param next time of the next call
   * @param unanswered number of consecutive unanswered calls
   * @param reference its name for the task, empty if none
   * @param message its last message, or why it is not trusted
   */
  public record Progress(Instant next, int unanswered, String reference, String message) {}

  /**
   * The part of a task that changes.
   *
   * @param testedSince when the step was completed and its test began, null if it did not
   * @param poweredOffAt when it was confirmed that the machine had been powered off since, null if
   *     never
   * @param contradictedAt when its node was later seen alive in the same boot, null if never
   */
  @RecordBuilder
  public record Status(
      RepairTaskState state,
      Instant deadline,
      Progress talk,
      @Nullable Instant testedSince,
      @Nullable Instant poweredOffAt,
      @Nullable Instant contradictedAt,
      @Nullable Instant endedAt)
      implements RepairTaskStatusBuilder.With {}

  public static RepairTask of(
      RepairTaskId id, Repair repair, String nonce, String bootId, boolean tests, Instant now) {
    Instant asked = Objects.requireNonNull(repair.askedAt(), "its step is requested");
    return RepairTaskBuilder.builder()
        .id(id)
        .repair(repair.id())
        .cluster(repair.cluster())
        .node(repair.node())
        .nodeName(repair.nodeName())
        .step(repair.step())
        .nonce(nonce)
        .bootId(bootId)
        .tests(tests)
        .orderedAt(asked)
        .status(
            new Status(
                RepairTaskState.ORDERED,
                asked.plus(repair.step().allowed()),
                new Progress(now, 0, "", ""),
                null,
                null,
                null,
                null))
        .version(1)
        .build();
  }

  public RepairTaskState state() {
    return status.state();
  }

  public Progress talk() {
    return status.talk();
  }

  public @Nullable Instant endedAt() {
    return status.endedAt();
  }

  /** Returns whether the task is the step that the repair waits for now. */
  public boolean serves(Repair now) {
    return now.id().equals(repair)
        && now.state() == RepairState.ASKED
        && orderedAt.equals(now.askedAt());
  }

  /** Returns the next action to request at that time, null if none. */
  public RepairCall.@Nullable Action due(Instant now) {
    if (!state().open() || talk().next().isAfter(now)) {
      return null;
    }
    return switch (state()) {
      case ORDERED -> RepairCall.Action.REPAIR;
      case TESTING -> RepairCall.Action.TEST;
      case WITHDRAWING -> RepairCall.Action.WITHDRAW;
      case DONE, FAILED, REFUSED, WITHDRAWN, LOST -> null;
    };
  }

  /**
   * Updates the task from the time and its repair. It is withdrawn if the repair waits for
   * something else, or if an automatic step takes too long. Manual steps have no time limit.
   */
  public RepairTask seen(@Nullable Repair now, Instant at) {
    if (state() == RepairTaskState.ORDERED || state() == RepairTaskState.TESTING) {
      boolean wanted = now != null && serves(now);
      boolean timed = step.quick() || state() == RepairTaskState.TESTING;
      boolean late = timed && at.isAfter(status.deadline());
      return wanted && !late ? this : withdrawing(wanted ? "not done in time" : "not wanted", at);
    }
    boolean lost =
        state() == RepairTaskState.WITHDRAWING && at.isAfter(status.deadline().plus(LOST_AFTER));
    return lost
        ? ended(
            RepairTaskState.LOST,
            talk().reference(),
            "it never reported that it left the machine",
            at)
        : this;
  }

  private RepairTask withdrawing(String why, Instant now) {
    return next(
        status
            .with()
            .state(RepairTaskState.WITHDRAWING)
            .talk(new Progress(now, 0, talk().reference(), why))
            .deadline(now)
            .build());
  }

  /**
   * Applies a response of the repair service, or its absence.
   *
   * @param bootNow current boot of its node, empty if unknown
   */
  public RepairTask answered(RepairAnswer answer, String bootNow, Instant now) {
    return switch (answer) {
      case RepairAnswer.Unanswered none -> silent(none.why(), now);
      case RepairAnswer.Answered said ->
          nonce.equals(said.nonce())
              ? heard(said, bootNow, now)
              : said.word() == RepairAnswer.Word.PENDING && !said.poweredOff()
                  ? waits(said, said.message(), status.poweredOffAt(), now)
                  : silent("it says " + said.word() + " without the nonce of the task", now);
    };
  }

  private RepairTask heard(RepairAnswer.Answered said, String bootNow, Instant now) {
    boolean off = said.poweredOff() && step.compareTo(RepairStep.POWER_CYCLE) >= 0;
    Instant offAt = off && status.poweredOffAt() == null ? now : status.poweredOffAt();
    if (state() == RepairTaskState.WITHDRAWING) {
      return said.word() == RepairAnswer.Word.PENDING
          ? waits(said, said.message(), offAt, now)
          : over(RepairTaskState.WITHDRAWN, said, offAt, now);
    }
    if (state() == RepairTaskState.TESTING) {
      return tested(said, offAt, now);
    }
    return switch (said.word()) {
      case PASSED, FAILED -> silent("it says " + said.word() + " before it was asked to test", now);
      case PENDING -> waits(said, said.message(), offAt, now);
      case REFUSED, WITHDRAWN -> over(RepairTaskState.REFUSED, said, offAt, now);
      case DONE ->
          booted(bootNow)
              ? tests ? testing(said, offAt, now) : over(RepairTaskState.DONE, said, offAt, now)
              : waits(said, "it reports DONE, but the node has not rebooted", offAt, now);
    };
  }

  private RepairTask tested(RepairAnswer.Answered said, @Nullable Instant offAt, Instant now) {
    return switch (said.word()) {
      case PASSED -> over(RepairTaskState.DONE, said, offAt, now);
      case FAILED -> over(RepairTaskState.FAILED, said, offAt, now);
      case PENDING, DONE -> waits(said, said.message(), offAt, now);
      case REFUSED, WITHDRAWN -> over(RepairTaskState.REFUSED, said, offAt, now);
    };
  }

  private RepairTask testing(RepairAnswer.Answered said, @Nullable Instant offAt, Instant now) {
    Progress next = new Progress(now, 0, reference(said), "");
    return next(
        status
            .with()
            .state(RepairTaskState.TESTING)
            .talk(next)
            .poweredOffAt(offAt)
            .testedSince(now)
            .deadline(now.plus(TESTS_FOR))
            .build());
  }

  /**
   * Returns whether the machine has rebooted since, if the step includes that and it can be known.
   */
  private boolean booted(String bootNow) {
    boolean boots = step == RepairStep.REBOOT || step == RepairStep.POWER_CYCLE;
    return !boots || bootId.isEmpty() || !bootNow.isEmpty() && !bootNow.equals(bootId);
  }

  private RepairTask silent(String why, Instant now) {
    Duration doubled = ASK_EVERY.multipliedBy(1L << Math.min(talk().unanswered(), DOUBLINGS));
    Duration wait = doubled.compareTo(ASK_AT_LEAST_EVERY) > 0 ? ASK_AT_LEAST_EVERY : doubled;
    Progress next = new Progress(now.plus(wait), talk().unanswered() + 1, talk().reference(), why);
    return next(status.withTalk(next));
  }

  private RepairTask waits(
      RepairAnswer.Answered said, String message, @Nullable Instant offAt, Instant now) {
    Duration wait = step.quick() ? ASK_EVERY : ASK_AT_LEAST_EVERY;
    Progress next = new Progress(now.plus(wait), 0, reference(said), message);
    return next(status.with().talk(next).poweredOffAt(offAt).build());
  }

  private RepairTask over(
      RepairTaskState end, RepairAnswer.Answered said, @Nullable Instant offAt, Instant now) {
    Progress last = new Progress(now, 0, reference(said), said.message());
    return next(status.with().state(end).talk(last).poweredOffAt(offAt).endedAt(now).build());
  }

  private RepairTask ended(RepairTaskState end, String reference, String why, Instant now) {
    Progress last = new Progress(now, 0, reference, why);
    return next(status.with().state(end).talk(last).endedAt(now).build());
  }

  private String reference(RepairAnswer.Answered said) {
    return said.reference().isEmpty() ? talk().reference() : said.reference();
  }

  /**
   * Returns when its machine was confirmed to be powered off, which ended the boot at the time of
   * the order. The result is null if unknown or contradicted by the node.
   */
  public @Nullable Instant confirmedOff() {
    return status.contradictedAt() == null && !bootId.isEmpty() ? status.poweredOffAt() : null;
  }

  /** Returns the task after its node was observed alive in the boot that should have ended. */
  public RepairTask contradicted(Instant at) {
    return next(status.withContradictedAt(at));
  }

  /** Describes the task for readers of the repair. */
  public String told() {
    String named = talk().reference().isEmpty() ? id.text() : talk().reference();
    String said = (talk().message().isEmpty() ? "" : ": " + talk().message()) + power();
    return switch (state()) {
      case ORDERED -> "the repairer was called (%s)%s".formatted(named, said);
      case WITHDRAWING ->
          "the repair service was asked to leave the machine (%s)%s".formatted(named, said);
      case DONE -> "the repairer completed the step (%s)%s".formatted(named, said);
      case TESTING -> "the repairer tests the machine (%s)%s".formatted(named, said);
      case FAILED ->
          "the machine failed the test of the repair service (%s)%s".formatted(named, said);
      case REFUSED -> "the repair service does not perform the step (%s)%s".formatted(named, said);
      case WITHDRAWN -> "the repairer has left it (%s)%s".formatted(named, said);
      case LOST ->
          "the repair service does not report whether it left the machine (%s)%s"
              .formatted(named, said);
    };
  }

  private String power() {
    if (status.poweredOffAt() == null) {
      return "";
    }
    return status.contradictedAt() == null
        ? "; without power at " + status.poweredOffAt().truncatedTo(ChronoUnit.SECONDS)
        : ", but the node is alive in the same boot after its report that power was off";
  }

  private RepairTask next(Status changed) {
    return with().status(changed).version(version + 1).build();
  }
}
