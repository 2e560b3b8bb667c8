package dev.fairlead.work.job.web.view;

import dev.fairlead.data.volume.StorageReady;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.price.Quote;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.query.ClusterNames;
import dev.fairlead.work.job.service.query.JobView;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobAction;
import dev.fairlead.work.job.store.QueuePlace;
import dev.fairlead.work.job.web.spec.GpuResponse;
import dev.fairlead.work.job.web.spec.JobSpecResponse;
import dev.fairlead.work.job.web.view.JobResponse.Action;
import dev.fairlead.work.job.web.view.JobResponse.ArrayCounts;
import dev.fairlead.work.job.web.view.JobResponse.Gpus;
import dev.fairlead.work.job.web.view.JobResponse.Pending;
import dev.fairlead.work.job.web.view.JobResponse.Place;
import dev.fairlead.work.spec.RoleSpec;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Builds the responses for jobs. */
@Component
public class JobResponses {
  private static final int WHOLE_MILLI = 1000;
  private final ClusterNames clusters;
  private final LogUrls logs;

  JobResponses(ClusterNames clusters, LogUrls logs) {
    this.clusters = clusters;
    this.logs = logs;
  }

  /** The response for a job in a list. */
  public JobResponse listed(JobView view, boolean withSpec) {
    return of(view, null, Extras.NONE, withSpec, List.of());
  }

  /** The response to a submit. */
  public JobResponse submitted(JobView view, List<String> warnings) {
    return of(view, null, Extras.NONE, true, warnings);
  }

  /**
   * The response to a read of one job, with null for unknown values.
   *
   * @param reader caller with the role that decides the allowed actions, or null to use the state
   *     alone
   */
  public record Extras(
      @Nullable Actor reader,
      @Nullable Quote quote,
      @Nullable Efficiency efficiency,
      @Nullable StorageReady storage,
      SortedMap<String, String> outputs) {
    static final Extras NONE = new Extras(null, null, null, null, Collections.emptySortedMap());
  }

  public JobResponse single(JobView view, @Nullable QueuePlace place, Extras extras) {
    return of(view, place, extras, true, List.of());
  }

  private JobResponse of(
      JobView view,
      @Nullable QueuePlace place,
      Extras extras,
      boolean withSpec,
      List<String> warnings) {
    Job job = view.job();
    Attempt attempt = view.attempt();
    Quote quote = extras.quote();
    return JobResponseBuilder.builder()
        .id(job.id().text())
        .name(job.name())
        .project(view.project())
        .tenant(view.tenant())
        .queue(view.queue())
        .user(job.user())
        .state(job.state())
        .stateChangedAt(job.run().changedAt())
        .createdAt(job.createdAt())
        .startedAt(job.run().startedAt())
        .endedAt(job.run().endedAt())
        .priorityClass(job.spec().priorityClass().wire())
        .priority(job.priority())
        .gpus(gpus(job, attempt))
        .placement(place(job, attempt))
        .cost(quote == null ? null : CostResponse.of(quote))
        .attempt(job.run().attempts())
        .pending(pending(view, place))
        .progress(ProgressReportResponse.of(view.report(), attempt, job.spec().maxRuntime()))
        .outputs(extras.outputs().isEmpty() ? null : extras.outputs())
        .logsUrl(attempt == null ? null : logs.of(job, clusters.of(attempt.cluster())))
        .failure(job.run().failure())
        .unreachable(UnreachableResponse.of(job, view.unreachable()))
        .conditions(
            JobConditions.of(
                job, attempt, view.unreachable(), extras.efficiency(), extras.storage()))
        .array(ArrayCounts.of(job.array()))
        .checks(job.checks())
        .actions(actions(job, attempt, extras.reader()))
        .labels(job.spec().labels())
        .version(job.version())
        .spec(withSpec ? JobSpecResponse.of(job.spec()) : null)
        .warnings(warnings)
        .build();
  }

