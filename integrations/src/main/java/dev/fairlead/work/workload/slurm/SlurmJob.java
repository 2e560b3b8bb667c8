package dev.fairlead.work.workload.slurm;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A Slurm job that runs an attempt.
 *
 * @param state base state of {@code squeue}, or {@code COMPLETING}
 * @param reason for the state, such as {@code Resources}
 * @param exitCode exit code of the batch script, 128 plus the signal if one killed it, null if
 *     unknown
 * @param began whether it got nodes
 * @param nodes names of its nodes as ranges, empty before it got nodes
 * @param cpus cores of all its nodes
 * @param gpus GPUs of each node
 */
@RecordBuilder
record SlurmJob(
    long id,
    AttemptId attempt,
    String members,
    String state,
    String reason,
    @Nullable Integer exitCode,
    boolean began,
    List<String> nodes,
    long cpus,
    long memoryMiB,
    long gpus,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt) {
  private static final String OWNER = "fairlead ";

  /** Any job of the same user can have any comment, so the numbers are limited. */
  private static final Pattern MEMBERS =
      Pattern.compile("[A-Za-z0-9._-]{1,63}=[0-9]{1,3}( [A-Za-z0-9._-]{1,63}=[0-9]{1,3}){0,255}");

  private static final long LATEST = 253_402_300_799L;
  private static final int SIGNAL = 128;
  private static final int SIGNALS = 0x7f;
  private static final int CODES = 8;
  private static final int CODE = 0xff;
  private static final int KILLED = 137;

  /** States of a job that waits for nodes. */
  private static final Set<String> WAITS =
      Set.of("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD");

  /** States of a job that has ended and released its nodes. */
  private static final Set<String> ENDED =
      Set.of(
          "COMPLETED",
          "FAILED",
          "CANCELLED",
          "TIMEOUT",
          "NODE_FAIL",
          "PREEMPTED",
          "BOOT_FAIL",
          "DEADLINE",
          "OUT_OF_MEMORY",
          "REVOKED");

  /** Reasons of the judgement for these ends. */
  private static final Map<String, String> REASONS =
      Map.of(
          "TIMEOUT", "DeadlineExceeded",
          "DEADLINE", "DeadlineExceeded",
          "NODE_FAIL", "NodeLost",
          "BOOT_FAIL", "NodeLost",
          "PREEMPTED", "Preempting",
          "OUT_OF_MEMORY", "OOMKilled");

  /** Comment of a job: its installation, and the number of members of each role. */
  static String comment(Installation installation, List<Member> members) {
    SortedMap<String, Long> roles =
        members.stream()
            .collect(Collectors.groupingBy(Member::role, TreeMap::new, Collectors.counting()));
    return OWNER
        + installation.label()
        + roles.entrySet().stream()
            .map(role -> " " + role.getKey() + "=" + role.getValue())
            .collect(Collectors.joining());
  }

  /** Reads a job of slurmctld. The result is empty if this installation has not submitted it. */
  static Optional<SlurmJob> of(JsonNode job, Installation installation, String user) {
    String owner = OWNER + installation.label() + " ";
    String comment = job.path("comment").asString("");
    Optional<AttemptId> attempt = attempt(job.path("name").asString(""));
    if (attempt.isEmpty()
        || !comment.startsWith(owner)
        || !MEMBERS.matcher(comment.substring(owner.length())).matches()
        || !job.path("user_name").asString("").equals(user)) {
      return Optional.empty();
    }
    String nodes = job.path("nodes").asString("");
    String perNode = job.path("tres_per_node").asString("");
    return Optional.of(
        SlurmJobBuilder.builder()
            .id(job.path("job_id").asLong(0))
            .attempt(attempt.get())
            .members(comment.substring(owner.length()))
            .state(job.path("job_state").asString(""))
            .reason(job.path("state_reason").asString(""))
            .exitCode(exitCode(job.path("exit_code").asInt(0)))
            .began(!nodes.isEmpty())
            .nodes(
                job.path("job_resources")
                    .path("allocated_nodes")
                    .valueStream()
                    .map(node -> node.path("nodename").asString(""))
                    .toList())
            .cpus(job.path("cpus").asLong(0))
            .memoryMiB(job.path("memory_per_node").asLong(0))
            .gpus(perNode.isEmpty() ? 0 : SlurmNodes.count(perNode))
            .startedAt(time(job.path("start_time")))
            .endedAt(time(job.path("end_time")))
            .build());
  }

  /** The attempt of a job with that name, empty for a name that Fairlead never gives. */
  private static Optional<AttemptId> attempt(String name) {
    return ObjectNames.attemptOf(name + "-");
  }

  private static int exitCode(int status) {
    int signal = status & SIGNALS;
    return signal == 0 ? status >> CODES & CODE : SIGNAL + signal;
  }

  private static @Nullable Instant time(JsonNode seconds) {
    long at = seconds.asLong(0);
    return at <= 0 || at > LATEST ? null : Instant.ofEpochSecond(at);
  }

  /** The same after its end, by the accounting. */
  SlurmJob ended(JsonNode record) {
    String now = record.path("state").path("current").asString("");
    String nodes = record.path("nodes").asString("");
    JsonNode time = record.path("time");
    return SlurmJobBuilder.builder()
        .id(id)
        .attempt(attempt)
        .members(members)
        .state(now)
        .reason(record.path("state").path("reason").asString(""))
        .exitCode("COMPLETED".equals(now) ? Integer.valueOf(0) : null)
        .began(!nodes.isEmpty() && !nodes.equals("None assigned"))
        .nodes(List.of())
        .cpus(0)
        .memoryMiB(0)
        .gpus(0)
        .startedAt(time(time.path("start")))
        .endedAt(time(time.path("end")))
        .build();
  }

  /** A job that neither slurmctld nor the accounting knows. */
  static SlurmJob vanished(long id, AttemptId attempt, String members) {
    return SlurmJobBuilder.builder()
        .id(id)
        .attempt(attempt)
        .members(members)
        .state("NODE_FAIL")
        .reason("")
        .exitCode(null)
        .began(true)
        .nodes(List.of())
        .cpus(0)
        .memoryMiB(0)
        .gpus(0)
        .startedAt(null)
        .endedAt(null)
        .build();
  }

  boolean over() {
    return ENDED.contains(state);
  }

  boolean waits() {
    return WAITS.contains(state);
  }

  /**
   * Returns all members in the state of the job.
   *
   * @param known members of the attempt, empty if only the comment of the job names them
   * @param ordered whether Fairlead has cancelled it
   */
  ObservedWorkload observed(List<Member> known, boolean ordered) {
    SortedMap<MemberKey, ObservedMember> seen = new TreeMap<>();
    if (known.isEmpty()) {
      commented().forEach(key -> seen.put(key, member(key, null, ordered)));
    } else {
      known.forEach(m -> seen.put(MemberKey.of(m), member(MemberKey.of(m), m.nodeName(), ordered)));
    }
    return new ObservedWorkload(attempt, seen, false);
  }

  private List<MemberKey> commented() {
    List<MemberKey> keys = new ArrayList<>();
    for (String role : members.split(" ", -1)) {
      int equals = role.indexOf('=');
      int count = equals < 0 ? 0 : Integer.parseInt(role.substring(equals + 1));
      for (int i = 0; i < count; i++) {
        keys.add(new MemberKey(role.substring(0, equals), i, 0));
      }
    }
    return keys;
  }

  private ObservedMember member(MemberKey key, @Nullable String node, boolean ordered) {
    boolean cancelled = state.equals("CANCELLED");
    return ObservedMember.of(key, Long.toString(id), memberState(), began ? node : null)
        .with()
        .started(began)
        .exitCode(over() ? memberCode() : null)
        .reason(reasonOfMember())
        .startedAt(began ? startedAt : null)
        .endedAt(over() ? endedAt : null)
        .deleting(ordered || cancelled)
        .build();
  }

  private MemberState memberState() {
    if (state.equals("COMPLETED")) {
      return MemberState.SUCCEEDED;
    }
    if (over()) {
      return MemberState.FAILED;
    }
    return waits() || !began ? MemberState.PENDING : MemberState.RUNNING;
  }

  /** Slurm reports no code of a job that it ended itself. */
  private @Nullable Integer memberCode() {
    return switch (state) {
      case "COMPLETED" -> 0;
      case "FAILED" -> exitCode;
      case "OUT_OF_MEMORY" -> KILLED;
      default -> null;
    };
  }

  private @Nullable String reasonOfMember() {
    if (over()) {
      return state.equals("COMPLETED") ? null : REASONS.getOrDefault(state, "Error");
    }
    return waits() ? Member.AWAITS_NODE + " slurm reports: " + reason : null;
  }
}
