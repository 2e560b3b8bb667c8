package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;

/**
 * No GPU, node or quota is exceeded. Fails when Admission.admits or Admission.use is omitted, and
 * when Room ignores a resource.
 */
final class Bounds implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    World after = After.of(world, Planned.of(world).plan());
    Optional<String> node =
        after.nodes().stream()
            .filter(n -> !world.nodes().contains(n))
            .filter(n -> exceeded(n))
            .map(n -> n.name() + " is left with " + n.free() + " and " + n.gpus())
            .findFirst();
    QuotaTree tree = new QuotaTree(after.quotaNodes(), after.quotaUses());
    Optional<String> quota =
        after.quotaUses().stream()
            .filter(u -> !world.quotaUses().contains(u))
            .filter(u -> tree.available(u.node(), u.cell()) < 0)
            .map(QuotaUse::toString)
            .findFirst();
    return node.or(() -> quota);
  }

  private static boolean exceeded(Node node) {
    return node.free().cpuMilli() < 0
        || node.free().memoryMiB() < 0
        || node.free().gpuMilli() < 0
        || node.free().pods() < 0
        || node.gpus().stream().anyMatch(g -> g.allocatedMilli() > Gpu.WHOLE_MILLI)
        || node.gpus().stream().anyMatch(g -> overlapping(node, g));
  }

  /** Overlapping slices take fewer places than their number. */
  private static boolean overlapping(Node node, Gpu gpu) {
    return gpu.slices() != 0
        && MigGeometry.of(node.gpuModel()).orElseThrow().milli(gpu.slices())
            != gpu.allocatedMilli();
  }
}
