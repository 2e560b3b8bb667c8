package dev.fairlead.work.job;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Job specifications for tests. Default: one role with one small member. */
public final class Specs {
  /** Default preemption rules of tests. */
  public static final PreemptionSpec RULES =
      new PreemptionSpec(true, Duration.ofSeconds(30), Duration.ZERO);

  private final String name;
  private PriorityClass priority = PriorityClass.NORMAL;
  private int workers = 1;
  private int fewest;
  private GpuRequest gpu = GpuRequest.NONE;
  private long cpuMilli = 1000;
  private long memoryMiB = 2048;
  private PlacementSpec placement = PlacementSpec.ANYWHERE;
  private String launcher = Launcher.NONE;
  private String run = "true";
  private RetryPolicy retry = RetryPolicy.DEFAULT;
  private @Nullable Duration maxRuntime;
  private @Nullable Instant notBefore;
  private @Nullable Instant deadline;
  private Duration minRuntime = Duration.ZERO;
  private Duration grace = RULES.gracePeriod();
  private @Nullable Duration checkpointTimeout;
  private OnUnreachable onUnreachable = OnUnreachable.WAIT;
  private @Nullable ArrayRange array;
  private @Nullable PreflightSpec preflight;
  private @Nullable ProgressSpec progress;
  private @Nullable GangRepairSpec gangRepair;
  private JobSpec.OnDependencyFailure onDependencyFailure = JobSpec.OnDependencyFailure.FAIL;
  private @Nullable WorkdirSpec workdir;
  private List<String> outputs = List.of();
  private @Nullable String cloudIdentity;
  private final List<Dependency> dependsOn = new ArrayList<>();
  private final SortedMap<String, String> labels = new TreeMap<>();
  private final SortedMap<String, Integer> licences = new TreeMap<>();
  private final SortedMap<String, String> annotations = new TreeMap<>();
  private final List<JobSpec.VolumeSpec> volumes = new ArrayList<>();
  private final SortedMap<String, RoleSpec.SecretKey> secretEnv = new TreeMap<>();
  private final List<ContainerSpec> sidecars = new ArrayList<>();
  private final SortedMap<String, String> env = new TreeMap<>();

  private Specs(String name) {
    this.name = name;
  }

  public static Specs job(String name) {
    return new Specs(name);
  }

  public Specs cloudIdentity(String identity) {
    cloudIdentity = identity;
    return this;
  }

  public Specs priority(PriorityClass value) {
    priority = value;
    return this;
  }

  public Specs workers(int count) {
    workers = count;
    return this;
  }

  /** Sets the number of workers with which the job starts before it grows. */
  public Specs minWorkers(int count) {
    fewest = count;
    return this;
  }

  /** Whole GPUs per member. */
  public Specs gpus(int count) {
    return gpu(GpuRequest.whole(count));
  }

  public Specs gpu(GpuRequest request) {
    gpu = request;
    return this;
  }

  /** Per member. */
  public Specs cpuMilli(long milli) {
    cpuMilli = milli;
    return this;
  }

  /** Per member. */
  public Specs memoryMiB(long mebibytes) {
    memoryMiB = mebibytes;
    return this;
  }

  public Specs placement(PlacementSpec value) {
    placement = value;
    return this;
  }

  public Specs retry(int maxAttempts, FailureCause... on) {
    retry = new RetryPolicy(maxAttempts, List.of(on));
    return this;
  }

  public Specs maxRuntime(Duration most) {
    maxRuntime = most;
    return this;
  }

  /** Sets the earliest start. */
  public Specs notBefore(Instant time) {
    notBefore = time;
    return this;
  }

  public Specs deadline(Instant by) {
    deadline = by;
    return this;
  }

  /** Not preempted before. */
  public Specs checkpointTimeout(Duration value) {
    checkpointTimeout = value;
    return this;
  }

  public Specs gracePeriod(Duration value) {
    grace = value;
    return this;
  }

  public Specs minRuntime(Duration least) {
    minRuntime = least;
    return this;
  }

  public Specs onUnreachable(OnUnreachable wish) {
    onUnreachable = wish;
    return this;
  }

