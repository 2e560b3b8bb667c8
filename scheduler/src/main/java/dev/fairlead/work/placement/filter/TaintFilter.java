package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.Taint;

/**
 * Refuses tainted nodes. Exceptions are the taints of Fairlead (keys under {@code fairlead.dev},
 * but not the quarantine of another installation) and the taint that repels pods without GPUs from
 * GPU nodes, which every pod with GPUs tolerates.
 */
public final class TaintFilter implements StandingFilter {
  @Override
  public String constraint() {
    return "TAINTS";
  }

  @Override
  public boolean admits(Cluster cluster, Node node) {
    return node.taints().stream().noneMatch(Taint::keepsJobsOut);
  }
}
