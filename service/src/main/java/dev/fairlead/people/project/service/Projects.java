package dev.fairlead.people.project.service;

import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigWriter;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.warmpool.WarmPool;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates, reads, changes and deletes projects. */
@Service
public class Projects {
  private final Transactions transactions;
  private final TenantStore tenants;
  private final QuotaStore quotas;
  private final NewProjects newProjects;
  private final Idempotency idempotency;
  private final NamespaceRemovalStore removals;
  private final VolumeStore volumes;
  private final TransferStore transfers;
  private final LegalHoldStore holds;
  private final HealthTestStore tests;
  private final JobStore jobs;
  private final ConfigStore configuration;
  private final AuditLog audit;

  public Projects(
      Transactions transactions,
      TenantStore tenants,
      QuotaStore quotas,
      NewProjects newProjects,
      Idempotency idempotency,
      NamespaceRemovalStore removals,
      VolumeStore volumes,
      TransferStore transfers,
      LegalHoldStore holds,
      HealthTestStore tests,
      JobStore jobs,
      ConfigStore configuration,
      AuditLog audit) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.quotas = quotas;
    this.newProjects = newProjects;
    this.idempotency = idempotency;
    this.removals = removals;
    this.volumes = volumes;
    this.transfers = transfers;
    this.holds = holds;
    this.tests = tests;
    this.jobs = jobs;
    this.configuration = configuration;
    this.audit = audit;
  }

  /**
   * A change of a project. Null fields do not change.
   *
   * @param queue name of the queue for jobs that name none
   * @param egress allowed egress of its pods
   * @param idle policy for jobs that do not use their GPUs
   * @param costCentre account that pays for its use, empty if none
   */
  public record Change(
      @Nullable String queue,
      @Nullable Egress egress,
      @Nullable Idle idle,
      @Nullable String costCentre) {
    /**
     * A changed policy.
     *
     * @param policy null if none
     */
    public record Idle(@Nullable IdlePolicy policy) {}

    public boolean nothing() {
      return queue == null && egress == null && idle == null && costCentre == null;
    }

    private Project of(Project old, Function<String, UUID> ids) {
      Project changed =
          old.with(
              queue == null ? old.defaultQueue() : ids.apply(queue),
              egress == null ? old.egress() : egress);
      Project with = idle == null ? changed : changed.with(idle.policy());
      return costCentre == null ? with : with.paidBy(costCentre.isEmpty() ? null : costCentre);
    }
  }

  /** Projects in which the actor has a role, by name. */
  public List<Project> all(Actor actor) {
    List<ProjectId> own = actor.projects();
    return transactions.read(() ->
        own == null ? tenants.projects(actor.tenant()) : tenants.projects(actor.tenant(), own));
  }

  /**
   * @throws Refusal NOT_FOUND
   */
  public Project named(Actor actor, String name) {
    return transactions.read(() -> tenants.project(actor, name));
  }

  /** Name of the project's default queue, or its id if it does not exist. */
  public String queueOf(Actor actor, Project project) {
    QuotaNodeId id = new QuotaNodeId(project.defaultQueue());
    return transactions.read(
        () -> quotas.node(actor.tenant(), id).map(QuotaNode::name).orElseGet(id::text));
  }

  /** Name of the actor's tenant. */
  public String tenantOf(Actor actor) {
    return transactions.read(
        () -> tenants.tenant(actor.tenant()).map(Tenant::name).orElseGet(actor.tenant()::text));
  }

  /**
   * @param queue name of the queue for jobs that name none
   * @throws Refusal FORBIDDEN, NAME_IN_USE, INVALID_FIELD (unknown queue), LIMIT_EXCEEDED,
   *     IDEMPOTENCY_*
   */
  public Project create(
      Actor actor, String name, String queue, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, "createProject");
    RequestKey effective = validateOnly ? null : key;
    LimitBook limits = newProjects.limits();
    try {
      return transactions.call(() -> {
        Optional<String> earlier = idempotency.earlier(actor, "createProject", effective);
        if (earlier.isPresent()) {
          return replayed(actor, earlier.get());
        }
        QuotaNode node = queue(actor, name, queue);
        tenants
            .projectNamed(actor.tenant(), name)
            .ifPresent(p -> {
              throw taken(name);
            });
        Tenant tenant = tenants.tenant(actor.tenant()).orElseThrow();
        Project project = newProjects.make(limits, tenant, name, node);
        if (!validateOnly) {
          tenants.insert(project);
          idempotency.remember(actor, "createProject", effective, project.id().text());
          audit(actor, "createProject", null, project);
        }
        return project;
      });
    } catch (Conflict raced) {
      throw taken(name);
    }
  }

  /** Finds the project by its id, because another project may have its name after its deletion. */
  private Project replayed(Actor actor, String reference) {
    return IdText.decode(IdKind.PROJECT, reference)
        .flatMap(id -> tenants.project(actor.tenant(), new ProjectId(id)))
        .orElseThrow(() -> Idempotency.removed("project"));
  }

  /**
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD (unknown queue)
   */
  public Project update(
      Actor actor, String name, Change change, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "updateProject");
    try {
      return transactions.call(() -> {
        Project old = seen(named(actor, name), expected);
        Project changed = change.of(old, queue -> queue(actor, old.name(), queue).id().value());
        if (!validateOnly) {
          tenants.update(changed);
          audit(actor, "updateProject", old, changed);
        }
        return changed;
      });
    } catch (Conflict raced) {
      throw changed(name);
    }
  }

  /**
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, IN_USE while it has jobs, volumes, open
   *     transfers, warm pools, a legal hold or a health test
   */
  public void delete(Actor actor, String name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteProject");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project old = seen(named(actor, name), expected);
            withoutVolumes(old);
            withoutTransfers(old);
            withoutHold(old);
            withoutTests(old);
            withoutPools(old);
            tenants.delete(old); // first: orders concurrent changes of queues
            leaveQueues(actor, old);
            leaveIdentities(actor, old);
            removals.want(old);
            audit(actor, "deleteProject", old, null);
          });
    } catch (Conflict refused) {
      throw refused.guard() == Conflict.Guard.REFERENCED ? inUse(actor, name) : changed(name);
    }
  }

  private Refusal inUse(Actor actor, String name) {
    Project project = named(actor, name);
    List<JobCount> counts =
        transactions.read(() ->
            jobs.count(JobFilter.of(project.tenant(), project.id()), Set.of(JobCount.Group.STATE)));
    long all = counts.stream().mapToLong(JobCount::jobs).sum();
    if (all == 0) {
      return changed(name);
    }
    String states =
        counts.stream()
            .map(each -> each.jobs() + " " + each.group().get(JobCount.Group.STATE))
            .collect(Collectors.joining(", "));
    return new Refusal(
        ProblemCode.IN_USE,
        "Project \"%s\" has %d jobs (%s). Cancel the active jobs, then delete all of them."
            .formatted(name, all, states));
  }

  /**
   * Removes the project from its queues, so that a later project of the same name does not get
   * them.
   */
  private void leaveQueues(Actor actor, Project project) {
    for (QuotaNode old : quotas.nodes(project.tenant())) {
      QueueSettings queue = old.queue();
      List<String> names = queue == null ? null : queue.projects();
      if (queue != null && names != null && names.contains(project.name())) {
        QuotaNode left =
            old.changed(
                queue.of(names.stream().filter(each -> !each.equals(project.name())).toList()));
        quotas.update(left);
        audit.append(
            AuditRecord.change(actor, "deleteProject", old, left, of -> of.id().text())
                .kept(ConfigKind.QUEUE, old.name(), old, left));
      }
    }
  }

  /**
   * Takes the cloud identities from the project, so that a later project of the same name does not
   * get them.
   */
  private void leaveIdentities(Actor actor, Project project) {
    ConfigWriter changes = new ConfigWriter(configuration, audit);
    configuration.all(CloudIdentity.DOCUMENTS, project.tenant()).stream()
        .filter(identity -> identity.value().allows(project))
        .forEach(old -> {
          ConfigDocument<CloudIdentity> next = old.with(old.value().without(project));
          ConfigDocument<CloudIdentity> _ =
              changes.put(
                  actor,
                  "deleteProject",
                  old,
                  next,
                  new TreeMap<>(Map.of("projects", next.value().projects())));
        });
  }

  /** Refuses while it has volumes, because its namespaces are deleted with their claims. */
  private void withoutVolumes(Project project) {
    List<String> there =
        volumes.all(project.tenant(), project.id()).stream().map(Volume::name).toList();
    if (!there.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Project \"%s\" has volumes: %s. Delete them first. Use --forget for volumes left on a cluster."
              .formatted(project.name(), String.join(", ", there)));
    }
  }

  /** Refuses open transfers, because staged data would remain in the bucket unnoticed. */
  private void withoutTransfers(Project project) {
    boolean open =
        transfers.of(project.tenant(), project.id(), 1).stream().anyMatch(each -> !each.over());
    if (open) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Project \"%s\" has transfers that have not ended. Abort them first."
              .formatted(project.name()));
    }
  }

  /** Refuses health tests, because their jobs would run in a later project of the same name. */
  private void withoutTests(Project project) {
    String there =
        tests.tests().stream()
            .filter(test -> test.tenant().equals(project.tenant()))
            .filter(test -> test.project().equals(project.name()))
            .map(HealthTest::name)
            .collect(Collectors.joining(", "));
    if (!there.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Health tests run their jobs in project \"%s\": %s. Ask an operator to give them another project."
              .formatted(project.name(), there));
    }
  }

  /** Refuses warm pools, because each cancelled session of a pool is replaced immediately. */
  private void withoutPools(Project project) {
    String there =
        configuration.all(WarmPool.DOCUMENTS, project.tenant()).stream()
            .filter(each -> project.id().equals(each.project()))
            .map(each -> each.value().name())
            .sorted()
            .collect(Collectors.joining(", "));
    if (!there.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Project \"%s\" has warm pools, which submit sessions: %s. Delete them first."
              .formatted(project.name(), there));
    }
  }

  private void withoutHold(Project project) {
    holds.inForce(project.tenant()).stream()
        .filter(hold -> hold.keeps(project.id()))
        .findFirst()
        .ifPresent(hold -> {
          throw hold.refusal("Project \"" + project.name() + "\"");
        });
  }

  private static Project seen(Project project, @Nullable Long expected) {
    if (expected != null && expected != project.version()) {
      throw changed(project.name());
    }
    return project;
  }

  private static Refusal changed(String name) {
    return Refusal.changed("Project \"" + name + "\"");
  }

  private QuotaNode queue(Actor actor, String project, String name) {
    QuotaNode node =
        quotas
            .nodeNamed(actor.tenant(), name)
            .filter(QuotaNode::isQueue)
            .orElseThrow(() -> badQueue("There is no queue \"" + name + "\"."));
    QueueSettings settings = node.queue();
    if (settings != null && !settings.takes(project)) {
      throw badQueue(
          "Queue \"%s\" accepts no jobs of project %s. Ask an administrator to change that."
              .formatted(name, project));
    }
    return node;
  }

  private void audit(
      Actor actor, String operation, @Nullable Project before, @Nullable Project after) {
    String name = Objects.requireNonNull(after == null ? before : after).name();
    audit.append(
        AuditRecord.change(actor, operation, before, after, of -> of.id().text())
            .kept(ConfigKind.PROJECT, name, before, after));
  }

  private static Refusal taken(String name) {
    return new Refusal(ProblemCode.NAME_IN_USE, "A project is named \"" + name + "\" already.");
  }

  private static Refusal badQueue(String detail) {
    return Refusal.field("/defaultQueue", detail);
  }
}
