package dev.fairlead.work.warmpool.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.ConfigWriter;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.spi.PoolMembers;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads, sets and deletes the warm pools of a project. */
@Service
public class WarmPools implements ConfigDocumentRevert<WarmPool> {
  private final Transactions transactions;
  private final ConfigStore documents;
  private final ConfigWriter changes;
  private final TenantStore tenants;
  private final JobStore jobs;
  private final JobSubmits submits;
  private final JobReader bodies;
  private final ExplanationStore explanations;

  public WarmPools(
      Transactions transactions,
      ConfigStore documents,
      TenantStore tenants,
      JobStore jobs,
      JobSubmits submits,
      JobReader bodies,
      ExplanationStore explanations,
      AuditLog audit) {
    this.transactions = transactions;
    this.documents = documents;
    this.changes = new ConfigWriter(documents, audit);
    this.tenants = tenants;
    this.jobs = jobs;
    this.submits = submits;
    this.bodies = bodies;
    this.explanations = explanations;
  }

  public record Name(String project, String pool) {}

  /**
   * By name.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<WarmPoolView> all(Actor actor, String project) {
    Permissions.require(actor, "listWarmPools");
    Project of = transactions.read(() -> project(actor, project));
    List<ConfigDocument<WarmPool>> stored = transactions.read(() -> pools(actor, of));
    return stored.stream()
        .sorted(Comparator.comparing(ConfigDocument::name))
        .map(document -> explained(of, document))
        .toList();
  }

  public long version(Actor actor, Name name) {
    return transactions.read(() -> found(actor, name).version());
  }

  /**
   * Adds a pool, or changes it. Members with another job are replaced.
   *
   * @param expected version that the caller has read, or null for any version and a new pool
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), VERSION_MISMATCH, LIMIT_EXCEEDED above {@link
   *     WarmPool#MOST} of a project, CONFLICTING_FIELDS for a pool of the other kind, INVALID_FIELD
   *     for a job that cannot wait in a pool, and the problems of its submit
   */
  public WarmPoolView put(
      Actor actor, WarmPool wanted, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "putWarmPool");
    JobSpec spec = bodies.read(actor, wanted.project(), wanted.job());
    (wanted.ray() == null ? waits(spec) : RayPoolJob.objection(spec))
        .ifPresent(why -> {
          String kind = wanted.ray() == null ? "warm pool " : "Ray pool ";
          throw new Refusal(ProblemCode.INVALID_FIELD, "The job of a " + kind + why + ".");
        });
    submits.checkNested(actor, wanted.project(), spec);
    Name name = new Name(wanted.project(), wanted.name());
    return changed(name, validateOnly, () -> stored(actor, wanted, expected));
  }

  private WarmPoolView stored(Actor actor, WarmPool wanted, @Nullable Long expected) {
    Project project = project(actor, wanted.project());
    String key = WarmPool.document(project.id(), wanted.name());
    ConfigDocument<WarmPool> old =
        documents.find(WarmPool.DOCUMENTS, actor.tenant(), key).orElse(null);
    if (expected != null && (old == null || old.version() != expected)) {
      throw mismatch(wanted.name());
    }
    if (old != null && (old.value().ray() == null) != (wanted.ray() == null)) {
      throw otherKind(old.value());
    }
    if (old == null && pools(actor, project).size() >= WarmPool.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The project has %d warm pools, the maximum. Delete one first.".formatted(WarmPool.MOST));
    }
    ConfigDocument<WarmPool> next =
        old == null
            ? new ConfigDocument<>(WarmPool.DOCUMENTS, key, actor.tenant(), project.id(), wanted, 0)
            : old.with(wanted);
    return view(project, changes.put(actor, "putWarmPool", old, next, detail(wanted)));
  }

  /** The loop of the other kind does not find the members, which would run forever. */
  private static Refusal otherKind(WarmPool old) {
    return new Refusal(
        ProblemCode.CONFLICTING_FIELDS,
        "Pool \"%s\" is a pool of %s. Delete it first, or choose another name."
            .formatted(old.name(), old.ray() == null ? "sessions" : "Ray clusters"));
  }

  private static Optional<String> waits(JobSpec spec) {
    boolean session = Launchers.find(spec.launcher()).filter(Launcher::session).isPresent();
    return session
        ? WarmMember.objection(spec)
        : Optional.of("needs the launcher of a session type, such as jupyter");
  }

  /**
   * Cancels the members that wait, and deletes the pool when they have ended. Sessions that users
   * have taken continue.
   *
   * @param expected version that the caller has read, or null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(Actor actor, Name name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteWarmPool");
    WarmPoolView _ =
        changed(
            name,
            validateOnly,
            () -> {
              ConfigDocument<WarmPool> old = found(actor, name);
              if (expected != null && old.version() != expected) {
                throw mismatch(name.pool());
              }
              WarmPool pool = old.value().deleted();
              Project project = project(actor, name.project());
              withoutDrivers(project, old.value());
              return view(
                  project, changes.put(actor, "deleteWarmPool", old, old.with(pool), detail(pool)));
            });
  }

  private int drivers(Project project, WarmPool pool) {
    return jobs.countActiveLabelled(project.tenant(), project.id(), RayPoolJob.POOL, pool.name());
  }

  /** A driver without its pool would wait forever. */
  private void withoutDrivers(Project project, WarmPool pool) {
    int active = pool.ray() == null ? 0 : drivers(project, pool);
    if (active > 0) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Ray pool \"%s\" has %d active jobs. Wait for them or cancel them first: fairlead ps -l %s=%s"
              .formatted(pool.name(), active, RayPoolJob.POOL, pool.name()));
    }
  }

  private WarmPoolView changed(Name name, boolean validateOnly, Supplier<WarmPoolView> change) {
    AtomicReference<WarmPoolView> view = new AtomicReference<>();
    try {
      transactions.runOrTry(validateOnly, () -> view.set(change.get()));
    } catch (Conflict raced) {
      throw mismatch(name.pool());
    }
    return Objects.requireNonNull(view.get(), "the work was done");
  }

  private WarmPoolView explained(Project project, ConfigDocument<WarmPool> document) {
    WarmPool pool = document.value();
    List<Job> members = transactions.read(() -> members(project, pool));
    WarmPoolView view = view(project, document, members);
    if (!view.isShort()) {
      return view;
    }
    Optional<String> why =
        transactions.read(() -> reason(project, pool, members)).or(() -> refused(project, pool));
    return view.because(why.orElse(null));
  }

  /** Members that have not ended. */
  private List<Job> members(Project project, WarmPool pool) {
    return jobs.activeNamed(project.tenant(), project.id(), pool.memberNames()).stream()
        .flatMap(named -> jobs.find(project.tenant(), named.id()).stream())
        .filter(job -> WarmMember.is(job.spec()) || RayPoolJob.isCluster(job.spec()))
        .toList();
  }

  private WarmPoolView view(Project project, ConfigDocument<WarmPool> document) {
    return view(project, document, members(project, document.value()));
  }

  private WarmPoolView view(Project project, ConfigDocument<WarmPool> document, List<Job> members) {
    WarmPool pool = document.value();
    long ready = members.stream().filter(job -> job.state() == JobState.RUNNING).count();
    WarmPool.Sharing ray = pool.ray();
    return WarmPoolViewBuilder.builder()
        .name(pool.name())
        .project(project.name())
        .members(pool.members())
        .ray(
            ray == null
                ? null
                : new WarmPoolView.RaySharingView(
                    ray.min(),
                    ray.jobs(),
                    DurationText.of(ray.idleAfter()),
                    drivers(project, pool)))
        .ready(Math.toIntExact(ready))
        .reason(null)
        .deleting(pool.deleting())
        .job(bodies.shown(pool.job()))
        .version(document.version())
        .build();
  }

  private List<ConfigDocument<WarmPool>> pools(Actor actor, Project project) {
    return documents.all(WarmPool.DOCUMENTS, actor.tenant()).stream()
        .filter(document -> project.id().equals(document.project()))
        .toList();
  }

  private ConfigDocument<WarmPool> found(Actor actor, Name name) {
    String key = WarmPool.document(project(actor, name.project()).id(), name.pool());
    return documents
        .find(WarmPool.DOCUMENTS, actor.tenant(), key)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Project \"%s\" has no warm pool \"%s\".".formatted(name.project(), name.pool())));
  }

  private Project project(Actor actor, String name) {
    return tenants
        .projectNamed(actor.tenant(), name)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\"."));
  }

  private static SortedMap<String, Object> detail(WarmPool pool) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("project", pool.project());
    detail.put("members", pool.members());
    return detail;
  }

  private static Refusal mismatch(String name) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "Warm pool \"%s\" was changed since it was read. Read it again and repeat."
            .formatted(name));
  }

  @Override
  public ConfigType<WarmPool> type() {
    return WarmPool.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<WarmPool>> stored(Actor actor, String name) {
    Permissions.require(actor, "listWarmPools");
    return documents.find(WarmPool.DOCUMENTS, actor.tenant(), name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<WarmPool> document) {
    WarmPool pool = document.value();
    if (pool.deleting()) {
      delete(actor, new Name(pool.project(), pool.name()), null, false);
      return;
    }
    WarmPoolView _ = put(actor, pool, null, false);
  }

  /**
   * Reason of a member: the blocker of a member that waits, the state of a member that starts, or
   * the failure of a member that has just ended. Members that wait come first.
   *
   * @param active members that have not ended
   */
  private Optional<String> reason(Project project, WarmPool pool, List<Job> active) {
    List<Job> others = active.stream().filter(job -> job.state() != JobState.RUNNING).toList();
    Map<JobId, ExplanationStore.Stored> known =
        explanations.of(project.tenant(), others.stream().map(Job::id).toList());
    return others.stream()
        .flatMap(
            job -> Optional.ofNullable(known.get(job.id())).map(why -> waits(job, why)).stream())
        .findFirst()
        .or(() -> others.stream().findFirst().map(job -> job.name() + " is " + job.state()))
        .or(() -> ended(project, pool, active));
  }

  private static String waits(Job job, ExplanationStore.Stored stored) {
    Explanation explanation = stored.explanation();
    return "%s is %s: %s".formatted(job.name(), job.state(), explanation.first().message());
  }

  private Optional<String> ended(Project project, WarmPool pool, List<Job> active) {
    return pool.memberNames().stream()
        .limit(pool.members())
        .filter(name -> active.stream().noneMatch(job -> job.name().equals(name)))
        .flatMap(name -> PoolMembers.endedJustNow(jobs, project, name).stream())
        .findFirst()
        .map(WarmPools::failed);
  }

  private static String failed(Job job) {
    Failure failure = job.run().failure();
    String why = failure == null ? "" : ": " + failure.message();
    return "%s ended as %s%s. The next submit is %d minutes later"
        .formatted(job.name(), job.state(), why, PoolMembers.AGAIN.toMinutes());
  }

  /** Refusal of the next submit of a member. Must be called outside a transaction. */
  private Optional<String> refused(Project project, WarmPool pool) {
    Actor actor = new Actor(project.tenant(), OwnActor.WARM_POOLS.text(), Role.TENANT_MEMBER);
    try {
      JobSpec job = bodies.read(actor, project.name(), pool.job());
      submits.check(actor, project.name(), next(pool, job));
      return Optional.empty();
    } catch (Refusal refused) {
      return Optional.of("The next submit is refused: " + refused.getMessage());
    }
  }

  private static JobSpec next(WarmPool pool, JobSpec job) {
    return pool.ray() == null
        ? WarmMember.of(job, pool.name(), pool.members())
        : RayPoolJob.clusterOf(job, WarmPool.clusterName(pool.name(), pool.members()));
  }
}
