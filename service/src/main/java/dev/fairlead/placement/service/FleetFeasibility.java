package dev.fairlead.placement.service;

import dev.fairlead.cluster.FleetSource;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.FeasibilityCheck;
import dev.fairlead.job.JobSpec;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Warns of jobs that could not run even if the fleet were idle. Its cost does not grow with the
 * fleet: each distinct shape is judged once for as long as the fleet is built the same way.
 */
@Component
public class FleetFeasibility implements FeasibilityCheck {
  static final String NOT_CHECKED =
      "fit was not checked, as the fleet could not be read in time; the job's explanation says"
          + " whether it can ever start";

  private final FleetSource fleet;
  private volatile @Nullable BuiltFleet built;

  public FleetFeasibility(FleetSource fleet) {
    this.fleet = fleet;
  }

  @Override
  public List<String> warnings(JobSpec spec) {
    Optional<FleetSource.Fleet> now = fleet.soon();
    return now.isEmpty() ? List.of(NOT_CHECKED) : warnings(spec, now.get());
  }

  private List<String> warnings(JobSpec spec, FleetSource.Fleet now) {
    return built(now).neverFits(spec).stream().map(Blocker::message).toList();
  }

  private BuiltFleet built(FleetSource.Fleet now) {
    BuiltFleet known = built;
    if (known == null || !known.describes(now)) {
      known = new BuiltFleet(now);
      built = known;
    }
    return known;
  }

  /** Empty too when the fleet cannot be read in time. */
  @Override
  public SortedSet<String> models() {
    return fleet.soon().map(now -> built(now).models()).orElseGet(TreeSet::new);
  }
}
