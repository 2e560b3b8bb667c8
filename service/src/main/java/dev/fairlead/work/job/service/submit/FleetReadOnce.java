package dev.fairlead.work.job.service.submit;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** The fleet of one request, read at its first use. Not thread-safe. */
final class FleetReadOnce implements FeasibilityCheck.OfFleet {
  private final FeasibilityCheck feasibility;
  private FeasibilityCheck.@Nullable OfFleet fleet;

  FleetReadOnce(FeasibilityCheck feasibility) {
    this.feasibility = feasibility;
  }

  private FeasibilityCheck.OfFleet fleet() {
    FeasibilityCheck.OfFleet known = fleet;
    if (known == null) {
      known = feasibility.now();
      fleet = known;
    }
    return known;
  }

  @Override
  public List<String> warnings(Job job) {
    return fleet().warnings(job);
  }

  @Override
  public SortedMap<String, String> stoppedBackends() {
    return fleet().stoppedBackends();
  }

  @Override
  public SortedSet<String> models() {
    return fleet().models();
  }
}
