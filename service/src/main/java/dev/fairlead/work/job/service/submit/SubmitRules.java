package dev.fairlead.work.job.service.submit;

import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.job.submit.PreflightRules;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workdir.WorkdirStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Conditions of a project and its job before the job is stored. */
@Component
public class SubmitRules {
  private final TenantStore tenants;
  private final QuotaStore quotas;
  private final JobStore jobs;
  private final PoolStore pools;
  private final ProjectSecretStore secrets;
  private final VolumeStore volumes;
  private final LimitSource limits;
  private final FeasibilityCheck feasibility;
  private final CheckpointLimit checkpoints;
  private final LicenceStore licences;
  private final PreflightRules preflights;
  private final SubmitPolicies policies;
  private final WorkdirStore workdirs;
  private final ConfigStore configuration;
  private final RayPools rayPools;
  private final KnownCounts<ProjectId> ofProjects = new KnownCounts<>();
  private final KnownCounts<TenantId> ofTenants = new KnownCounts<>();

  public SubmitRules(
      TenantStore tenants,
      QuotaStore quotas,
      JobStore jobs,
      PoolStore pools,
      ProjectSecretStore secrets,
      VolumeStore volumes,
      LimitSource limits,
      FeasibilityCheck feasibility,
      CheckpointLimit checkpoints,
      LicenceStore licences,
      PreflightRules preflights,
      SubmitPolicies policies,
      WorkdirStore workdirs,
      ConfigStore configuration,
      RayPools rayPools) {
    this.rayPools = rayPools;
    this.configuration = configuration;
    this.workdirs = workdirs;
    this.policies = policies;
    this.preflights = preflights;
    this.licences = licences;
    this.checkpoints = checkpoints;
    this.pools = pools;
    this.secrets = secrets;
    this.volumes = volumes;
    this.tenants = tenants;
    this.quotas = quotas;
    this.jobs = jobs;
    this.limits = limits;
    this.feasibility = feasibility;
  }

  /**
   * The fleet for the checks of a request, read at most once. Request it before its transaction. It
   * is read now if a job names a model outside the catalogue, and again if the fleet does not have
   * that model, because its cluster may be new. Otherwise it is read with the warnings.
   */
  public FeasibilityCheck.OfFleet fleet(List<NewJob> wanted) {
    List<String> models =
        wanted.stream()
            .flatMap(job -> job.spec().roles().stream())
            .flatMap(role -> role.gpu().models().stream())
            .filter(model -> !NamedModels.inCatalogue(model))
            .toList();
    if (models.isEmpty()) {
      return new ReadOnce(feasibility);
    }
    FeasibilityCheck.OfFleet seen = feasibility.now();
    return models.stream().allMatch(model -> NamedModels.shown(model, seen))
        ? seen
        : feasibility.afresh();
  }

  /** Not thread-safe. */
  private static final class ReadOnce implements FeasibilityCheck.OfFleet {
    private final FeasibilityCheck feasibility;
    private FeasibilityCheck.@Nullable OfFleet fleet;

    ReadOnce(FeasibilityCheck feasibility) {
      this.feasibility = feasibility;
    }

    private FeasibilityCheck.OfFleet fleet() {
      FeasibilityCheck.OfFleet known = fleet;
      if (known == null) {
        known = feasibility.now();
        fleet = known;
      }
      return known;
    }

    @Override
    public List<String> warnings(Job job) {
      return fleet().warnings(job);
    }

    @Override
    public SortedSet<String> models() {
      return fleet().models();
    }
  }

  /** Warnings for every submitter of the project. */
  public List<String> warnings(Project project) {
    return project.namespace().equals(Project.SYSTEM_NAMESPACE)
        ? List.of(
            "Project "
                + quoted(project.name())
                + " shares the namespace "
                + project.namespace()
                + " with Fairlead itself, so its jobs can read Fairlead's secrets there. Move to"
                + " another project and delete this one.")
        : List.of();
  }