  /** GPUs that the job requests. An array counts as many elements as may run in parallel. */
  static BigDecimal requested(Job job) {
    long each = job.spec().roles().stream().mapToLong(JobResponses::requestedMilli).sum();
    return GpuResponse.gpus(job.array() == null ? each : each * job.array().limit());
  }

  private static Gpus gpus(Job job, @Nullable Attempt attempt) {
    Attempt live = attempt != null && attempt.live() ? attempt : null;
    long held = live == null ? 0 : heldMilli(live);
    if (job.array() != null) {
      held *= job.array().live();
    }
    return new Gpus(requested(job), GpuResponse.gpus(held), live == null ? null : model(live));
  }

  private static long requestedMilli(RoleSpec role) {
    GpuRequest gpu = role.gpu();
    long member =
        switch (gpu.kind()) {
          case NONE, MEMORY -> 0;
          case WHOLE -> (long) gpu.count() * WHOLE_MILLI;
          case FRACTION -> gpu.fractionMilli();
          case MIG ->
              gpu.count()
                  * MigGeometry.computeMilli(gpu.migProfile() == null ? "1" : gpu.migProfile());
        };
    return member * role.count();
  }

  private static long heldMilli(Attempt attempt) {
    return attempt.members().stream()
        .flatMap(m -> m.gpus().stream())
        .mapToLong(GpuShare::milli)
        .sum();
  }

  private static @Nullable String model(Attempt attempt) {
    return attempt.members().stream()
        .filter(m -> !m.gpus().isEmpty())
        .map(m -> m.flavor().model())
        .findFirst()
        .orElse(null);
  }

  /** A pending or suspended job no longer has its last placement. */
  private Place place(Job job, @Nullable Attempt attempt) {
    if (attempt == null || !attempt.live() && !job.run().ended() && job.array() == null) {
      return new Place(null, List.of());
    }
    List<Member> shown = attempt.live() ? attempt.members() : attempt.withFinished();
    return new Place(
        clusters.of(attempt.cluster()), shown.stream().map(Member::nodeName).distinct().toList());
  }

  private static @Nullable Pending pending(JobView view, @Nullable QueuePlace place) {
    Job job = view.job();
    boolean waits =
        job.state() == JobState.QUEUED
            || job.array() != null
                && !job.run().ended()
                && job.array().queued() > 0
                && job.array().live() < job.array().limit();
    if (!waits) {
      return null;
    }
    Integer rank = place == null ? null : place.rank();
    ExplanationStore.Stored stored = view.pending();
    if (stored == null) {
      Reason reason = Reason.NOT_EVALUATED;
      return new Pending(
          reason,
          reason.reasonClass(),
          "not evaluated by the scheduler yet",
          job.run().changedAt(),
          rank,
          null);
    }
    Blocker first = stored.explanation().first();
    return new Pending(
        first.reason(),
        first.reason().reasonClass(),
        first.message(),
        stored.since(),
        rank,
        stored.expected());
  }

  private static List<Action> actions(Job job, @Nullable Attempt attempt, @Nullable Actor reader) {
    boolean kept = attempt != null && attempt.retiredAt() == null;
    return Arrays.stream(JobAction.values())
        .map(action -> {
          String refused = action.refusedFor(job).orElse(null);
          boolean early = refused == null && action == JobAction.DELETE && kept;
          String why = early ? JobAction.OUTPUT_KEPT : refused;
          if (why == null && reader != null) {
            why = forbidden(reader, job, action);
          }
          return new Action(action.wire(), why == null, why);
        })
        .toList();
  }

  private static @Nullable String forbidden(Actor reader, Job job, JobAction action) {
    String operation = action.wire() + "Job";
    return switch (Permissions.grant(reader, operation)) {
      case YES -> null;
      case OWN ->
          job.user().equals(reader.name())
              ? null
              : Permissions.notOwn(reader, operation, job.user()).getMessage();
      case NO -> Permissions.refused(reader, operation).getMessage();
    };
  }
}
