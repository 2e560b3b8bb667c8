package dev.fairlead.work.placement.explain;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.ArrayList;
import java.util.List;

/** Reports invalid amounts and contradictory requests, which are never ignored. */
final class Unsupported {
  private Unsupported() {}

  static List<Blocker> of(GangShape gang) {
    List<Blocker> found = new ArrayList<>();
    if (gang.roles().isEmpty()) {
      found.add(Blockers.misconfigured("it has no members", "submit the job again"));
      return found;
    }
    if (gang.roles().stream().anyMatch(r -> !soundGpu(r.gpu()))) {
      found.add(Blockers.misconfigured("a role requests a negative part of a GPU", "correct gpu"));
    }
    grouped(gang, found);
    return found;
  }

  /**
   * A segment must be complete, even with the minimum number of members. A role smaller than a
   * segment stays together next to a larger role.
   */
  private static void grouped(GangShape gang, List<Blocker> found) {
    PlacementSpec.Segment segment = gang.placement().segment();
    int whole = segment == null ? 1 : segment.size();
    boolean small = gang.roles().stream().allMatch(r -> r.count() < whole);
    for (MemberShape role : gang.roles()) {
      int size = small ? whole : gang.grouped(role);
      if (role.count() % size != 0 || role.minCount() % size != 0) {
        found.add(
            Blockers.misconfigured(
                "the members of " + role.name() + " are not a multiple of the segment size " + size,
                "change workers or segment"));
      }
    }
  }

  private static boolean soundGpu(GpuRequest gpu) {
    return switch (gpu.kind()) {
      case NONE -> true;
      case WHOLE, MIG -> gpu.count() > 0;
      case FRACTION -> gpu.fractionMilli() > 0;
      case MEMORY -> gpu.memoryMiB() > 0;
    };
  }
}
