package dev.fairlead.job.service;

import dev.fairlead.cluster.Pool;
import dev.fairlead.cluster.PoolStore;
import dev.fairlead.job.FeasibilityCheck;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobSpec;
import dev.fairlead.job.JobStore;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaStore;
import dev.fairlead.resources.GpuCatalogue;
import dev.fairlead.resources.GpuModel;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What a project must have and allow before a job of it is stored. */
@Component
public class SubmitRules {
  static final long MOST_ACTIVE = 100_000;
  private final TenantStore tenants;
  private final QuotaStore quotas;
  private final JobStore jobs;
  private final PoolStore pools;
  private final FeasibilityCheck feasibility;

  public SubmitRules(
      TenantStore tenants,
      QuotaStore quotas,
      JobStore jobs,
      PoolStore pools,
      FeasibilityCheck feasibility) {
    this.pools = pools;
    this.tenants = tenants;
    this.quotas = quotas;
    this.jobs = jobs;
    this.feasibility = feasibility;
  }

  /**
   * What the fleet can run, read at most once for a request; to be asked for before its
   * transaction. It is read now where a job names a model that only the fleet may know, and
   * otherwise when the warnings are asked for.
   */
  FeasibilityCheck.OfFleet fleet(List<NewJob> wanted) {
    boolean now =
        wanted.stream()
            .flatMap(job -> job.spec().roles().stream())
            .flatMap(role -> role.gpu().models().stream())
            .anyMatch(model -> !inCatalogue(model));
    return now ? feasibility.now() : new ReadOnce(feasibility);
  }

  private static boolean inCatalogue(String asked) {
    return GpuCatalogue.models().stream().anyMatch(model -> model.answersTo(asked));
  }

  /** For one thread. */
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

  /** What every submitter of the project should know. */
  List<String> warnings(Project project) {
    return project.namespace().equals(Project.SYSTEM_NAMESPACE)
        ? List.of(
            "Project "
                + quoted(project.name())
                + " shares the namespace "
                + project.namespace()
                + " with Fairlead itself, so its jobs can read Fairlead's secrets there. Move to another project and delete this one.")
        : List.of();
  }

  /**
   * A model that the catalogue knows may come with a cluster later; any other must be there.
   *
   * @throws Refusal INVALID_FIELD for a GPU model that nothing is known of
   */
  static void models(JobSpec spec, FeasibilityCheck.OfFleet fleet) {
    for (int i = 0; i < spec.roles().size(); i++) {
      String pointer = spec.roles().size() == 1 ? "/gpu" : "/roles/" + i + "/gpu";
      for (String model : spec.roles().get(i).gpu().models()) {
        known(pointer, model, fleet);
      }
    }
  }

  /**
   * @throws Refusal INVALID_FIELD for a pool that the tenant may not use, or that does not exist
   */
  void pools(Actor actor, JobSpec spec) {
    List<String> wanted = spec.placement().pools();
    if (wanted.isEmpty()) {
      return;
    }
    List<String> there = pools.pools(actor.tenant()).stream().map(Pool::name).toList();
    for (int i = 0; i < wanted.size(); i++) {
      String name = wanted.get(i);
      if (!there.contains(name)) {
        String known =
            there.isEmpty()
                ? "There are none; leave placement.pools out."
                : "Pools: " + String.join(", ", there) + ".";
        throw field(
            "/placement/pools/" + i,
            "There is no pool " + quoted(name) + ". " + known,
            there.isEmpty() ? null : there.getFirst());
      }
    }
  }

  private static void known(String pointer, String asked, FeasibilityCheck.OfFleet seen) {
    if (inCatalogue(asked)) {
      return;
    }
    SortedSet<String> fleet = seen.models();
    if (!fleet.isEmpty() && fleet.stream().noneMatch(model -> GpuModel.answers(model, asked))) {
      String near =
          fleet.stream().filter(model -> model.equalsIgnoreCase(asked)).findFirst().orElse(null);
      throw field(
          pointer,
          "No cluster has a GPU model "
              + quoted(asked)
              + ". Models here: "
              + String.join(", ", fleet)
              + ".",
          near);
    }
  }

  /**
   * @throws Refusal NOT_FOUND for a project that does not exist in the actor's tenant
   */
  Project project(Actor actor, String name) {
    return tenants
        .projectNamed(actor.tenant(), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no project " + quoted(name) + ". GET /api/v1/projects lists yours."));
  }

  /** The queues that jobs of the project may name, each looked up once. */
  Queues queues(Actor actor, Project project) {
    return new Queues(actor, project);
  }

  /** Queues by the name that a spec gives; empty for the project's own. */
  final class Queues {
    private final Actor actor;
    private final Project project;
    private final Map<String, QuotaNode> known = new TreeMap<>();

    private Queues(Actor actor, Project project) {
      this.actor = actor;
      this.project = project;
    }

    /**
     * @throws Refusal INVALID_FIELD for a queue that does not exist or takes no jobs
     */
    QuotaNode of(JobSpec spec) {
      QuotaNode node = known.computeIfAbsent(spec.queue(), name -> find(spec));
      QueueSettings settings = node.queue();
      if (settings != null && settings.state() == QueueSettings.State.DRAINING) {
        throw field("/queue", "Queue " + node.name() + " is draining and takes no jobs.", null);
      }
      return node;
    }

    private QuotaNode find(JobSpec spec) {
      Optional<QuotaNode> node =
          spec.queue().isEmpty()
              ? quotas.node(actor.tenant(), new QuotaNodeId(project.defaultQueue()))
              : quotas.nodeNamed(actor.tenant(), spec.queue());
      return node.filter(QuotaNode::isQueue).orElseThrow(() -> noQueue(actor, spec));
    }
  }

  /**
   * To be asked in the transaction that stores the jobs: an archived tenant then gets none after
   * the longest time that a transaction may take.
   *
   * @throws Refusal ILLEGAL_STATE when the tenant is archived, LIMIT_EXCEEDED when {@code more}
   *     jobs would pass the project's bound
   */
  void room(Project project, int more) {
    if (tenants.tenant(project.tenant()).filter(t -> t.state() == Tenant.State.ACTIVE).isEmpty()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "The tenant of project "
              + project.name()
              + " is archived: it takes no jobs. Ask an administrator for another tenant.");
    }
    long active = jobs.activeCount(project.id());
    if (active + more > MOST_ACTIVE) {
      TreeMap<String, Object> numbers = new TreeMap<>();
      numbers.put("active", active);
      numbers.put("limit", MOST_ACTIVE);
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Project "
              + project.name()
              + " has "
              + active
              + " active jobs of at most "
              + MOST_ACTIVE
              + ".",
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
                + "; names are free again when a job has ended.",
            null);
    return new Refusal(ProblemCode.NAME_IN_USE, problem.detail(), List.of(problem));
  }

  private Refusal noQueue(Actor actor, JobSpec spec) {
    List<String> names =
        quotas.nodes(actor.tenant()).stream()
            .filter(QuotaNode::isQueue)
            .map(QuotaNode::name)
            .limit(10)
            .toList();
    return field(
        "/queue",
        "There is no queue " + quoted(spec.queue()) + ". Queues: " + String.join(", ", names) + ".",
        names.isEmpty() ? null : names.getFirst());
  }

  private static Refusal field(String pointer, String detail, @Nullable String suggestion) {
    return new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(new FieldProblem(pointer, ProblemCode.INVALID_FIELD, detail, suggestion)));
  }

  private static String quoted(String name) {
    return "\"" + name + "\"";
  }
}
