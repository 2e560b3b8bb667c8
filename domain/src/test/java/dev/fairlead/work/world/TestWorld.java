package dev.fairlead.work.world;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.attempt.member.MemberStatusBuilder;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.SizeTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A tenant with a project, a tree of {@code root} and one queue without limits, and a cluster of
 * two nodes of eight GPUs, only through the ports, with helpers for the steps of a test. All its
 * names are unique, so that many worlds fit into one installation.
 */
public final class TestWorld {
  public static final String ACTOR = "test";

  private final Stores stores;
  private final Tenant tenant;
  private final Project project;
  private final QuotaNode root;
  private final QuotaNode queue;
  private final Cluster cluster;

  private TestWorld(Stores stores) {
    this.stores = stores;
    this.tenant =
        new Tenant(
            new TenantId(stores.ids().next()), uniqueName("tenant"), "", Tenant.State.ACTIVE, 1);
    this.root = node("root", null, List.of(), null);
    this.queue = node("queue", root, List.of(), QueueSettings.DEFAULT);
    this.project = newProject("project");
    this.cluster = newCluster();
  }

  /** A new tenant with all its objects. */
  public static TestWorld in(Stores stores) {
    TestWorld world = new TestWorld(stores);
    stores.tenants().insert(world.tenant);
    stores.quotas().insert(world.root);
    stores.quotas().insert(world.queue);
    stores.tenants().insert(world.project);
    stores.inventory().insert(world.cluster, new Connection.Simulated(List.of()));
    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").build());
    return world;
  }

  public Stores stores() {
    return stores;
  }

  public Tenant tenant() {
    return tenant;
  }

  public Project project() {
    return project;
  }

  public QuotaNode root() {
    return stores.quotas().node(tenant.id(), root.id()).orElseThrow();
  }

  public QuotaNode queue() {
    return stores.quotas().node(tenant.id(), queue.id()).orElseThrow();
  }

  public Cluster cluster() {
    return stores.inventory().cluster(cluster.id()).orElseThrow();
  }

  public Instant now() {
    return stores.jobs().now();
  }

  /** Stores the licence over any version of it. */
  public ConfigDocument<Licence> put(Licence licence) {
    return stores
        .transactions()
        .call(() ->
            stores
                .configs()
                .put(
                    stores
                        .configs()
                        .find(Licence.DOCUMENTS, null, licence.name())
                        .map(old -> old.with(licence))
                        .orElseGet(() ->
                            ConfigDocument.ofPlatform(
                                Licence.DOCUMENTS, licence.name(), licence))));
  }

  /**
   * Sets the limits of the tenant, or of a project, instead of all that were set there.
   *
   * @param in null for the tenant itself
   */
  public void limit(@Nullable Project in, Map<Limit, Long> values) {
    ConfigDocument<SetLimits> none = SetLimits.none(tenant.id(), in);
    stores
        .transactions()
        .run(() -> {
          ConfigDocument<SetLimits> old =
              stores.configs().find(none.type(), tenant.id(), none.name()).orElse(none);
          stores.configs().put(old.with(old.value().with(new TreeMap<>(values))));
        });
  }

  /** A name that no other world has. */
  public String uniqueName(String prefix) {
    return prefix + "-" + IdText.encode(stores.ids().next());
  }

  public Project newProject(String name) {
    ProjectId id = new ProjectId(stores.ids().next());
    return new Project(
        id,
        tenant.id(),
        name,
        "fairlead-" + id.bare(),
        queue.id().value(),
        Egress.OPEN,
        null,
        null,
        1);
  }

  /** Not stored yet. */
  public QuotaNode node(
      String name,
      @Nullable QuotaNode parent,
      List<QuotaLimit> limits,
      @Nullable QueueSettings settings) {
    return MemoryQuotaStore.unlimitedRoot()
        .with()
        .id(new QuotaNodeId(stores.ids().next()))
        .tenant(tenant.id())
        .name(name)
        .parent(parent == null ? null : parent.id())
        .depth(parent == null ? 0 : parent.depth() + 1)
        .limits(limits)
        .queue(settings)
        .build();
  }

  public void limit(QuotaNode node, QuotaLimit... limits) {
    QuotaNode now = stores.quotas().node(tenant.id(), node.id()).orElseThrow();
    stores.quotas().update(now.with().limits(List.of(limits)).version(now.version() + 1).build());
  }

  /** Sets the limits of each user in the queue of this world. */
  public void limitUsers(UserLimits limits) {
    limit(limits, RunLimits.NONE, RunLimits.NONE);
  }

  /** Sets the limits of each user, each project and all together in the queue of this world. */
  public void limit(UserLimits users, RunLimits projects, RunLimits all) {
    QuotaNode now = stores.quotas().node(tenant.id(), queue().id()).orElseThrow();
    QueueSettings settings =
        QueueSettings.DEFAULT
            .withUserLimits(users)
            .withProjectLimits(projects)
            .withQueueLimits(all);
    stores.quotas().update(now.changed(settings));
  }

