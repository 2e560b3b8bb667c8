package dev.fairlead.work.placement.explain;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Searches single changes of the resources that members request. Fields have their names in the
 * API.
 */
final class NearMisses {
  private final GangShape gang;
  private final NearMissTrial trial;

  private NearMisses(GangShape gang, NearMissTrial trial) {
    this.gang = gang;
    this.trial = trial;
  }

  /** Tries every single change: first of the members, then of their placement. */
  static void search(GangShape gang, NearMissTrial trial) {
    NearMisses search = new NearMisses(gang, trial);
    for (MemberShape role : gang.roles()) {
      search.fewerMembers(role);
      if (role.asksGpu()) {
        search.fewerGpus(role);
        search.otherModel(role);
        search.lessDeviceMemory(role);
      }
    }
    PlacementChanges.search(gang, trial);
  }

  private void fewerMembers(MemberShape role) {
    PlacementSpec.Segment segment = gang.placement().segment();
    String field =
        role.elastic() ? field(role, "minWorkers", "minCount") : field(role, "workers", "count");
    trial.offerLargest(
        field,
        role.minCount(),
        segment == null ? 1 : segment.size(),
        n -> gang.with(role.times(n)));
  }

  private void fewerGpus(MemberShape role) {
    GpuRequest gpu = role.gpu();
    trial.offerLargest(
        field(role, "gpu.count", "gpu.count"),
        Math.max(1, role.wholeGpus()),
        1,
        n ->
            gang.with(
                role.asking(
                    new GpuRequest(gpu.kind(), n, 0, 0, null, gpu.models(), gpu.minMemoryMiB()))));
  }

  private void otherModel(MemberShape role) {
    NavigableSet<String> there = new TreeSet<>();
    trial.fleet().clusters().forEach(c -> c.models().forEach(there::add));
    there.remove(Flavor.CPU);
    String from = String.join(",", role.gpu().models());
    for (String model : there) {
      if (!role.gpu().accepts(model, Long.MAX_VALUE)) {
        GpuRequest other = asking(role.gpu(), List.of(model), role.gpu().minMemoryMiB());
        trial.offer(
            field(role, "gpu.model", "gpu.model"), from, model, gang.with(role.asking(other)));
      }
    }
  }

  private void lessDeviceMemory(MemberShape role) {
    GpuRequest gpu = role.gpu();
    if (gpu.minMemoryMiB() > 0) {
      String from = Quantity.ofMebibytes(gpu.minMemoryMiB());
      GpuRequest any = asking(gpu, gpu.models(), 0);
      trial.offer(
          field(role, "gpu.minMemory", "gpu.minMemory"), from, "0", gang.with(role.asking(any)));
    }
  }

  private static GpuRequest asking(GpuRequest gpu, List<String> models, long minMemoryMiB) {
    return new GpuRequest(
        gpu.kind(),
        gpu.count(),
        gpu.fractionMilli(),
        gpu.memoryMiB(),
        gpu.migProfile(),
        models,
        minMemoryMiB);
  }

  /**
   * Returns the name of the job's field if the job has one role, named as {@code workers} does,
   * else of the role's field.
   */
  private String field(MemberShape role, String ofJob, String ofRole) {
    boolean one = gang.roles().size() == 1 && role.name().equals("worker");
    return one ? ofJob : "roles[" + role.role() + "]." + ofRole;
  }
}
