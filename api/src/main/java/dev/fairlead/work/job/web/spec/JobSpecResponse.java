package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A spec with its shorthands expanded and its defaults filled in. A submit of the same spec creates
 * the same job. A job with a single role "worker" has the fields of that role at the top level, any
 * other job has roles.
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobSpecResponse(
    String name,
    String queue,
    String priorityClass,
    @Nullable String image,
    @Nullable String run,
    @Nullable List<String> command,
    @Nullable List<String> args,
    @Nullable List<String> setup,
    @Nullable SortedMap<String, String> env,
    SortedMap<String, RoleSpec.SecretKey> secretEnv,
    @Nullable Integer workers,
    @Nullable Integer minWorkers,
    @Nullable List<RoleResponse> roles,
    @Nullable GpuResponse gpu,
    @Nullable String cpu,
    @Nullable String memory,
    @Nullable String shm,
    boolean rdma,
    @Nullable TopologyResponse topology,
    PlacementSpec.@Nullable Segment segment,
    PlacementSpec.@Nullable Spread spread,
    @JsonProperty("class") @Nullable String jobClass,
    List<String> avoidClasses,
    PlacementSpec.Numa numa,
    PlacementResponse placement,
    String launcher,
    List<JobSpec.VolumeSpec> volumes,
    @Nullable String maxRuntime,
    @Nullable Instant notBefore,
    @Nullable Instant deadline,
    List<DependencyResponse> dependsOn,
    JobSpec.OnDependencyFailure onDependencyFailure,
    JobSpec.PreemptionSpec preemption,
    RetryPolicy retry,
    JobSpec.OnUnreachable onUnreachable,
    @Nullable String array,
    @Nullable SortedMap<String, Integer> licences,
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations,
    @Nullable PreflightResponse preflight,
    @Nullable ProgressResponse progress,
    @Nullable GangRepairSpec gangRepair,
    @Nullable WorkdirSpec workdir,
    @Nullable List<String> outputs,
    @Nullable String cloudIdentity,
    @Nullable String rayPool,
    @Nullable List<ContainerResponse> initContainers,
    @Nullable List<ContainerResponse> sidecars) {
  /**
   * Allowed places of a job. List order is order of preference, and an empty list of clusters or
   * pools means all.
   *
   * @param maxPricePerGpuHour highest acceptable price of a GPU-hour at the start, absent for any
   *     price
   * @param maxCost highest acceptable cost of an element until maxRuntime at the prices of the
   *     start, absent for any cost
   * @param currency currency of that price and cost
   * @param near terms that need a matching job in the domain of each member
   * @param away terms that allow no matching job in the domain of a member
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record PlacementResponse(
      List<String> clusters,
      List<String> pools,
      List<CapacityType> capacity,
      @JsonProperty("wait") SortedMap<CapacityType, String> waits,
      SortedMap<String, String> nodeLabels,
      @Nullable BigDecimal maxPricePerGpuHour,
      @Nullable BigDecimal maxCost,
      @Nullable String currency,
      List<PlacementSpec.JobTerm> near,
      List<PlacementSpec.JobTerm> away) {
    static PlacementResponse of(PlacementSpec placement) {
      SortedMap<CapacityType, String> waits = new TreeMap<>();
      placement.waits().forEach((type, wait) -> waits.put(type, DurationText.of(wait)));
      Money price = placement.maxPricePerGpuHour();
      Money cost = placement.maxCost();
      Money any = price == null ? cost : price;
      return JobSpecResponsePlacementResponseBuilder.builder()
          .clusters(placement.clusters())
          .pools(placement.pools())
          .capacity(placement.capacity())
          .nodeLabels(placement.nodeLabels())
          .near(placement.near())
          .away(placement.away())
          .waits(waits)
          .maxPricePerGpuHour(price == null ? null : price.amount())
          .maxCost(cost == null ? null : cost.amount())
          .currency(any == null ? null : any.currency())
          .build();
    }
  }

  /** The health test that the nodes of the job pass before it starts. */
  record PreflightResponse(String test, String timeout, PreflightSpec.OnUntested onUntested) {
    static @Nullable PreflightResponse of(@Nullable PreflightSpec spec) {
      return spec == null
          ? null
          : new PreflightResponse(spec.test(), DurationText.of(spec.timeout()), spec.onUntested());
    }
  }

  /** The maximum time without a progress report, or without activity. */
  record ProgressResponse(String timeout, ProgressSpec.OnTimeout onTimeout) {}

  /**
   * Another job that must meet a condition first.
   *
   * @param perElement whether each element of the array waits only for the element of the same
   *     index
   */
  record DependencyResponse(String job, Dependency.Condition condition, boolean perElement) {}

  public static JobSpecResponse of(JobSpec stored) {
    JobSpec spec = RayPoolJob.submitted(stored);
    RoleSpec first = spec.roles().getFirst();
    boolean workers =
        spec.roles().size() == 1
            && first.name().equals(RoleSpecs.WORKER)
            && first.topology() == null;
    RoleResponse only = workers ? RoleResponse.of(first) : null;
    PlacementSpec placement = spec.placement();
    return JobSpecResponseBuilder.builder()
        .name(spec.name())
        .queue(spec.queue())
        .priorityClass(spec.priorityClass().wire())
        .image(only == null ? null : only.image())
        .run(only == null ? null : only.run())
        .command(only == null ? null : only.command())
        .args(only == null ? null : only.args())
        .setup(only == null ? null : only.setup())
        .env(only == null ? null : only.env())
        .secretEnv(first.secretEnv())
        .workers(only == null ? null : only.count())
        .minWorkers(only == null ? null : only.minCount())
        .roles(workers ? null : spec.roles().stream().map(RoleResponse::of).toList())
        .gpu(only == null ? null : only.gpu())
        .cpu(only == null ? null : only.cpu())
        .memory(only == null ? null : only.memory())
        .shm(only == null ? null : only.shm())
        .rdma(first.rdma())
        .topology(TopologyResponse.of(placement.topology()))
        .segment(placement.segment())
        .spread(placement.spread())
        .jobClass(placement.jobClass())
        .avoidClasses(placement.avoidClasses())
        .numa(placement.numa())
        .placement(PlacementResponse.of(placement))
        .launcher(spec.launcher())
        .volumes(spec.volumes())
        .maxRuntime(text(spec.maxRuntime()))
        .notBefore(spec.notBefore())
        .deadline(spec.deadline())
        .dependsOn(
            spec.dependsOn().stream()
                .map(d -> new DependencyResponse(d.job().text(), d.condition(), d.perElement()))
                .toList())
        .onDependencyFailure(spec.onDependencyFailure())
        .preemption(spec.preemption())
        .retry(spec.retry())
        .onUnreachable(spec.onUnreachable())
        .array(array(spec.array()))
        .licences(spec.licences().isEmpty() ? null : spec.licences())
        .labels(ofOwner(spec.labels()))
        .annotations(brought(spec.annotations()))
        .preflight(PreflightResponse.of(spec.preflight()))
        .progress(
            spec.progress() == null
                ? null
                : new ProgressResponse(
                    DurationText.of(spec.progress().timeout()), spec.progress().onTimeout()))
        .gangRepair(spec.gangRepair())
        .workdir(spec.workdir())
        .outputs(spec.outputs().isEmpty() ? null : spec.outputs())
        .cloudIdentity(spec.cloudIdentity())
        .rayPool(RayPoolJob.pool(spec))
        .initContainers(only == null ? null : only.initContainers())
        .sidecars(only == null ? null : only.sidecars())
        .build();
  }

  /** Values that the service added cannot be submitted again. */
  private static SortedMap<String, String> brought(SortedMap<String, String> annotations) {
    SortedMap<String, String> brought = new TreeMap<>(annotations);
    brought.remove(TraceContext.REQUEST);
    return brought;
  }

  private static SortedMap<String, String> ofOwner(SortedMap<String, String> labels) {
    SortedMap<String, String> owned = new TreeMap<>(labels);
    owned.keySet().removeIf(key -> key.startsWith(ObjectNames.LABEL_PREFIX));
    return owned;
  }

  private static @Nullable String text(@Nullable Duration duration) {
    return duration == null ? null : DurationText.of(duration);
  }

  private static @Nullable String array(@Nullable ArrayRange range) {
    return range == null ? null : range.text();
  }
}
