package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.money.price.Money;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.world.PendingJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A pending job for a test, by default one worker without a GPU. */
final class JobBuilder {
  private final String name;
  private final int number;
  private final List<RoleSpec> roles = new ArrayList<>();
  private QuotaNodeId queue;
  private String queueName = "default";
  private TenantId tenant = Scene.TENANT;
  private PriorityClass priority = PriorityClass.NORMAL;
  private int ageSeconds = 60;
  private String role = "worker";
  private int count = 1;
  private int minCount = 1;
  private GpuRequest gpu = GpuRequest.NONE;
  private long cpuMilli = 1000;
  private long memoryMiB = 2048;
  private ProjectId project = new ProjectId(new UUID(9, 2));
  private String user = "ana";
  private boolean rdma;
  private ExtraContainers extraContainers = ExtraContainers.NONE;
  private TopologySpec ofRole;
  private PlacementSpec placement = PlacementSpec.ANYWHERE;
  private Instant notBefore;
  private Instant deadline;
  private Duration maxRuntime;
  private Duration minRuntime = Duration.ZERO;
  private final List<PendingJob.Offer> offers = new ArrayList<>();
  private List<String> unmet = List.of();
  private PendingJob.FailedDependency dead;
  private final List<JobSpec.VolumeSpec> volumes = new ArrayList<>();
  private PreflightSpec preflight;
  private GangRepairSpec gangRepair;
  private final TreeMap<String, Integer> licences = new TreeMap<>();
  private final TreeMap<String, String> labels = new TreeMap<>();
  private final List<JobCheck> checks = new ArrayList<>();

  JobBuilder(String name, int number, QuotaNodeId queue) {
    this.name = name;
    this.number = number;
    this.queue = queue;
    offers.add(new PendingJob.Offer(0, 0, null));
  }

  JobBuilder queue(String other, QuotaNodeId id) {
    queueName = other;
    queue = id;
    return this;
  }

  JobBuilder tenant(TenantId other) {
    tenant = other;
    return this;
  }

  JobBuilder priority(PriorityClass other) {
    priority = other;
    return this;
  }

  JobBuilder age(int seconds) {
    ageSeconds = seconds;
    return this;
  }

  JobBuilder project(ProjectId other) {
    project = other;
    return this;
  }

  JobBuilder user(String name) {
    user = name;
    return this;
  }

  JobBuilder gang(int members) {
    return elastic(members, members);
  }

  JobBuilder elastic(int fewest, int most) {
    minCount = fewest;
    count = most;
    return this;
  }

  JobBuilder gpus(int perMember, String... models) {
    return gpu(GpuRequest.whole(perMember, models));
  }

  JobBuilder gpu(GpuRequest request) {
    gpu = request;
    return this;
  }

  JobBuilder cpu(int cores) {
    cpuMilli = cores * 1000L;
    return this;
  }

  JobBuilder memory(int gib) {
    memoryMiB = gib * 1024L;
    return this;
  }

  JobBuilder rdma() {
    rdma = true;
    return this;
  }

  JobBuilder roleTopology(String level) {
    ofRole = new TopologySpec(level, TopologySpec.Mode.REQUIRED);
    return this;
  }

  /** Ends the current role. The following calls describe another. */
  JobBuilder thenRole(String other) {
    roles.add(role());
    role = other;
    count = 1;
    minCount = 1;
    gpu = GpuRequest.NONE;
    ofRole = null;
    return this;
  }

  JobBuilder inOne(String level) {
    return topology(new TopologySpec(level, TopologySpec.Mode.REQUIRED));
  }

  JobBuilder preferring(String level) {
    return topology(new TopologySpec(level, TopologySpec.Mode.PREFERRED));
  }

  private JobBuilder topology(TopologySpec topology) {
    return placed(placement.with().topology(topology).build());
  }

  JobBuilder on(String... clusters) {
    return placed(placement.with().clusters(List.of(clusters)).build());
  }

  JobBuilder pools(String... pools) {
    return placed(placement.with().pools(List.of(pools)).build());
  }

  JobBuilder capacity(CapacityType... types) {
    return placed(placement.with().capacity(List.of(types)).build());
  }

  JobBuilder waiting(CapacityType type, Duration wait) {
    return placed(placement.with().waits(new TreeMap<>(Map.of(type, wait))).build());
  }

  JobBuilder label(String key, String value) {
    return placed(placement.with().nodeLabels(new TreeMap<>(Map.of(key, value))).build());
  }

  JobBuilder segment(int size, String level) {
    return placed(placement.with().segment(new PlacementSpec.Segment(size, level)).build());
  }

  JobBuilder spread(int most, String level) {
    return placed(placement.with().spread(new PlacementSpec.Spread(level, most)).build());
  }

  /** The job's class, null if none, and the classes that it avoids. */
  JobBuilder antiAffinity(String own, String... avoids) {
    return placed(placement.with().jobClass(own).avoidClasses(List.of(avoids)).build());
  }

  /** A label of the job itself. */
  JobBuilder labelled(String key, String value) {
    labels.put(key, value);
    return this;
  }

