package dev.fairlead.placement.service;

import dev.fairlead.cluster.FleetSource;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.FeasibilityCheck;
import dev.fairlead.job.Job;
import java.util.List;
import java.util.SortedSet;
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

  private static final OfFleet UNREAD = job -> List.of(NOT_CHECKED);

  private final FleetSource fleet;
  private volatile @Nullable BuiltFleet built;

  public FleetFeasibility(FleetSource fleet) {
    this.fleet = fleet;
  }

  /** Models are none too when the fleet cannot be read in time. */
  @Override
  public OfFleet now() {
    return fleet.soon().<OfFleet>map(seen -> new Judging(built(seen))).orElse(UNREAD);
  }

  private record Judging(BuiltFleet fleet) implements OfFleet {
    @Override
    public List<String> warnings(Job job) {
      return fleet.neverFits(job).stream().map(Blocker::message).toList();
    }

    @Override
    public SortedSet<String> models() {
      return fleet.models();
    }
  }

  private BuiltFleet built(FleetSource.Fleet now) {
    BuiltFleet known = built;
    if (known == null || !known.describes(now)) {
      known = new BuiltFleet(now);
      built = known;
    }
    return known;
  }
}
