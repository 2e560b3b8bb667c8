package dev.fairlead.work.job.service.query;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.output.ProgressReport;
import dev.fairlead.work.output.ProgressReports;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Reads jobs and their attempts, elements and decisions. Objects of other tenants are reported as
 * not found.
 */
@Service
public class JobQueries {
  public static final int MOST_ATTEMPTS = 1_000;
  private final Transactions transactions;
  private final JobStore jobs;
  private final TenantStore tenants;
  private final OwnerNames owners;
  private final ExplanationStore explanations;
  private final EventLog events;
  private final ProgressReports progress;
  private final OutputStore outputs;
  private final UnreachableAttempts unreachable;
  private final RayPools rayPools;

  public JobQueries(
      Transactions transactions,
      JobStore jobs,
      TenantStore tenants,
      OwnerNames owners,
      ExplanationStore explanations,
      EventLog events,
      ProgressReports progress,
      OutputStore outputs,
      InventoryStore inventory,
      RayPools rayPools) {
    this.rayPools = rayPools;
    this.transactions = transactions;
    this.jobs = jobs;
    this.tenants = tenants;
    this.owners = owners;
    this.explanations = explanations;
    this.events = events;
    this.progress = progress;
    this.outputs = outputs;
    this.unreachable = new UnreachableAttempts(inventory, jobs);
  }

  /**
   * @throws Refusal NOT_FOUND
   */
  public JobView job(Actor actor, JobId id) {
    return transactions.read(
        () -> views(actor, List.of(found(actor, id))).getFirst().told(rayPools));
  }