  JobBuilder near(String key, String value, String within) {
    return placed(placement.with().near(List.of(term(key, value, within))).build());
  }

  JobBuilder away(String key, String value, String within) {
    return placed(placement.with().away(List.of(term(key, value, within))).build());
  }

  private static PlacementSpec.JobTerm term(String key, String value, String within) {
    return new PlacementSpec.JobTerm(new TreeMap<>(Map.of(key, value)), within);
  }

  JobBuilder paysUpTo(long micros, String currency) {
    return placed(placement.with().maxPricePerGpuHour(new Money(micros, currency)).build());
  }

  /** Time until the end of its maxRuntime. */
  JobBuilder costsAtMost(long micros, String currency) {
    return placed(placement.with().maxCost(new Money(micros, currency)).build());
  }

  JobBuilder numa(PlacementSpec.Numa wish) {
    return placed(placement.with().numa(wish).build());
  }

  JobBuilder placed(PlacementSpec other) {
    placement = other;
    return this;
  }

  JobBuilder deadline(Instant time) {
    deadline = time;
    return this;
  }

  JobBuilder notBefore(Instant time) {
    notBefore = time;
    return this;
  }

  JobBuilder maxRuntime(Duration most) {
    maxRuntime = most;
    return this;
  }

  JobBuilder minRuntime(Duration least) {
    minRuntime = least;
    return this;
  }

  JobBuilder array(int elements) {
    offers.clear();
    for (int i = 0; i < elements; i++) {
      offers.add(new PendingJob.Offer(i, 0, null));
    }
    return this;
  }

  JobBuilder retryAt(int element, Instant time) {
    offers.set(element, new PendingJob.Offer(element, 1, time));
    return this;
  }

  /** Its nodes pass a test within ten minutes before it starts. */
  JobBuilder preflight(PreflightSpec.OnUntested onUntested) {
    preflight = new PreflightSpec("dcgm", Duration.ofMinutes(10), onUntested);
    return this;
  }

  /** The number of members lost to a fault that are replaced. */
  JobBuilder repaired(int max) {
    gangRepair = new GangRepairSpec(max);
    return this;
  }

  JobBuilder waitsFor(String... jobs) {
    unmet = List.of(jobs);
    return this;
  }

  JobBuilder waitsInVain(String job) {
    dead = new PendingJob.FailedDependency(job, JobState.FAILED);
    return this;
  }

  JobId id() {
    return new JobId(new UUID(1, number));
  }

  private RoleSpec role() {
    return new RoleSpec(
        role,
        count,
        minCount,
        "image",
        CommandSpec.OF_IMAGE,
        Collections.emptySortedMap(),
        Collections.emptySortedMap(),
        gpu,
        cpuMilli,
        memoryMiB,
        64,
        rdma,
        ofRole,
        extraContainers);
  }

  /** Adds a sidecar to each member of the current role. */
  JobBuilder sidecar(long cores, long mebibytes) {
    extraContainers =
        new ExtraContainers(
            List.of(),
            List.of(
                new ContainerSpec(
                    "sidecar",
                    "image",
                    CommandSpec.OF_IMAGE,
                    Collections.emptySortedMap(),
                    cores * 1_000,
                    mebibytes,
                    null,
                    List.of())));
    return this;
  }

  JobSpec spec() {
    List<RoleSpec> all = new ArrayList<>(roles);
    all.add(role());
    return new JobSpec(
        name,
        queueName,
        priority,
        all,
        placement,
        gangRepair == null ? Launcher.NONE : "torchrun",
        maxRuntime,
        notBefore,
        deadline,
        List.of(),
        new JobSpec.PreemptionSpec(priority.preemptible(), Duration.ofSeconds(30), minRuntime),
        RetryPolicy.DEFAULT,
        JobSpec.OnUnreachable.WAIT,
        null,
        volumes,
        licences,
        labels,
        Collections.emptySortedMap(),
        preflight,
        null,
        gangRepair,
        JobSpec.OnDependencyFailure.FAIL,
        null,
        List.of(),
        null);
  }

  JobBuilder volume(String volume) {
    volumes.add(JobSpec.VolumeSpec.ofVolume(volume, "/mnt/" + volume, false));
    return this;
  }

  JobBuilder licence(String licence, int of) {
    licences.put(licence, of);
    return this;
  }

  JobBuilder check(String check, JobCheck.State state, String message) {
    Instant retryAt = state == JobCheck.State.RETRY ? Scene.NOW.plusSeconds(60) : null;
    checks.add(new JobCheck(check, state, 1, 1, Scene.NOW, message, retryAt));
    return this;
  }

  Job job() {
    Instant created = Scene.NOW.minusSeconds(ageSeconds);
    return new Job(
        id(),
        tenant,
        project,
        queue,
        name,
        user,
        spec(),
        priority.value(),
        created,
        JobStatus.queued(created),
        null,
        checks,
        1);
  }

  PendingJob pending() {
    return new PendingJob(job(), offers, unmet, dead);
  }
}