  /**
   * @throws Refusal INVALID_FIELD for a job with a longer checkpoint time than an operator allows
   */
  void checkpoints(JobSpec spec) {
    Duration wanted = spec.preemption().checkpointTimeout();
    if (wanted != null && wanted.compareTo(checkpoints.longest()) > 0) {
      String most = DurationText.of(checkpoints.longest());
      throw field(
          "/preemption/checkpointTimeout",
          "checkpointTimeout can be at most " + most + " here, which an operator can raise.",
          most);
    }
  }

  /**
   * @throws Refusal INVALID_FIELD as {@link NamedLicences#known} says
   */
  void licences(JobSpec spec) {
    NamedLicences.known(spec, licences);
  }

  /**
   * @throws Refusal INVALID_FIELD as {@link PreflightRules#known} says
   */
  void preflight(JobSpec spec) {
    preflights.known(spec);
  }

  /**
   * @throws Refusal INVALID_FIELD as {@link NamedWorkdirs#known} says
   */
  void workdir(Project project, JobSpec spec) {
    NamedWorkdirs.known(spec, project, workdirs);
  }

  /**
   * @throws Refusal INVALID_FIELD as {@link NamedCloudIdentity#known} and {@link RayPools#known}
   *     say
   */
  void settings(Project project, JobSpec spec) {
    NamedCloudIdentity.known(spec, project, configuration);
    rayPools.known(spec, project);
  }

  /**
   * @throws Refusal INVALID_FIELD as {@link NamedWorkdirs#claim} says
   */
  void claim(List<Job> stored) {
    NamedWorkdirs.claim(stored, workdirs);
  }

  /**
   * @throws Refusal POLICY_VIOLATION
   */
  void policies(Actor actor, Project project, JobSpec spec) {
    policies.require(actor.tenant(), actor.name(), project, spec);
  }

  /** The secrets of the project that jobs of one request name. */
  NamedSecrets secrets(Project project) {
    return new NamedSecrets(secrets, project);
  }

  /** The volumes of the project that jobs of one request mount. */
  NamedVolumes volumes(Project project) {
    return new NamedVolumes(volumes, project);
  }

  /** The pools that jobs of the actor's tenant may name, read at most once. */
  Pools pools(Actor actor) {
    return new Pools(actor);
  }

  /** Pools of one request. Not thread-safe. */
  final class Pools {
    private final Actor actor;
    private @Nullable List<String> names;

    private Pools(Actor actor) {
      this.actor = actor;
    }

    /**
     * @throws Refusal INVALID_FIELD for a pool that the tenant may not use, or that does not exist
     */
    void known(JobSpec spec) {
      List<String> wanted = spec.placement().pools();
      if (!wanted.isEmpty()) {
        known(wanted, names());
      }
    }

    private List<String> names() {
      List<String> read = names;
      if (read == null) {
        read = pools.pools(actor.tenant()).stream().map(Pool::name).toList();
        names = read;
      }
      return read;
    }

