package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * First failed member and its cause. When one member of a gang dies, the others follow within a
 * second with exit 1, and exit codes arrive late and in any order. The cause is therefore judged
 * over all members: node and GPU evidence before OOM and signals, these before a plain exit, an
 * earlier end before a later one.
 */
final class FirstFailure {
  private static final int SIGNAL = 128;
  private static final Set<String> PULL_ERRORS =
      Set.of("ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull");

  /** The cluster's scheduler rejects the only node that it may choose. */
  private static final String UNSCHEDULABLE = "Unschedulable";

  private static final Set<String> EVICTIONS =
      Set.of(
          "Evicted",
          "Preempting",
          "TaintManagerEviction",
          "DeletionByTaintManager",
          MemberJudge.DELETED);
  private static final Set<String> REFUSALS =
      Set.of(
          "UnexpectedAdmissionError", "TopologyAffinityError", "NodeAffinity", "AdmissionRefused");
  private static final Set<String> NODE_SHUTDOWNS = Set.of("NodeShutdown", "Terminated");

  /** None of these reasons proves that a member died with its node. */
  private static final Set<DeathEvidence> GIVEN_UP =
      EnumSet.of(
          DeathEvidence.OPERATOR_CONFIRMED,
          DeathEvidence.HARD_DEADLINE_PASSED,
          DeathEvidence.OVERLAP_ALLOWED);

  private FirstFailure() {}

  /**
   * Time when the failure of a member may be judged, the settling time after its end, null if none
   * has failed.
   */
  static @Nullable Instant settledAt(Attempt attempt, Duration settle) {
    boolean gang = attempt.core().size() > 1;
    return failed(attempt).stream()
        .map(MemberJudge::endOf)
        .min(Comparator.naturalOrder())
        .map(end -> end.equals(Instant.MAX) || !gang ? Instant.MIN : end.plus(settle))
        .orElse(null);
  }

  /** The member that cannot get its image or its node, null if none. */
  static @Nullable Member stuck(Attempt attempt) {
    return attempt.core().stream().filter(FirstFailure::isStuck).findFirst().orElse(null);
  }

  static boolean isStuck(Member member) {
    return !member.dead()
        && member.reason() != null
        && (PULL_ERRORS.contains(member.reason()) || UNSCHEDULABLE.equals(member.reason()));
  }

  /**
   * Failure of a member that got no node in time, with the backend's reason, null if none. The
   * planned node is not at fault, so the failure counts against the cluster.
   */
  static @Nullable Failure unplaced(Attempt attempt) {
    String waits = Member.waitsForNode(attempt.core(), "got no node in time");
    return waits == null ? null : ClusterRefusal.FOR_NOW.failure(waits, attempt.number());
  }

  static Failure ofStuck(Attempt attempt, Member stuck) {
    boolean place = UNSCHEDULABLE.equals(stuck.reason());
    return of(attempt, stuck, place ? FailureCause.PLACEMENT_CONFLICT : FailureCause.IMAGE_PULL);
  }

  static Failure of(Attempt attempt) {
    return failed(attempt).stream()
        .min(
            Comparator.comparingInt(FirstFailure::rank)
                .thenComparing(MemberJudge::endOf)
                .thenComparing(Member::key))
        .map(m -> of(attempt, m, cause(m)))
        .orElseGet(() ->
            Failure.of(FailureCause.PLATFORM, "ended without a failed member", attempt.number()));
  }

  /**
   * The failure for which an attempt was stopped, unless a member died because of its node or a
   * broken GPU. Node evidence arrives last, long after the exit codes of the members that died
   * because of it.
   */
  static Failure confirmed(Attempt attempt, Failure stoppedFor) {
    if (stoppedFor.cause() != FailureCause.USER_ERROR) {
      return stoppedFor;
    }
    Failure whole = of(attempt);
    boolean deeper =
        whole.cause() == FailureCause.NODE_FAILURE || whole.cause() == FailureCause.GPU_FAULT;
    return deeper ? whole : stoppedFor;
  }

  /** Exit code of a failed member. */
  static Failure of(Attempt attempt, Member failed) {
    return of(attempt, failed, cause(failed));
  }

  /** Returns whether a member that failed died with its machine or on a broken device. */
  static boolean diedOfMachine(Member failed) {
    FailureCause cause = cause(failed);
    return cause == FailureCause.NODE_FAILURE || cause == FailureCause.GPU_FAULT;
  }

  private static Failure of(Attempt attempt, Member m, FailureCause cause) {
    List<String> evidence = new ArrayList<>();
    if (m.evidence() != null) {
      evidence.add(m.evidence().name());
    }
    if (m.reason() != null) {
      evidence.add(m.reason());
    }
    return Failure.of(cause, message(m, cause), attempt.number())
        .with()
        .member(m.key())
        .node(m.nodeName())
        .gpuSerial(cause == FailureCause.GPU_FAULT ? device(m) : null)
        .exitCode(m.exitCode())
        .evidence(evidence)
        .build();
  }

  private static String suffix(@Nullable String device) {
    return device == null ? "" : " (" + device + ")";
  }

  /** Returns the required members that ended without success. */
  static List<Member> failed(Attempt attempt) {
    return attempt.core().stream()
        .filter(m -> m.dead() && m.state() != MemberState.SUCCEEDED)
        .toList();
  }