  /** Sets the admission checks of the queue of this world. */
  public void checks(String... names) {
    QueueSettings settings = Objects.requireNonNull(queue().queue()).withChecks(List.of(names));
    stores.quotas().update(queue().changed(settings));
  }

  /** Requests all checks of the queue for the job, and reports this result for each. */
  public Job checked(Job job, JobCheck.State state) {
    List<String> names = Objects.requireNonNull(queue().queue()).checks();
    append(CheckTransitions.ask(job(job), names, now(), ACTOR).orElseThrow());
    for (JobCheck check : job(job).checks()) {
      CheckTransitions.Report report =
          new CheckTransitions.Report(
              check.name(), state, check.request(), "by a test", Duration.ofMinutes(1));
      append(CheckTransitions.report(job(job), report, now(), ACTOR).orElseThrow());
    }
    return job(job);
  }

  public int report(NodeReport... reports) {
    return stores.inventory().report(cluster.id(), List.of(reports));
  }

  /** The node of that name, retired ones excepted. */
  public Node node(String name) {
    return stores.inventory().nodes(cluster.id()).stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** A new job, not stored yet. */
  public Job newJob(JobSpec spec) {
    return newJob(spec, project, queue);
  }

  public Job newJob(JobSpec spec, Project owner, QuotaNode where) {
    Instant now = now();
    ArrayProgress array = spec.array() == null ? null : ArrayProgress.of(spec.array());
    return new Job(
        new JobId(stores.ids().next()),
        tenant.id(),
        owner.id(),
        where.id(),
        spec.name(),
        "ana",
        spec.named(spec.name(), where.name()),
        spec.priorityClass().value(),
        now,
        JobStatus.queued(now),
        array,
        List.of(),
        1);
  }

  public Job submit(Specs spec) {
    return submit(newJob(spec.build()));
  }

  public Job submit(Job job) {
    append(JobTransitions.submit(job));
    return job(job);
  }

  public void append(Transition... transitions) {
    stores.transactions().run(() -> stores.jobs().append(List.of(transitions)));
  }

  /** As stored now. */
  public Job job(Job job) {
    return stores.jobs().find(tenant.id(), job.id()).orElseThrow();
  }

  /** As stored now. */
  public Attempt attempt(Attempt attempt) {
    return stores.jobs().attempts(List.of(attempt.id())).getFirst();
  }

  public @Nullable JobElement element(Job job, int index) {
    return stores.jobs().element(job.id(), index).orElse(null);
  }

  /** A new attempt with these members, not stored yet. */
  public Attempt attempt(Job job, int element, List<Member> members) {
    JobElement row = job.array() == null ? null : element(job, element);
    int made = job.array() == null ? job.run().attempts() : row == null ? 0 : row.run().attempts();
    return new Attempt(
        new AttemptId(stores.ids().next()),
        job.id(),
        element,
        made + 1,
        cluster.id(),
        1,
        now(),
        AttemptStatus.of(AttemptState.PLANNED),
        members,
        List.of());
  }

  /** The transition that admits the attempt, on the stored job. */
  public Transition admission(Attempt attempt) {
    Job job = stores.jobs().lock(List.of(attempt.job())).getFirst();
    JobElement row = job.array() == null ? null : element(job, attempt.element());
    return JobTransitions.admit(job, row, attempt, now(), ACTOR).orElseThrow();
  }

  /** Stores members on the nodes in turn, GPUs by first fit. */
  public Attempt place(Job job, int element, String... nodes) {
    List<Node> on = List.of(nodes).stream().map(this::node).toList();
    Attempt attempt = attempt(job(job), element, Members.of(job.spec(), on, CapacityType.RESERVED));
    append(admission(attempt));
    return attempt(attempt);
  }

  public Attempt place(Job job) {
    return place(job, 0, "node-1", "node-2");
  }

  /** One member on each of the nodes, with consecutive indexes, and GPUs by first fit. */
  public List<Member> members(Job job, int first, String... nodes) {
    List<Node> on = List.of(nodes).stream().map(this::node).toList();
    return Members.ofRole(job.spec(), first, on, CapacityType.RESERVED);
  }

  /** The job of the attempt, as stored now. */
  public Job jobOf(Attempt attempt) {
    return stores.jobs().lock(List.of(attempt.job())).getFirst();
  }

  /** Stores a joining member on each of the nodes. */
  public Attempt grow(Attempt attempt, String... nodes) {
    Attempt now = attempt(attempt);
    Job job = jobOf(attempt);
    return grow(attempt, members(job, now.nextIndex("worker"), nodes));
  }

  public Attempt grow(Attempt attempt, List<Member> joining) {
    Attempt now = attempt(attempt);
    append(SizeTransitions.grow(jobOf(attempt), now, joining, now(), ACTOR).orElseThrow());
    return attempt(attempt);
  }

  /** Stores the order to members to leave. */
  public Attempt shrink(Attempt attempt, String... members) {
    Attempt now = attempt(attempt);
    List<MemberKey> keys =
        now.members().stream()
            .filter(m -> List.of(members).contains(m.key()))
            .map(MemberKey::of)
            .toList();
    append(
        SizeTransitions.shrink(jobOf(attempt), now, keys, "as the test wants it", now(), ACTOR)
            .orElseThrow());
    return attempt(attempt);
  }

  /** Stores the loss of a member by a fault, with the order to leave. */
  public Attempt lose(Attempt attempt, String member) {
    Attempt now = attempt(attempt);
    List<Member> told =
        now.members().stream().map(m -> m.key().equals(member) ? m.leaving(now()) : m).toList();
    append(
        JobTransitions.observe(
            jobOf(attempt), null, now.with(told), null, List.of(), now(), ACTOR));
    return attempt(attempt);
  }

  /** Stores the deaths of leaving members. */
  public Attempt leave(Attempt attempt) {
    append(departure(attempt(attempt)));
    return attempt(attempt);
  }

  /** Stores that a member ended with success and left the others. */
  public Attempt finish(Attempt attempt, String key) {
    Attempt now = attempt(attempt);
    List<Member> here = now.members().stream().filter(m -> !m.key().equals(key)).toList();
    List<Member> left = new ArrayList<>(now.left());
    now.members().stream()
        .filter(m -> m.key().equals(key))
        .forEach(m -> left.add(finished(m).left(now())));
    append(
        JobTransitions.observe(
                jobOf(attempt), null, now.with(here, left), null, List.of(), now(), ACTOR)
            .leaving());
    return attempt(attempt);
  }

  private Member finished(Member m) {
    MemberStatusBuilder ended =
        m.status().with().state(MemberState.SUCCEEDED).uid("uid-" + m.key()).exitCode(0);
    return m.withStatus(
        ended
            .reason(null)
            .startedAt(now())
            .endedAt(now())
            .evidence(DeathEvidence.CONTAINER_TERMINATED)
            .build());
  }

  /** The transition of {@link #leave}, on the stored job. */
  public Transition departure(Attempt attempt) {
    List<Member> here = attempt.members().stream().filter(m -> !m.leaves()).toList();
    List<Member> left = new ArrayList<>(attempt.left());
    attempt.members().stream()
        .filter(Member::leaves)
        .forEach(
            m -> left.add(m.gone(DeathEvidence.CONTAINER_TERMINATED, "told", now()).left(now())));
    Job job = jobOf(attempt);
    return JobTransitions.observe(
            job, null, attempt.with(here, left), null, List.of(), now(), ACTOR)
        .leaving();
  }

  /** The transition of an attempt's event, on the stored rows. */
  public Transition move(Attempt attempt, AttemptEvent event) {
    Attempt next = AttemptLifecycle.apply(attempt(attempt), event, now()).orElseThrow();
    Job job = stores.jobs().lock(List.of(attempt.job())).getFirst();
    JobElement row = job.array() == null ? null : element(job, attempt.element());
    return JobTransitions.observe(job, row, next, event, List.of(), now(), ACTOR);
  }

  public Attempt apply(Attempt attempt, AttemptEvent... events) {
    for (AttemptEvent event : events) {
      append(move(attempt, event));
    }
    return attempt(attempt);
  }

  /** A source names the devices of each member of the attempt, and nothing else changes. */
  public Attempt reported(Attempt attempt, DeviceReporter source, List<HeldDevice> devices) {
    Attempt stored = attempt(attempt);
    List<Member> members =
        stored.members().stream().map(m -> m.holding(m.devices().with(source, devices))).toList();
    Job job = stores.jobs().findAll(List.of(stored.job())).getFirst();
    Attempt shown = stored.with(members);
    append(JobTransitions.observe(job, null, shown, null, List.of(), now(), ACTOR));
    return attempt(attempt);
  }

  /** Launched and running. */
  public Attempt run(Attempt attempt) {
    return apply(attempt, new AttemptEvent.Launch(), new AttemptEvent.Progress(true));
  }

  public Attempt succeed(Attempt attempt) {
    Failure none = Failure.of(FailureCause.PLATFORM, "none", attempt.number());
    return apply(attempt, new AttemptEvent.Ended(AttemptState.SUCCEEDED, none));
  }

  public Attempt fail(Attempt attempt, FailureCause cause) {
    Failure failure = Failure.of(cause, "as the test wants it", attempt.number());
    return apply(attempt, new AttemptEvent.Ended(AttemptState.FAILED, failure));
  }

  public void cancel(Job job) {
    boolean live = !stores.jobs().liveAttempts(job.id()).isEmpty();
    append(JobTransitions.cancel(job(job), live, now(), ACTOR).orElseThrow());
  }

  private Cluster newCluster() {
    return new Cluster(
        new ClusterId(stores.ids().next()),
        uniqueName("cluster"),
        ClusterKind.SIMULATED,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        new TreeMap<>(),
        ClusterSettings.DEFAULT,
        Capabilities.UNOBSERVED,
        now(),
        null,
        null,
        1);
  }
}