    private static void known(List<String> wanted, List<String> there) {
      for (int i = 0; i < wanted.size(); i++) {
        String name = wanted.get(i);
        if (!there.contains(name)) {
          String shown =
              there.isEmpty()
                  ? "No pools exist. Remove placement.pools."
                  : "Pools: " + String.join(", ", there) + ".";
          throw field(
              "/placement/pools/" + i,
              "There is no pool " + quoted(name) + ". " + shown,
              there.isEmpty() ? null : there.getFirst());
        }
      }
    }
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
                "There is no project " + quoted(name) + ". GET /api/v1/projects lists yours."));
  }

  /** The queues that jobs of the project may name, each read once. */
  Queues queues(Actor actor, Project project) {
    return new Queues(actor, project);
  }

  /** Queues by the name in a spec, empty for the project's default. */
  final class Queues {
    private final Actor actor;
    private final Project project;
    private final Map<String, QuotaNode> known = new TreeMap<>();
    private final Map<QuotaNodeId, Long> queued = new TreeMap<>();

    private Queues(Actor actor, Project project) {
      this.actor = actor;
      this.project = project;
    }

    /**
     * @throws Refusal INVALID_FIELD for a queue that does not exist, accepts no jobs, or is not for
     *     the project
     */
    QuotaNode of(JobSpec spec) {
      QuotaNode node = known.computeIfAbsent(spec.queue(), name -> find(spec));
      QueueSettings settings = node.queue();
      if (settings != null && settings.state() == QueueSettings.State.DRAINING) {
        throw field("/queue", "Queue " + node.name() + " is draining and takes no jobs.", null);
      }
      if (settings != null && !settings.takes(project.name())) {
        throw notForProject(node.name());
      }
      return node;
    }

    /**
     * Counts another waiting job of the actor in the queue.
     *
     * @throws Refusal LIMIT_EXCEEDED beyond the queue's limit per user
     */
    void queued(JobSpec spec) {
      QuotaNode node = of(spec);
      QueueSettings settings = node.queue();
      Integer most = settings == null ? null : settings.userLimits().queued();
      if (most == null) {
        return;
      }
      long there =
          queued.computeIfAbsent(
              node.id(), id -> jobs.queuedCount(actor.tenant(), id, actor.name(), most + 1L));
      if (there >= most) {
        TreeMap<String, Object> numbers = new TreeMap<>();
        numbers.put("queued", there);
        numbers.put("limit", most);
        throw new Refusal(
            ProblemCode.LIMIT_EXCEEDED,
            ("%s has %s%d of %d waiting jobs in queue %s, the limit userLimits.queued. An"
                    + " administrator can raise it.")
                .formatted(
                    actor.name(),
                    there > most ? "at least " : "", // the count ends there
                    there,
                    most,
                    node.name()),
            List.of(),
            numbers);
      }
      queued.put(node.id(), there + 1);
    }

    private QuotaNode find(JobSpec spec) {
      Optional<QuotaNode> node =
          spec.queue().isEmpty()
              ? quotas.node(actor.tenant(), new QuotaNodeId(project.defaultQueue()))
              : quotas.nodeNamed(actor.tenant(), spec.queue());
      return node.filter(QuotaNode::isQueue).orElseThrow(() -> noQueue(spec));
    }

    private Refusal noQueue(JobSpec spec) {
      return refused("There is no queue " + quoted(spec.queue()) + ".");
    }

    private Refusal notForProject(String queue) {
      return refused(
          "Queue %s takes no jobs of project %s, which an administrator can change."
              .formatted(queue, project.name()));
    }

    /** Suggests the default queue of the project. */
    private Refusal refused(String detail) {
      List<QuotaNode> queues =
          quotas.nodes(actor.tenant()).stream().filter(this::takesProject).toList();
      QuotaNodeId ofProject = new QuotaNodeId(project.defaultQueue());
      String names =
          queues.stream().map(QuotaNode::name).limit(10).collect(Collectors.joining(", "));
      return field(
          "/queue",
          detail + " Queues: " + (names.isEmpty() ? "none" : names) + ".",
          queues.stream()
              .filter(queue -> queue.id().equals(ofProject))
              .map(QuotaNode::name)
              .findFirst()
              .orElse(null));
    }

    private boolean takesProject(QuotaNode node) {
      QueueSettings settings = node.queue();
      return settings != null && settings.takes(project.name());
    }
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

  static Refusal dependency(int index, String detail) {
    return field("/dependsOn/" + index, detail, null);
  }

  static Refusal nameTaken(String name) {
    FieldProblem problem =
        new FieldProblem(
            "/name",
            ProblemCode.NAME_IN_USE,
            "An active job of this project is named "
                + quoted(name)
                + ". Its name is free again when it has ended.",
            null);
    return new Refusal(ProblemCode.NAME_IN_USE, problem.detail(), List.of(problem));
  }

  static Refusal field(String pointer, String detail, @Nullable String suggestion) {
    return Refusal.field(pointer, detail, suggestion);
  }

  private static String quoted(String name) {
    return "\"" + name + "\"";
  }
}