  /** As on the wire, {@code 0-9%2}. */
  public Specs array(String range) {
    array = ArrayRange.parse(range).orElseThrow();
    return this;
  }

  public Specs dependsOn(Job job, Dependency.Condition condition) {
    dependsOn.add(new Dependency(job.id(), condition));
    return this;
  }

  /** Each element waits for the element of the same index. */
  public Specs dependsOnElements(Job job, Dependency.Condition condition) {
    dependsOn.add(new Dependency(job.id(), condition, true));
    return this;
  }

  /** The code with this digest. */
  public Specs workdir(String digest) {
    workdir = new WorkdirSpec(digest);
    return this;
  }

  public Specs onDependencyFailure(JobSpec.OnDependencyFailure policy) {
    onDependencyFailure = policy;
    return this;
  }

  public Specs label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  /** A variable from a key of a secret of the project. */
  public Specs secretEnv(String variable, String secret, String key) {
    secretEnv.put(variable, new RoleSpec.SecretKey(secret, key));
    return this;
  }

  /** A sidecar in each member. */
  public Specs sidecar(String container) {
    sidecars.add(
        new ContainerSpec(
            container,
            "proxy:1",
            CommandSpec.OF_IMAGE,
            new TreeMap<>(),
            100,
            256,
            null,
            List.of()));
    return this;
  }

  public Specs licence(String licence, int count) {
    licences.put(licence, count);
    return this;
  }

  /** Mounts a volume claim. */
  public Specs claim(String claim) {
    volumes.add(JobSpec.VolumeSpec.ofClaim(claim, "/mnt/" + claim, false));
    return this;
  }

  /** Mounts a volume of the project. */
  public Specs volume(String volume) {
    volumes.add(JobSpec.VolumeSpec.ofVolume(volume, "/mnt/" + volume, false));
    return this;
  }

  /** Sets the timeout of progress reports. */
  public Specs progress(Duration timeout) {
    progress = new ProgressSpec(timeout, ProgressSpec.OnTimeout.RETRY);
    return this;
  }

  /** Suspends the job after this time without activity. */
  public Specs idleAfter(Duration timeout) {
    progress = new ProgressSpec(timeout, ProgressSpec.OnTimeout.SUSPEND);
    return this;
  }

  /** Its nodes pass that test before it starts. */
  public Specs preflight(String test, Duration timeout, PreflightSpec.OnUntested onUntested) {
    preflight = new PreflightSpec(test, timeout, onUntested);
    return this;
  }

  public Specs reads(String volume) {
    volumes.add(JobSpec.VolumeSpec.ofVolume(volume, "/mnt/" + volume, true));
    return this;
  }

  public Specs annotation(String key, String value) {
    annotations.put(key, value);
    return this;
  }

  /** Allows the replacement of this many members. */
  public Specs repaired(int max) {
    gangRepair = new GangRepairSpec(max);
    return torchrun();
  }

  public Specs launcher(String name) {
    launcher = name;
    return this;
  }

  public Specs outputs(String... names) {
    outputs = List.of(names);
    return this;
  }

  /** A variable of its program. */
  public Specs env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** A command that a shell reads. */
  public Specs run(String text) {
    run = text;
    return this;
  }

  /** Permits its members to rendezvous again. */
  public Specs torchrun() {
    launcher = "torchrun";
    return this;
  }

  public JobSpec build() {
    RoleSpec role =
        new RoleSpec(
            "worker",
            workers,
            fewest == 0 ? workers : fewest,
            "registry.example/train:1",
            CommandSpec.shell(run),
            env,
            secretEnv,
            gpu,
            cpuMilli,
            memoryMiB,
            64,
            false,
            null,
            new ExtraContainers(List.of(), sidecars));
    return new JobSpec(
        name,
        "",
        priority,
        List.of(role),
        placement,
        launcher,
        maxRuntime,
        notBefore,
        deadline,
        dependsOn,
        new PreemptionSpec(priority.preemptible(), grace, minRuntime, checkpointTimeout),
        retry,
        onUnreachable,
        array,
        volumes,
        licences,
        labels,
        annotations,
        preflight,
        progress,
        gangRepair,
        onDependencyFailure,
        workdir,
        outputs,
        cloudIdentity);
  }
}
