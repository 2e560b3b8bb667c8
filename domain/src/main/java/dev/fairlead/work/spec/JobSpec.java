package dev.fairlead.work.spec;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.launcher.Launcher;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The complete request of a job: shorthands expanded, defaults filled in.
 *
 * @param roles roles, at least one. {@code workers} in a request is one role named {@code worker}
 * @param maxRuntime maximum run time of an attempt, null if unlimited
 * @param array elements of an array, null for one element
 * @param licences number of each licence that an attempt holds, at least 1, by name
 * @param annotations annotations with prefixes of a closed list. Those under {@code
 *     sim.fairlead.dev/} apply to simulated nodes only
 * @param preflight health test of its nodes before the start, null if none
 * @param launcher name of the launcher, see {@link dev.fairlead.work.launcher.Launchers}
 * @param progress maximum time without a progress report, null for no monitoring
 * @param gangRepair replacement of failed members, null if a fault of one member ends the attempt
 * @param onDependencyFailure rule for a job in {@code dependsOn} that ends without meeting its
 *     condition
 * @param workdir code that its members unpack before their program starts, null if none
 * @param outputs names of the outputs that its program may report, see {@link
 *     dev.fairlead.work.output.Outputs}
 * @param cloudIdentity name of the cloud identity that its pods have, null if none
 */