  private static FailureCause cause(Member m) {
    String reason = m.reason() == null ? "" : m.reason();
    if (m.state() == MemberState.GONE && m.evidence() != DeathEvidence.NEVER_CREATED) {
      return GIVEN_UP.contains(m.evidence())
          ? FailureCause.CLUSTER_LOST
          : FailureCause.NODE_FAILURE;
    }
    if (reason.startsWith("OutOf") || REFUSALS.contains(reason)) {
      return FailureCause.PLACEMENT_CONFLICT;
    }
    if (EVICTIONS.contains(reason)) {
      return FailureCause.EVICTED;
    }
    if (reason.equals("OOMKilled")) {
      return FailureCause.OUT_OF_MEMORY;
    }
    if (reason.equals("DeadlineExceeded")) {
      return FailureCause.DEADLINE_EXCEEDED;
    }
    if (ObservedMember.lostResult(reason) || NODE_SHUTDOWNS.contains(reason)) {
      return FailureCause.NODE_FAILURE;
    }
    if (reason.startsWith(ObservedMember.UNHEALTHY_GPU)) {
      return FailureCause.GPU_FAULT;
    }
    if (reason.equals(ObservedMember.WORKDIR_UNREACHABLE)
        || reason.equals(ObservedMember.RAY_UNSERVED)) {
      return FailureCause.NETWORK;
    }
    if (reason.equals(ObservedMember.WORKDIR_MISSING)
        || reason.equals(ObservedMember.WORKDIR_BROKEN)) {
      return FailureCause.CONFIGURATION;
    }
    return PULL_ERRORS.contains(reason) ? FailureCause.IMAGE_PULL : FailureCause.USER_ERROR;
  }

  private static int rank(Member m) {
    return switch (cause(m)) {
      case NODE_FAILURE, GPU_FAULT, CLUSTER_LOST -> 0;
      case EVICTED, PREEMPTED, PLACEMENT_CONFLICT, DEADLINE_EXCEEDED -> 1;
      case OUT_OF_MEMORY -> 2;
      case IMAGE_PULL,
          CONFIGURATION,
          NETWORK,
          START_TIMEOUT,
          HANG,
          DEPENDENCY_FAILED,
          OUTPUT_MISSING,
          SKIPPED,
          CHECK_REJECTED,
          STOPPED,
          PLATFORM ->
          3;
      case USER_ERROR -> m.exitCode() != null && m.exitCode() > SIGNAL ? 4 : 5;
    };
  }

  /**
   * Returns the device that the cluster named, null if none. The cluster itself assigns devices.
   */
  static @Nullable String device(Member m) {
    String named = m.reason() == null ? "" : m.reason();
    int at = named.indexOf(' ');
    return at < 0 ? null : named.substring(at + 1);
  }

  private static String message(Member m, FailureCause cause) {
    String where = m.key() + " on " + m.nodeName();
    return switch (cause) {
      case USER_ERROR -> where + exited(m);
      case OUT_OF_MEMORY ->
          where
              + " was killed for using more than its "
              + m.request().memoryMiB()
              + " MiB of memory";
      case IMAGE_PULL -> where + " cannot get its image (" + m.reason() + ")";
      case NODE_FAILURE ->
          where
              + " died with its node ("
              + (m.state() == MemberState.GONE ? m.evidence() : m.reason())
              + ")";
      case PLACEMENT_CONFLICT -> where + " was refused by its node (" + m.reason() + ")";
      case EVICTED -> where + " was evicted (" + m.reason() + ")";
      case DEADLINE_EXCEEDED -> where + " passed its deadline";
      case GPU_FAULT -> where + " ended on a GPU that is not healthy" + suffix(device(m));
      case CLUSTER_LOST -> givenUp(where, m);
      case CONFIGURATION,
          PREEMPTED,
          NETWORK,
          START_TIMEOUT,
          HANG,
          DEPENDENCY_FAILED,
          OUTPUT_MISSING,
          SKIPPED,
          CHECK_REJECTED,
          STOPPED,
          PLATFORM ->
          where + ended(m);
    };
  }

  private static String exited(Member m) {
    String reason = m.reason() == null ? "" : m.reason();
    if (reason.startsWith(ObservedMember.INIT_FAILED + " ")) {
      List<String> words = List.of(reason.split(" "));
      return ": init container %s ended with exit code %s".formatted(words.get(1), words.getLast());
    }
    String setup = ObservedMember.SETUP_FAILED + " ";
    String where =
        reason.startsWith(setup)
            ? " failed in setup: command " + reason.substring(setup.length())
            : "";
    return where + " ended with exit code " + m.exitCode();
  }

  private static String ended(Member m) {
    String reason = m.reason() == null ? "" : m.reason();
    return switch (reason) {
      case ObservedMember.WORKDIR_MISSING -> ": the code of its workdir is no longer stored";
      case ObservedMember.WORKDIR_BROKEN -> ": the code of its workdir cannot be unpacked";
      case ObservedMember.WORKDIR_UNREACHABLE -> " could not fetch the code of its workdir";
      case ObservedMember.RAY_UNSERVED ->
          " could not reach the client server on the head of its Ray cluster";
      default -> " ended: " + m.reason();
    };
  }

  private static String givenUp(String where, Member m) {
    return m.evidence() == DeathEvidence.OPERATOR_CONFIRMED
        ? "an operator confirmed that " + where + " has ended"
        : where + " was unreachable and was abandoned, as its onUnreachable allows: " + m.reason();
  }
}
