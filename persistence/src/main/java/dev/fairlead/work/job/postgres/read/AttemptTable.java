package dev.fairlead.work.job.postgres.read;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.store.JobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads rows of attempts with their members and holdings. */
@Component
public class AttemptTable {
  private static final SqlFile OF_JOB = SqlFile.named("job/attempts-of-job");
  private static final SqlFile IN_RANGE = SqlFile.named("job/attempts-in-range");
  private static final SqlFile OWNERS = SqlFile.named("job/owners-of-attempts");
  private static final SqlFile BY_ID = SqlFile.named("job/attempts-by-id");
  private static final SqlFile LIVE = SqlFile.named("job/live-attempts");
  private static final SqlFile LATEST = SqlFile.named("job/latest-attempts");
  private static final SqlFile LAST_LIVE = SqlFile.named("job/last-live-attempts");
  private static final SqlFile UNRETIRED = SqlFile.named("job/unretired-attempts");
  private static final SqlFile NOT_CLEARED = SqlFile.named("event/not-cleared");
  private static final SqlFile ACTIONABLE = SqlFile.named("job/actionable-attempts");
  private static final SqlFile MOVED_BACK = SqlFile.named("job/moved-back");
  private static final SqlFile PLACE_FAILED = SqlFile.named("job/place-failed-attempts");
  private static final SqlFile ALL_MEMBERS = SqlFile.named("job/members-with-archive");
  private static final SqlFile ON_GPUS = SqlFile.named("job/members-on-gpus");
  private static final SqlFile HOLDERS = SqlFile.named("job/gpu-holders");
  private static final SqlFile MEMBERS = SqlFile.named("job/members");

  private static final UUID LOWEST = new UUID(0, 0);

  private final JdbcClient jdbc;
  private final BelievedTime time;

  AttemptTable(JdbcClient jdbc, BelievedTime time) {
    this.jdbc = jdbc;
    this.time = time;
  }

  /** Lists the newest {@code limit} attempts by element and number. */
  public List<Attempt> of(JobId job, int limit) {
    return withMembers(
        jdbc.sql(OF_JOB.text())
            .param("job", job.value())
            .param("limit", limit)
            .query(AttemptRows::attempt)
            .list(),
        List.of(job));
  }

  public List<Attempt> of(JobId job, AttemptRange range) {
    return withMembers(
        jdbc.sql(IN_RANGE.text())
            .param("job", job.value())
            .param("element", range.element())
            .param("afterElement", range.afterElement())
            .param("afterNumber", range.afterNumber())
            .param("limit", range.limit())
            .query(AttemptRows::attempt)
            .list(),
        List.of(job));
  }

  public List<Attempt> byId(Collection<AttemptId> ids) {
    String all = Json.ids(ids.stream().map(AttemptId::value).toList());
    return withMembers(jdbc.sql(BY_ID.text()).param("ids", all).query(AttemptRows::attempt).list());
  }

  public List<JobStore.GpuMember> membersOnGpusOf(NodeId node) {
    return jdbc.sql(ON_GPUS.text())
        .param("node", node.value())
        .query((row, _) ->
            new JobStore.GpuMember(
                new JobId(Columns.uuid(row, "job")),
                new AttemptId(Columns.uuid(row, "attempt")),
                AttemptRows.member(row)))
        .list();
  }

  public List<JobStore.AttemptOwner> owners(Collection<AttemptId> ids) {
    return jdbc.sql(OWNERS.text())
        .param("ids", Json.ids(ids.stream().map(AttemptId::value).toList()))
        .query((row, n) ->
            new JobStore.AttemptOwner(
                new AttemptId(Columns.uuid(row, "id")),
                new ClusterId(Columns.uuid(row, "cluster")),
                new JobId(Columns.uuid(row, "job")),
                new TenantId(Columns.uuid(row, "tenant")),
                new ProjectId(Columns.uuid(row, "project"))))
        .list();
  }

  /** Lists live attempts by job, element and number. */
  public List<Attempt> live(Collection<JobId> jobs) {
    return withMembers(
        jdbc.sql(LIVE.text()).param("jobs", JobTable.ids(jobs)).query(AttemptRows::attempt).list());
  }

  public List<Attempt> latest(Collection<JobId> jobs) {
    return withMembers(
        jdbc.sql(LATEST.text())
            .param("jobs", JobTable.ids(jobs))
            .query(AttemptRows::attempt)
            .list(),
        jobs);
  }

  public List<Attempt> lastLive(Collection<JobId> arrays) {
    return withMembers(
        jdbc.sql(LAST_LIVE.text())
            .param("jobs", JobTable.ids(arrays))
            .query(AttemptRows::attempt)
            .list());
  }

  public List<Attempt> unretired(ClusterId cluster) {
    return withMembers(
        jdbc.sql(UNRETIRED.text())
            .param("cluster", cluster.value())
            .query(AttemptRows::attempt)
            .list());
  }

