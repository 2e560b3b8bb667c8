package dev.fairlead.work.job.web.view;

import dev.fairlead.data.volume.StorageReady;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.query.Unreachable;
import dev.fairlead.work.job.web.view.JobResponse.Condition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Conditions in addition to a job's state, from its newest attempt. */
final class JobConditions {
  private JobConditions() {}

  /** Includes the efficiency of the attempt and the volumes of the job, if known. */
  static List<Condition> of(
      Job job,
      @Nullable Attempt attempt,
      @Nullable Unreachable unreachable,
      @Nullable Efficiency efficiency,
      @Nullable StorageReady storage) {
    List<Condition> conditions = new ArrayList<>(of(job, attempt, unreachable));
    if (storage != null) {
      String status = storage.ready() ? "True" : "False";
      conditions.add(
          condition("StorageReady", status, storage.reason(), storage.message(), storage.since()));
    }
    Condition idle = attempt == null ? null : idle(job, attempt, efficiency);
    if (idle != null) {
      conditions.add(idle);
    }
    return conditions;
  }

  private static @Nullable Condition idle(
      Job job, Attempt attempt, @Nullable Efficiency efficiency) {
    if (efficiency == null) {
      return null;
    }
    Efficiency.Reclaimed back = efficiency.reclaimed();
    if (job.state() == JobState.SUSPENDED && back != null) {
      String text =
          String.format(
              Locale.ROOT,
              "it was suspended because its GPUs were idle: %.2f GPU-hours. Resume it when it needs"
                  + " them.",
              back.idleGpuHours());
      return condition("Idle", "True", "Reclaimed", text, back.at());
    }
    Instant since = efficiency.idleSince();
    return attempt.live() && efficiency.warnedAt() != null && since != null
        ? condition("Idle", "True", "Warned", "it does not use its GPUs", since)
        : null;
  }

  private static List<Condition> of(
      Job job, @Nullable Attempt attempt, @Nullable Unreachable unreachable) {
    Instant changed = job.run().changedAt();
    if (attempt == null || !attempt.live()) {
      String why = job.run().ended() ? "Ended" : "Waiting";
      String text = job.run().ended() ? "it has ended" : "it waits for capacity";
      return List.of(
          condition("QuotaReserved", "False", why, text, changed),
          condition("Placed", "False", why, text, changed));
    }
    List<Condition> conditions = new ArrayList<>();
    Instant placed = attempt.createdAt();
    conditions.add(
        condition("QuotaReserved", "True", "Admitted", "its use counts in its queue", placed));
    conditions.add(
        condition("Placed", "True", "Admitted", "nodes and GPUs are held for it", placed));
    Instant started = attempt.startedAt();
    conditions.add(
        started == null
            ? starting(attempt)
            : condition("PodsReady", "True", "Running", "all members ran", started));
    conditions.add(
        unreachable == null
            ? condition("Healthy", "True", "Seen", "its cluster and nodes are reachable", placed)
            : condition(
                "Healthy",
                "Unknown",
                reason(unreachable),
                unreachable.message(),
                unreachable.since()));
    CheckpointRequest request = attempt.awaitedCheckpoint();
    if (request != null) {
      conditions.add(checkpointing(attempt, request));
    }
    return conditions;
  }

  private static Condition checkpointing(Attempt attempt, CheckpointRequest request) {
    String cause = attempt.stop() == null ? "" : attempt.stop().cause().name();
    String text =
        "it may save its work until %s, then it is stopped (asked by %s)"
            .formatted(request.until(), cause.toLowerCase(Locale.ROOT));
    return condition("Checkpointing", "True", cause, text, request.asked());
  }

  private static String reason(Unreachable unreachable) {
    return switch (unreachable.scope()) {
      case CLUSTER -> "ClusterUnreachable";
      case NODE -> "NodeUnreachable";
      case POD -> "PodUnreachable";
    };
  }

  private static Condition starting(Attempt attempt) {
    String waits = waitsForNode(attempt);
    if (waits != null) {
      return condition("PodsReady", "False", "AwaitsNode", waits, attempt.createdAt());
    }
    long pulling = in(MemberState.PULLING, attempt);
    String pull =
        pulling == 0 ? "" : ", " + pulling + (pulling == 1 ? " pulls its" : " pull their");
    String text =
        in(MemberState.RUNNING, attempt)
            + " of "
            + attempt.members().size()
            + " members run"
            + (pulling == 0 ? "" : pull + " image");
    return condition(
        "PodsReady", "False", pulling == 0 ? "Starting" : "Pulling", text, attempt.createdAt());
  }

  /** Message of the scheduler about a member without a node, null if every member has one. */
  static @Nullable String waitsForNode(Attempt attempt) {
    return attempt.live() ? Member.waitsForNode(attempt.members(), "has no node") : null;
  }

  private static long in(MemberState state, Attempt attempt) {
    return attempt.members().stream().filter(member -> member.state() == state).count();
  }

  private static Condition condition(
      String type, String status, String reason, String message, Instant since) {
    return new Condition(type, status, reason, message, since);
  }
}