@RecordBuilder
public record JobSpec(
    String name,
    String queue,
    PriorityClass priorityClass,
    List<RoleSpec> roles,
    PlacementSpec placement,
    String launcher,
    @Nullable Duration maxRuntime,
    @Nullable Instant notBefore,
    @Nullable Instant deadline,
    List<Dependency> dependsOn,
    PreemptionSpec preemption,
    RetryPolicy retry,
    OnUnreachable onUnreachable,
    @Nullable ArrayRange array,
    List<VolumeSpec> volumes,
    SortedMap<String, Integer> licences,
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations,
    @Nullable PreflightSpec preflight,
    @Nullable ProgressSpec progress,
    @Nullable GangRepairSpec gangRepair,
    OnDependencyFailure onDependencyFailure,
    @Nullable WorkdirSpec workdir,
    List<String> outputs,
    @Nullable String cloudIdentity)
    implements JobSpecBuilder.With {
  /** Prefix of annotations of replicas of model services. Users cannot submit them. */
  public static final String OF_SERVICE = "serving.fairlead.dev/";

  /** Rule for a cluster or node that is unreachable. */
  public enum OnUnreachable {
    /** The attempt waits until it is reachable again or proven dead, and holds its resources. */
    WAIT,
    /**
     * The attempt is abandoned after {@code maxRuntime}. The kubelet enforces this deadline. A dead
     * kubelet does not enforce the deadline, so the attempts may overlap, which the owner permits.
     * Without {@code maxRuntime}, the attempt waits.
     */
    AFTER_DEADLINE,
    /** The next attempt may start immediately, and may overlap with members that still run. */
    ALLOW_OVERLAP
  }

  /** Rule for a dependency that can no longer be met. */
  public enum OnDependencyFailure {
    /**
     * The job ends as FAILED with the cause {@code DEPENDENCY_FAILED}, or as CANCELLED with the
     * cause {@code SKIPPED} if it is for a failure that did not happen.
     */
    FAIL,
    /** The job stays QUEUED until its owner cancels it. */
    WAIT
  }

  /**
   * Another job that must meet a condition first.
   *
   * @param perElement whether each element of the array waits for the element of the same index of
   *     the other array, and not for the whole array
   */
  public record Dependency(JobId job, Condition condition, boolean perElement) {
    public Dependency(JobId job, Condition condition) {
      this(job, condition, false);
    }

    /** The condition of a dependency. */
    public enum Condition {
      SUCCEEDED,
      ENDED,
      STARTED,
      /**
       * The dependency ended as FAILED. Otherwise the dependent is not needed, and ends as
       * CANCELLED.
       */
      FAILED
    }
  }

  /**
   * Whether and how the job may be stopped for other jobs.
   *
   * @param checkpointTimeout time for the job to save its work before it is stopped, such as 2m,
   *     null if none
   */
  public record PreemptionSpec(
      boolean allowed,
      Duration gracePeriod,
      Duration minRuntime,
      @Nullable Duration checkpointTimeout) {
    public PreemptionSpec(boolean allowed, Duration gracePeriod, Duration minRuntime) {
      this(allowed, gracePeriod, minRuntime, null);
    }

    /** The maximum time from the stop order until its processes are killed. */
    public Duration stopsWithin() {
      return checkpointTimeout == null ? gracePeriod : gracePeriod.plus(checkpointTimeout);
    }
  }

  /**
   * A mount of exactly one source.
   *
   * @param claim existing claim in the project's namespace
   * @param secret secret of the project, with each key as a file
   * @param volume volume of the project
   */
  public record VolumeSpec(
      @Nullable String claim,
      @Nullable String secret,
      @Nullable String volume,
      String mountPath,
      boolean readOnly) {
    public static VolumeSpec ofClaim(String claim, String mountPath, boolean readOnly) {
      return new VolumeSpec(claim, null, null, mountPath, readOnly);
    }

    public static VolumeSpec ofSecret(String secret, String mountPath) {
      return new VolumeSpec(null, secret, null, mountPath, true);
    }

    public static VolumeSpec ofVolume(String volume, String mountPath, boolean readOnly) {
      return new VolumeSpec(null, null, volume, mountPath, readOnly);
    }
  }

  /** A job with defaults: it runs once on any cluster, at normal priority, without a limit. */
  public static JobSpec of(
      String name, String queue, List<RoleSpec> roles, PreemptionSpec preemption) {
    return JobSpecBuilder.builder()
        .name(name)
        .queue(queue)
        .priorityClass(PriorityClass.NORMAL)
        .roles(roles)
        .placement(PlacementSpec.ANYWHERE)
        .launcher(Launcher.NONE)
        .maxRuntime(null)
        .notBefore(null)
        .deadline(null)
        .dependsOn(List.of())
        .preemption(preemption)
        .retry(RetryPolicy.DEFAULT)
        .onUnreachable(OnUnreachable.WAIT)
        .array(null)
        .volumes(List.of())
        .licences(Collections.emptySortedMap())
        .labels(Collections.emptySortedMap())
        .annotations(Collections.emptySortedMap())
        .preflight(null)
        .progress(null)
        .gangRepair(null)
        .onDependencyFailure(OnDependencyFailure.FAIL)
        .workdir(null)
        .outputs(List.of())
        .cloudIdentity(null)
        .build();
  }

  public JobSpec {
    launcher = launcher.toLowerCase(Locale.ROOT);
    roles = List.copyOf(roles);
    dependsOn = List.copyOf(dependsOn);
    volumes = List.copyOf(volumes);
    licences = Collections.unmodifiableSortedMap(new TreeMap<>(licences));
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    outputs = List.copyOf(outputs);
  }

  /** Returns whether the job is a replica of a model service, which replaces it when it ends. */
  public boolean ofService() {
    return annotations.keySet().stream().anyMatch(key -> key.startsWith(OF_SERVICE));
  }

  /** Returns the spec with name and queue filled in. */
  public JobSpec named(String newName, String newQueue) {
    return like(newName, newQueue, roles, placement, dependsOn, preemption, volumes, annotations);
  }

  public JobSpec needing(List<Dependency> others) {
    return like(name, queue, roles, placement, others, preemption, volumes, annotations);
  }

  /** Returns the spec with the annotation set. */
  public JobSpec annotated(String key, String value) {
    SortedMap<String, String> more = new TreeMap<>(annotations);
    more.put(key, value);
    return like(name, queue, roles, placement, dependsOn, preemption, volumes, more);
  }

  /** Returns the spec restricted to nodes of these clusters with these labels. */
  public JobSpec on(List<String> clusters, SortedMap<String, String> nodeLabels) {
    PlacementSpec there = placement.with().clusters(clusters).nodeLabels(nodeLabels).build();
    return like(name, queue, roles, there, dependsOn, preemption, volumes, annotations);
  }

  /** Returns the spec with this order of clusters. Others remain allowed. */
  public JobSpec preferring(List<String> clusters) {
    PlacementSpec there = placement.withPreferred(clusters);
    return like(name, queue, roles, there, dependsOn, preemption, volumes, annotations);
  }

  public JobSpec mounting(List<VolumeSpec> others) {
    return like(name, queue, roles, placement, dependsOn, preemption, others, annotations);
  }

  /** Returns the spec with other labels. */
  public JobSpec labelled(SortedMap<String, String> others) {
    return replica(name, preemption, others, annotations);
  }

  /** Returns the spec without gang repair, so a fault of a member ends the attempt. */
  public JobSpec withoutRepair() {
    return with(labels, null);
  }

  /** Returns the spec without commands and annotations, which no placement reads. */
  public JobSpec decided() {
    List<RoleSpec> bare = roles.stream().map(RoleSpec::decided).toList();
    return like(
        name, queue, bare, placement, dependsOn, preemption, volumes, Collections.emptySortedMap());
  }

  /** Returns the spec with another name, preemption, labels and annotations. */
  public JobSpec replica(
      String newName,
      PreemptionSpec rules,
      SortedMap<String, String> newLabels,
      SortedMap<String, String> newAnnotations) {
    return like(newName, queue, roles, placement, dependsOn, rules, volumes, newAnnotations)
        .with(newLabels, gangRepair);
  }

  public JobSpec with(List<RoleSpec> others) {
    return like(name, queue, others, placement, dependsOn, preemption, volumes, annotations);
  }

  private JobSpec with(SortedMap<String, String> newLabels, @Nullable GangRepairSpec repair) {
    return copy(
        name,
        queue,
        roles,
        placement,
        dependsOn,
        preemption,
        volumes,
        newLabels,
        annotations,
        repair);
  }

  private JobSpec like(
      String newName,
      String newQueue,
      List<RoleSpec> newRoles,
      PlacementSpec newPlacement,
      List<Dependency> newDependencies,
      PreemptionSpec rules,
      List<VolumeSpec> newVolumes,
      SortedMap<String, String> newAnnotations) {
    return copy(
        newName,
        newQueue,
        newRoles,
        newPlacement,
        newDependencies,
        rules,
        newVolumes,
        labels,
        newAnnotations,
        gangRepair);
  }

  private JobSpec copy(
      String newName,
      String newQueue,
      List<RoleSpec> newRoles,
      PlacementSpec newPlacement,
      List<Dependency> newDependencies,
      PreemptionSpec rules,
      List<VolumeSpec> newVolumes,
      SortedMap<String, String> newLabels,
      SortedMap<String, String> newAnnotations,
      @Nullable GangRepairSpec repair) {
    return with()
        .name(newName)
        .queue(newQueue)
        .roles(newRoles)
        .placement(newPlacement)
        .dependsOn(newDependencies)
        .preemption(rules)
        .volumes(newVolumes)
        .labels(newLabels)
        .annotations(newAnnotations)
        .gangRepair(repair)
        .build();
  }

  /**
   * GPUs that one element requests for all members, in thousandths. Memory shares and slices are
   * not counted, because their device is not known yet.
   */
  public long gpuMilli() {
    return roles.stream().mapToLong(role -> role.count() * gpuMilli(role.gpu())).sum();
  }

  private static long gpuMilli(GpuRequest gpu) {
    return switch (gpu.kind()) {
      case WHOLE, FRACTION -> gpu.milliOn(0);
      case NONE, MEMORY, MIG -> 0;
    };
  }

  /** Maximum number of GPUs that one element uses for all members on any device, in thousandths. */
  public long mostGpuMilli() {
    return roles.stream().mapToLong(role -> role.count() * role.gpu().mostMilli()).sum();
  }

  /**
   * Returns whether the job's members get the credential of their attempt, with which they call the
   * service.
   */
  public boolean calls() {
    return preemption.checkpointTimeout() != null
        || progress != null
        || workdir != null
        || !outputs.isEmpty();
  }

  /** Returns whether the job is never evicted, so that it uses only nominal quota. */
  public boolean nonPreemptible() {
    return !preemption.allowed();
  }

  /**
   * Returns whether the job's attempts get that key: a role names it, or a volume mounts the whole
   * secret.
   */
  public boolean takes(String secret, String key) {
    return volumes.stream().anyMatch(volume -> secret.equals(volume.secret()))
        || roles.stream()
            .flatMap(role -> role.secretEnv().values().stream())
            .anyMatch(from -> from.secret().equals(secret) && from.key().equals(key));
  }

  /** Secrets of the project that the job names, each with the individual keys that it uses. */
  public SortedMap<String, SortedSet<String>> secrets() {
    SortedMap<String, SortedSet<String>> named = new TreeMap<>();
    for (RoleSpec role : roles) {
      role.secretEnv()
          .values()
          .forEach(from ->
              named.computeIfAbsent(from.secret(), name -> new TreeSet<>()).add(from.key()));
    }
    for (VolumeSpec volume : volumes) {
      if (volume.secret() != null) {
        named.computeIfAbsent(volume.secret(), name -> new TreeSet<>());
      }
    }
    return named;
  }

  /** Names of the volumes of the project that the job mounts. */
  public SortedSet<String> volumeNames() {
    SortedSet<String> names = new TreeSet<>();
    for (VolumeSpec mounted : volumes) {
      if (mounted.volume() != null) {
        names.add(mounted.volume());
      }
    }
    return names;
  }

  /** Members of one element, all roles. */
  public int members() {
    int members = 0;
    for (RoleSpec role : roles) {
      members += role.count();
    }
    return members;
  }

  /** Minimum number of members of one element, over all roles. */
  public int fewestMembers() {
    int members = 0;
    for (RoleSpec role : roles) {
      members += role.minCount();
    }
    return members;
  }

  /** Returns whether the job's number of members may change while it runs. */
  public boolean elastic() {
    return fewestMembers() < members();
  }

  public boolean gang() {
    return members() > 1;
  }
}
