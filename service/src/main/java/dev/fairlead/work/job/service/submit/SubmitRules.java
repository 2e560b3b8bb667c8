package dev.fairlead.work.job.service.submit;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/** Conditions of a project and its job before the job is stored. */
@Component
public class SubmitRules {
  private final TenantStore tenants;
  private final QuotaStore quotas;
  private final JobStore jobs;
  private final LimitSource limits;
  private final FeasibilityCheck feasibility;
  private final SubmitChecks checks;
  private final KnownCounts<ProjectId> ofProjects = new KnownCounts<>();
  private final KnownCounts<TenantId> ofTenants = new KnownCounts<>();

  public SubmitRules(
      TenantStore tenants,
      QuotaStore quotas,
      JobStore jobs,
      LimitSource limits,
      FeasibilityCheck feasibility,
      SubmitChecks checks) {
    this.tenants = tenants;
    this.quotas = quotas;
    this.jobs = jobs;
    this.limits = limits;
    this.feasibility = feasibility;
    this.checks = checks;
  }

  /**
   * The fleet for the checks of a request, read at most once. Request it before its transaction. It
   * is read now if a job names clusters or a model outside the catalogue, and again if the fleet
   * does not have that model, because its cluster may be new. Otherwise it is read with the
   * warnings.
   */
  public FeasibilityCheck.OfFleet fleet(List<NewJob> wanted) {
    List<String> models =
        wanted.stream()
            .flatMap(job -> job.spec().roles().stream())
            .flatMap(role -> role.gpu().models().stream())
            .filter(model -> !NamedModels.inCatalogue(model))
            .toList();
    if (models.isEmpty()
        && wanted.stream().allMatch(job -> job.spec().placement().clusters().isEmpty())) {
      return new FleetReadOnce(feasibility);
    }
    FeasibilityCheck.OfFleet seen = feasibility.now();
    return models.stream().allMatch(model -> NamedModels.shown(model, seen))
        ? seen
        : feasibility.afresh();
  }

  public List<String> warnings(Project project) {
    return project.namespace().equals(Project.SYSTEM_NAMESPACE)
        ? List.of(
            ("Project \"%s\" shares the namespace %s with Fairlead itself, so its jobs can read"
                    + " Fairlead's secrets there. Move to another project and delete this one.")
                .formatted(project.name(), project.namespace()))
        : List.of();
  }

  /** The checks of jobs of one request, as {@link SubmitChecks#of} describes. */
  List<SubmitChecks.Check> checks(
      Actor actor,
      Project project,
      FeasibilityCheck.OfFleet fleet,
      Function<JobId, Optional<Job>> found) {
    return checks.of(actor, project, fleet, found);
  }

  /** Claims the code of stored jobs, as {@link SubmitChecks#claim} describes. */
  void claim(List<Job> stored) {
    checks.claim(stored);
  }

  /**
   * @throws Refusal NOT_FOUND for a project that does not exist in the actor's tenant
   */
  public Project project(Actor actor, String name) {
    return tenants
        .projectNamed(actor.tenant(), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no project \"" + name + "\". GET /api/v1/projects lists yours."));
  }

  /** The queues that jobs of the project may name, each read once. */
  NamedQueues queues(Actor actor, Project project) {
    return new NamedQueues(quotas, jobs, actor, project);
  }

  /**
   * Limits for {@link #room}, to be read before the transaction.
   *
   * @throws Refusal UNAVAILABLE when limits were not read yet
   */
  public LimitBook limits() {
    return limits.now();
  }

  /**
   * Checks limits. Call this in the transaction that stores the jobs: an archived tenant then gets
   * no job after the maximum time of a transaction.
   *
   * @param book current limits
   * @throws Refusal ILLEGAL_STATE when the tenant is archived, LIMIT_EXCEEDED when {@code more}
   *     jobs would exceed a limit of the project or of its tenant
   */
  public void room(Project project, int more, LimitBook book) {
    Tenant tenant =
        tenants
            .tenant(project.tenant())
            .filter(t -> t.state() == Tenant.State.ACTIVE)
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.ILLEGAL_STATE,
                    "The tenant of project "
                        + project.name()
                        + " is archived: it accepts no jobs. Ask an administrator for another"
                        + " tenant."));
    LimitBook.Bound own = book.ofProject(project.tenant(), project.name(), Limit.ACTIVE_JOBS);
    LimitBook.Bound whole = book.ofTenant(project.tenant().text(), Limit.ACTIVE_JOBS);
    within(
        own,
        "Project " + project.name(),
        ofProjects.with(
            project.id(), more, own.value(), () -> jobs.activeCount(project.id(), own.value() + 1)),
        more);
    if (whole.value() != LimitBook.NONE) {
      within(
          whole,
          "Tenant " + tenant.name(),
          ofTenants.with(
              project.tenant(),
              more,
              whole.value(),
              () -> jobs.activeCountOfTenant(project.tenant(), whole.value() + 1)),
          more);
    }
  }

  private static void within(LimitBook.Bound bound, String owner, long active, int more) {
    if (active + more > bound.value()) {
      TreeMap<String, Object> numbers = new TreeMap<>();
      numbers.put("active", active);
      numbers.put("limit", bound.value());
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%s has %s%d active jobs of at most %d, and this adds %d: %s."
              .formatted(
                  owner,
                  active > bound.value() ? "at least " : "", // the count ends there
                  active,
                  bound.value(),
                  more,
                  bound.named()),
          List.of(),
          numbers);
    }
  }
}
