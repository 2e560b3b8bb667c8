package dev.fairlead.work.placement.laws;

import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.List;

/** Specs that request less than another spec. */
final class SmallerSpecs {
  private SmallerSpecs() {}

  static JobSpec with(JobSpec s, List<RoleSpec> roles, PlacementSpec placement) {
    return s.with().roles(roles).placement(placement).preflight(null).gangRepair(null).build();
  }

  /** The role with one member less. */
  static RoleSpec fewer(RoleSpec r) {
    int count = r.count() - 1;
    return r.sized(count, Math.min(r.minCount(), count));
  }
}