  /**
   * @throws Refusal NOT_FOUND for a project that does not exist in the actor's tenant
   */
  public ProjectId projectNamed(Actor actor, String name) {
    return transactions.read(() ->
        tenants
            .projectNamed(actor.tenant(), name)
            .map(Project::id)
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.NOT_FOUND,
                    "There is no project \"" + name + "\". GET /api/v1/projects lists yours.")));
  }

  /**
   * Returns the active job of this name in the project, or the job that ended last.
   *
   * @throws Refusal NOT_FOUND for an unknown project, and when it never had a job of this name
   */
  public JobId newestNamed(Actor actor, String project, String name) {
    ProjectId id = projectNamed(actor, project);
    return transactions.read(() ->
        jobs.named(actor.tenant(), id, List.of(name)).stream()
            .findFirst()
            .map(NamedJob::id)
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.NOT_FOUND,
                    ("Project \"%s\" has no job named \"%s\". GET"
                            + " /api/v1/projects/%s/jobs?nameContains= finds jobs by a part of the"
                            + " name.")
                        .formatted(project, name, project))));
  }

  /**
   * A page of jobs. An array has the attempt of its last live element, or none. Its counts show the
   * other elements, and a search for its newest attempt would read the attempts of all elements.
   */
  public JobPage jobs(Actor actor, JobFilter filter) {
    return transactions.read(() -> {
      JobSlice page = jobs.list(filter);
      Map<JobId, Attempt> attempts =
          latest(actor, page.jobs().stream().filter(job -> job.array() == null).toList());
      List<JobId> arrays =
          page.jobs().stream()
              .filter(job -> job.array() != null && !job.run().ended())
              .map(Job::id)
              .toList();
      if (!arrays.isEmpty()) {
        jobs.lastLiveAttempts(actor.tenant(), arrays)
            .forEach(attempt -> attempts.put(attempt.job(), attempt));
      }
      return new JobPage(views(actor, page.jobs(), attempts), page.next());
    });
  }

  /** Counts jobs by these groups. Projects are shown by name. */
  public List<JobCount> count(Actor actor, JobFilter filter, Set<JobCount.Group> by) {
    return transactions.read(() -> {
      Map<String, String> projects = new TreeMap<>();
      tenants.projects(actor.tenant()).forEach(p -> projects.put(p.id().text(), p.name()));
      return jobs.count(filter, by).stream().map(count -> named(count, projects)).toList();
    });
  }

  private static JobCount named(JobCount count, Map<String, String> projects) {
    TreeMap<JobCount.Group, String> group = new TreeMap<>(count.group());
    group.computeIfPresent(JobCount.Group.PROJECT, (g, id) -> projects.getOrDefault(id, id));
    return new JobCount(group, count.jobs(), count.gpuMilli());
  }

  /** The view of a job that the caller just wrote. */
  public JobView view(Actor actor, Job job) {
    return transactions.read(() -> views(actor, List.of(job)).getFirst());
  }

  /**
   * Views of the submitted jobs, in order. A job stored by this request has no attempt and no
   * reason yet, so nothing is read. A read would cost the submit a second transaction.
   */
  public List<JobView> submitted(Actor actor, List<Submitted> several) {
    return several.stream().anyMatch(Submitted::replayed)
        ? transactions.read(() -> views(actor, several.stream().map(Submitted::job).toList()))
        : several.stream().map(each -> fresh(actor, each.job())).toList();
  }

  private JobView fresh(Actor actor, Job job) {
    return JobViewBuilder.builder()
        .job(job)
        .tenant(owners.of(actor.tenant()))
        .project(owners.of(actor.tenant(), job.project()))
        .queue(job.spec().queue())
        .attempt(null)
        .pending(null)
        .report(null)
        .unreachable(null)
        .build();
  }

  public List<Attempt> attempts(Actor actor, JobId id, AttemptRange range) {
    return transactions.read(() -> jobs.attempts(found(actor, id).id(), range));
  }

  /** Last progress reports of those attempts of the caller that run. */
  public SortedMap<AttemptId, ProgressReport> reports(Actor actor, Collection<Attempt> attempts) {
    List<AttemptId> running =
        attempts.stream()
            .filter(attempt -> attempt.live() && attempt.startedAt() != null)
            .map(Attempt::id)
            .toList();
    return transactions.read(() -> progress.reports(actor.tenant(), running));
  }

  /**
   * Outputs of the newest attempt. The result is empty for a job without any. Lists do not read
   * them.
   */
  public SortedMap<String, String> outputs(Actor actor, JobView view) {
    Attempt attempt = view.attempt();
    return attempt == null || view.job().spec().outputs().isEmpty()
        ? new TreeMap<>()
        : transactions.read(() -> outputs.of(actor.tenant(), view.job().id(), attempt.id()));
  }

  /**
   * Returns an attempt.
   *
   * @param number null for the newest
   * @throws Refusal NOT_FOUND
   */
  public Optional<Attempt> attempt(
      Actor actor, JobId id, @Nullable Integer element, @Nullable Integer number) {
    return transactions.read(() -> {
      Job job = found(actor, id);
      if (element == null && number == null) {
        return jobs.latestAttempts(actor.tenant(), List.of(job.id())).stream().findFirst();
      }
      AttemptRange one = AttemptRange.of(element == null ? 0 : element, MOST_ATTEMPTS);
      return jobs.attempts(job.id(), one).stream()
          .filter(a -> number == null || a.number() == number)
          .max(Comparator.comparingInt(Attempt::number));
    });
  }

  /** Elements that have started, by index. */
  public List<JobElement> elements(Actor actor, JobId id, int from, int limit) {
    return transactions.read(() -> jobs.elements(found(actor, id).id(), from, limit));
  }

  public ExplainedJob explanation(Actor actor, JobId id) {
    return transactions.read(() -> {
      JobView view = views(actor, List.of(found(actor, id))).getFirst();
      boolean waits = view.job().state() == JobState.QUEUED;
      JobView told = view.told(jobs.now()).told(rayPools);
      return new ExplainedJob(told, waits ? jobs.queuePlace(id).orElse(null) : null);
    });
  }

  /**
   * Decisions about the job by time, at most {@link DecisionRecord#MOST}.
   *
   * @param kind null for all kinds
   * @param at returns only the decision in effect at that time, unless the job had ended
   */
  public List<DecisionSpan> decisions(
      Actor actor, JobId id, DecisionRecord.@Nullable Kind kind, @Nullable Instant at) {
    return transactions.read(() -> {
      Job job = found(actor, id);
      List<DecisionRecord> decided = explanations.decisions(actor.tenant(), job.id());
      List<Attempt> attempts =
          job.array() == null
              ? jobs.attempts(job.id(), AttemptRange.of(null, DecisionRecord.MOST))
              : List.of();
      return DecisionSpan.of(decided, job.run(), attempts).stream()
          .filter(span -> kind == null || span.decided().body().kind() == kind)
          .filter(span -> at == null || span.covers(at))
          .toList();
    });
  }

  public List<EventRecord> events(Actor actor, JobId id, EventPosition after, int limit) {
    return transactions.read(
        () -> events.of(actor.tenant(), IdKind.JOB, found(actor, id).id().value(), after, limit));
  }

  Job found(Actor actor, JobId id) {
    return jobs.find(actor.tenant(), id).orElseThrow(() -> notFound(id));
  }

  public static Refusal notFound(JobId id) {
    return new Refusal(ProblemCode.NOT_FOUND, "There is no job " + id.text() + ".");
  }

  private List<JobView> views(Actor actor, List<Job> page) {
    return views(actor, page, latest(actor, page));
  }

  private Map<JobId, Attempt> latest(Actor actor, List<Job> page) {
    List<JobId> begun =
        page.stream()
            .filter(j -> j.run().attempts() > 0 || j.array() != null)
            .map(Job::id)
            .toList();
    return (begun.isEmpty() ? List.<Attempt>of() : jobs.latestAttempts(actor.tenant(), begun))
        .stream()
            .collect(
                Collectors.toMap(Attempt::job, Function.identity(), (a, b) -> b, TreeMap::new));
  }

  private List<JobView> views(Actor actor, List<Job> page, Map<JobId, Attempt> attempts) {
    List<JobId> waiting =
        page.stream()
            .filter(j -> j.state() == JobState.QUEUED || j.array() != null && !j.run().ended())
            .map(Job::id)
            .toList();
    Map<JobId, ExplanationStore.Stored> pending =
        waiting.isEmpty() ? Map.of() : explanations.of(actor.tenant(), waiting);
    Map<JobId, Unreachable> hidden = unreachable.of(attempts.values());
    SortedMap<AttemptId, ProgressReport> reports = reports(actor, page, attempts);
    return page.stream()
        .map(job -> {
          Attempt attempt = attempts.get(job.id());
          return JobViewBuilder.builder()
              .job(job)
              .tenant(owners.of(actor.tenant()))
              .project(owners.of(actor.tenant(), job.project()))
              .queue(job.spec().queue())
              .attempt(attempt)
              .pending(pending.get(job.id()))
              .report(attempt == null ? null : reports.get(attempt.id()))
              .unreachable(hidden.get(job.id()))
              .build();
        })
        .toList();
  }

  /** Reports of jobs that are not arrays. Reads nothing for a page without such a job. */
  private SortedMap<AttemptId, ProgressReport> reports(
      Actor actor, List<Job> page, Map<JobId, Attempt> attempts) {
    return reports(
        actor,
        page.stream()
            .filter(job -> job.array() == null && job.spec().progress() != null)
            .map(job -> attempts.get(job.id()))
            .filter(Objects::nonNull)
            .toList());
  }
}
