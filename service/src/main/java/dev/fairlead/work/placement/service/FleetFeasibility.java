package dev.fairlead.work.placement.service;

import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.placement.Feasibility;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Warns of jobs that could not run even on an idle fleet. Its cost does not grow with the fleet:
 * each distinct shape is judged once while the hardware does not change.
 */
@Component
public class FleetFeasibility implements FeasibilityCheck {
  static final String NOT_CHECKED =
      "whether the job fits was not checked, because the fleet could not be read in time. The"
          + " job's explanation shows whether it can ever start.";

  private static final OfFleet UNREAD = job -> List.of(NOT_CHECKED);

  private final FleetSource fleet;
  private final SupplyStore supplies;
  private volatile @Nullable BuiltFleet built;

  public FleetFeasibility(FleetSource fleet, SupplyStore supplies) {
    this.fleet = fleet;
    this.supplies = supplies;
  }

  /** The result also has no models if the fleet cannot be read in time. */
  @Override
  public OfFleet now() {
    return fleet.soon().map(this::judging).orElse(UNREAD);
  }

  @Override
  public OfFleet afresh() {
    return judging(fleet.afresh());
  }

  private OfFleet judging(FleetSource.Fleet seen) {
    return new Judging(built(seen), new AskedOnce(seen, supplies));
  }

  private record Judging(BuiltFleet fleet, AskedOnce supplied) implements OfFleet {
    @Override
    public List<String> warnings(Job job) {
      Optional<Blocker> never = fleet.neverFits(job);
      return never.isEmpty() || supplied.mayHold(job) ? List.of() : List.of(never.get().message());
    }

    @Override
    public SortedMap<String, String> stoppedBackends() {
      return fleet.stoppedBackends();
    }

    @Override
    public SortedSet<String> models() {
      return fleet.models();
    }
  }

  /** Reads the nodes that provisioners could add, once a job does not fit the fleet. */
  private static final class AskedOnce {
    private final FleetSource.Fleet fleet;
    private final SupplyStore supplies;
    private @Nullable List<SupplyOffer> offers;
    private @Nullable Feasibility known;

    AskedOnce(FleetSource.Fleet fleet, SupplyStore supplies) {
      this.fleet = fleet;
      this.supplies = supplies;
    }

    synchronized boolean mayHold(Job job) {
      List<SupplyOffer> read = offers == null ? supplies.offers() : offers;
      offers = read;
      if (read.isEmpty()) {
        return false;
      }
      Feasibility supplied =
          known == null ? new Feasibility(fleet.clusters(), fleet.nodes(), read) : known;
      known = supplied;
      return supplied.neverFits(job).isEmpty();
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
