package dev.fairlead.placement.service;

import dev.fairlead.cluster.FleetSource;
import dev.fairlead.cluster.Node;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.FeasibilityCheck;
import dev.fairlead.job.JobSpec;
import dev.fairlead.placement.Feasibility;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Warns of jobs that could not run even if the fleet were idle. */
@Component
public class FleetFeasibility implements FeasibilityCheck {
  private final FleetSource fleet;

  public FleetFeasibility(FleetSource fleet) {
    this.fleet = fleet;
  }

  @Override
  public List<String> warnings(JobSpec spec) {
    FleetSource.Fleet now = fleet.now();
    return Feasibility.neverFits(spec, now.clusters(), now.nodes()).stream()
        .map(Blocker::message)
        .toList();
  }

  @Override
  public SortedSet<String> models() {
    return fleet.now().nodes().stream()
        .map(Node::gpuModel)
        .filter(model -> !model.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