  public List<BlockedCleanup> heldUp(ClusterId cluster, int limit) {
    Map<AttemptId, BlockedCleanup> newest = new TreeMap<>();
    jdbc.sql(NOT_CLEARED.text())
        .param("cluster", cluster.value())
        .param("text", cluster.text())
        .param("limit", limit)
        .query((row, number) ->
            new BlockedCleanup(
                new AttemptId(
                    IdText.decode(IdKind.ATTEMPT, Columns.text(row, "attempt")).orElseThrow()),
                new JobId(Columns.uuid(row, "subject")),
                Columns.instant(row, "at"),
                Columns.text(row, "message")))
        .list()
        .forEach(each -> newest.putIfAbsent(each.attempt(), each));
    String all = Json.ids(newest.keySet().stream().map(AttemptId::value).toList());
    return jdbc.sql(BY_ID.text()).param("ids", all).query(AttemptRows::attempt).list().stream()
        .filter(attempt -> attempt.retiredAt() == null)
        .map(attempt -> Objects.requireNonNull(newest.get(attempt.id())))
        .toList();
  }

  public List<ActionRequest> actionable(ClusterId cluster, ActionRequest.Window window) {
    JdbcClient.StatementSpec statement =
        jdbc.sql(ACTIONABLE.text()).param("cluster", cluster.value()).param("each", window.each());
    for (ActionRequest.Kind kind : ActionRequest.Kind.values()) {
      AttemptId after = window.after().get(kind);
      statement =
          statement.param(
              kind.name().toLowerCase(Locale.ROOT), after == null ? LOWEST : after.value());
    }
    return statement
        .query((row, number) ->
            new ActionRequest(
                new AttemptId(Columns.uuid(row, "id")),
                Columns.value(row, "kind", ActionRequest.Kind.class),
                Columns.value(row, "state", AttemptState.class),
                row.getLong("version")))
        .list();
  }

  /** Newest first. */
  public List<Attempt> placeFailed(Duration within, int limit) {
    return withMembers(
        jdbc.sql(PLACE_FAILED.text())
            .param("host", time.hostMillis())
            .param("seconds", within.toSeconds())
            .param("limit", limit)
            .query(AttemptRows::attempt)
            .list());
  }

  /** Attempts that were moved back and ended within this time, by queue. */
  public SortedMap<QuotaNodeId, Integer> movedBack(Duration within) {
    SortedMap<QuotaNodeId, Integer> moved = new TreeMap<>();
    jdbc.sql(MOVED_BACK.text())
        .param("host", time.hostMillis())
        .param("seconds", within.toSeconds())
        .query((row, number) ->
            moved.put(new QuotaNodeId(Columns.uuid(row, "queue")), row.getInt("moves")))
        .list();
    return moved;
  }

  private List<Attempt> withMembers(List<Attempt> attempts) {
    return attempts.isEmpty() ? attempts : joined(attempts, jdbc.sql(MEMBERS.text()));
  }

  /** The jobs may have been moved to the archive. */
  private List<Attempt> withMembers(List<Attempt> attempts, Collection<JobId> jobs) {
    return attempts.isEmpty()
        ? attempts
        : joined(attempts, jdbc.sql(ALL_MEMBERS.text()).param("jobs", JobTable.ids(jobs)));
  }

  private static List<Attempt> joined(List<Attempt> attempts, JdbcClient.StatementSpec members) {
    Map<UUID, List<Member>> byAttempt = new TreeMap<>();
    members
        .param("attempts", Json.ids(attempts.stream().map(a -> a.id().value()).toList()))
        .query(row -> {
          byAttempt
              .computeIfAbsent(Columns.uuid(row, "attempt"), a -> new ArrayList<>())
              .add(AttemptRows.member(row));
        });
    return attempts.stream()
        .map(a -> sorted(a, byAttempt.getOrDefault(a.id().value(), List.of())))
        .toList();
  }

  private static Attempt sorted(Attempt attempt, List<Member> all) {
    Map<Boolean, List<Member>> left =
        all.stream()
            .collect(
                Collectors.partitioningBy(
                    m -> m.standing() != null && m.standing().place() == Member.Place.LEFT));
    return attempt.with(left.getOrDefault(false, List.of()), left.getOrDefault(true, List.of()));
  }

  public List<GpuHolder> holders(
      TenantId tenant, @Nullable List<ProjectId> projects, Collection<NodeId> nodes) {
    List<UUID> among =
        projects == null ? List.of() : projects.stream().map(ProjectId::value).toList();
    return jdbc.sql(HOLDERS.text())
        .param("tenant", tenant.value())
        .param("everyProject", projects == null)
        .param("projects", Json.ids(among))
        .param("nodes", Json.ids(nodes.stream().map(NodeId::value).toList()))
        .query((row, n) ->
            new GpuHolder(
                new NodeId(Columns.uuid(row, "node")),
                row.getInt("gpu"),
                row.getInt("milli"),
                new JobId(Columns.uuid(row, "job")),
                Columns.text(row, "name"),
                new AttemptId(Columns.uuid(row, "attempt")),
                Columns.text(row, "role") + "-" + row.getInt("idx")))
        .list();
  }
}
