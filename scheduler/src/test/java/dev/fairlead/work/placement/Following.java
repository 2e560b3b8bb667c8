package dev.fairlead.work.placement;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpecBuilder;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Changes a job's spec as a near miss suggests. */
public final class Following {
  private static final Pattern OF_ROLE = Pattern.compile("roles\\[(\\d+)]\\.(.*)");

  private Following() {}

  public static World of(World world, PendingJob pending, NearMiss miss) {
    Job job = pending.job();
    Job changed =
        new Job(
            job.id(),
            job.tenant(),
            job.project(),
            job.queue(),
            job.name(),
            job.user(),
            changed(job.spec(), miss),
            job.priority(),
            job.createdAt(),
            job.run(),
            job.array(),
            List.of(),
            job.version());
    PendingJob other =
        new PendingJob(changed, pending.offers(), pending.unmet(), pending.deadDependency());
    return world.toBuilder()
        .pending(world.pending().stream().map(p -> p == pending ? other : p).toList())
        .build();
  }

  private static JobSpec changed(JobSpec spec, NearMiss miss) {
    Matcher ofRole = OF_ROLE.matcher(miss.field());
    if (ofRole.matches()) {
      return roles(
          spec, Integer.parseInt(ofRole.group(1)), r -> role(r, ofRole.group(2), miss.to()));
    }
    return switch (miss.field()) {
      case "topology" -> placed(spec, p -> p.topology(preferred(miss.to())));
      case "segment" -> placed(spec, p -> p.segment(null));
      case "spread" -> placed(spec, p -> p.spread(null));
      case "placement.clusters" -> placed(spec, p -> p.clusters(names(miss)));
      case "placement.capacity" -> placed(spec, p -> p.capacity(types(miss)));
      case "placement.wait" -> placed(spec, p -> p.waits(new TreeMap<>()));
      case "preemption.allowed" -> preemptible(spec);
      case "maxRuntime" -> lasting(spec, DurationText.parse(miss.to()).orElseThrow());
      case "placement.nodeLabels" -> placed(spec, p -> p.nodeLabels(new TreeMap<>()));
      case "placement.near" -> placed(spec, p -> p.near(List.of()));
      case "placement.away" -> placed(spec, p -> p.away(List.of()));
      default -> roles(spec, 0, r -> role(r, miss.field(), miss.to()));
    };
  }

  private static List<String> names(NearMiss miss) {
    return List.of(miss.to().split(","));
  }

  private static List<CapacityType> types(NearMiss miss) {
    return names(miss).stream().map(CapacityType::valueOf).toList();
  }

  private static TopologySpec preferred(String text) {
    return new TopologySpec(text.replace("prefer ", ""), TopologySpec.Mode.PREFERRED);
  }

  private static RoleSpec role(RoleSpec r, String field, String to) {
    GpuRequest gpu = r.gpu();
    return switch (field) {
      case "workers", "count" ->
          role(r, Integer.parseInt(to), Integer.parseInt(to), gpu, r.topology());
      case "minWorkers", "minCount" -> role(r, r.count(), Integer.parseInt(to), gpu, r.topology());
      case "gpu.count" ->
          role(
              r,
              r.count(),
              r.minCount(),
              gpu(gpu, Integer.parseInt(to), gpu.models(), gpu.minMemoryMiB()),
              r.topology());
      case "gpu.model" ->
          role(
              r,
              r.count(),
              r.minCount(),
              gpu(gpu, gpu.count(), List.of(to), gpu.minMemoryMiB()),
              r.topology());
      case "gpu.minMemory" ->
          role(r, r.count(), r.minCount(), gpu(gpu, gpu.count(), gpu.models(), 0), r.topology());
      case "topology" -> role(r, r.count(), r.minCount(), gpu, preferred(to));
      default -> throw new AssertionError("unknown near miss " + field);
    };
  }

  private static GpuRequest gpu(GpuRequest g, int count, List<String> models, long minMemory) {
    return new GpuRequest(
        g.kind(), count, g.fractionMilli(), g.memoryMiB(), g.migProfile(), models, minMemory);
  }

  private static RoleSpec role(
      RoleSpec r, int count, int minCount, GpuRequest gpu, TopologySpec topology) {
    return r.with().count(count).minCount(minCount).gpu(gpu).topology(topology).build();
  }

  private static JobSpec roles(JobSpec spec, int index, UnaryOperator<RoleSpec> change) {
    List<RoleSpec> roles = new ArrayList<>(spec.roles());
    roles.set(index, change.apply(roles.get(index)));
    return with(spec, roles, spec.placement());
  }

  private static JobSpec placed(JobSpec spec, UnaryOperator<PlacementSpecBuilder> change) {
    return with(spec, spec.roles(), change.apply(spec.placement().with()).build());
  }

  private static JobSpec with(JobSpec s, List<RoleSpec> roles, PlacementSpec placement) {
    return with(s, roles, placement, s.maxRuntime(), s.preemption());
  }

  private static JobSpec lasting(JobSpec s, Duration maxRuntime) {
    return with(s, s.roles(), s.placement(), maxRuntime, s.preemption());
  }

  private static JobSpec preemptible(JobSpec s) {
    JobSpec.PreemptionSpec rules = s.preemption();
    return with(
        s,
        s.roles(),
        s.placement(),
        s.maxRuntime(),
        new JobSpec.PreemptionSpec(true, rules.gracePeriod(), rules.minRuntime()));
  }

  private static JobSpec with(
      JobSpec s,
      List<RoleSpec> roles,
      PlacementSpec placement,
      Duration maxRuntime,
      JobSpec.PreemptionSpec preemption) {
    return s.with()
        .roles(roles)
        .placement(placement)
        .maxRuntime(maxRuntime)
        .preemption(preemption)
        .preflight(null)
        .gangRepair(null)
        .build();
  }
}
