package dev.fairlead.placement.explain;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.PlacementSpec;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.resources.GpuRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * What a spec can say and this engine does not do yet, and amounts that make no sense: said, never
 * ignored.
 */
final class Unsupported {
  private Unsupported() {}

  static List<Blocker> of(GangShape gang) {
    List<Blocker> found = new ArrayList<>();
    if (gang.roles().isEmpty()) {
      found.add(Blockers.misconfigured("it has no members", "submit the job again"));
      return found;
    }
    PlacementSpec placement = gang.placement();
    if (!placement.avoidClasses().isEmpty()) {
      found.add(notYet("avoidClasses"));
    }
    if (placement.numa() == PlacementSpec.Numa.REQUIRED) {
      found.add(notYet("numa REQUIRED"));
    }
    if (gang.roles().stream().anyMatch(r -> !soundGpu(r.gpu()))) {
      found.add(
          Blockers.misconfigured("a role asks for less than nothing of a GPU", "correct gpu"));
    }
    grouped(gang, found);
    return found;
  }

  private static void grouped(GangShape gang, List<Blocker> found) {
    PlacementSpec placement = gang.placement();
    if (placement.spread() != null && gang.roles().size() > 1) {
      found.add(notYet("spread with several roles"));
    }
    PlacementSpec.Segment segment = placement.segment();
    if (segment != null && (gang.roles().size() > 1 || gang.elasticSteps() > 0)) {
      found.add(notYet("segment with several roles or elastic members"));
    } else if (segment != null
        && gang.roles().getFirst().count() % Math.max(1, segment.size()) != 0) {
      found.add(
          Blockers.misconfigured(
              "its members are no multiple of the segment size " + segment.size(),
              "change workers or segment"));
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

  private static Blocker notYet(String what) {
    return Blockers.misconfigured(what + " is not supported yet", "submit the job without it");
  }
}
