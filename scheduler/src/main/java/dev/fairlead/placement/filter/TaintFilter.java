package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import dev.fairlead.node.Taint;

/**
 * Taints keep members out, except the ones that Fairlead sets itself (keys under {@code
 * fairlead.dev}) and the one that keeps pods without GPUs off GPU nodes, which every pod with GPUs
 * tolerates.
 */
public final class TaintFilter implements StandingFilter {
  private static final String OWN_DOMAIN = "fairlead.dev";
  static final String GPU_ONLY = "nvidia.com/gpu";

  @Override
  public String constraint() {
    return "TAINTS";
  }

  @Override
  public boolean admits(Cluster cluster, Node node) {
    for (Taint taint : node.taints()) {
      boolean hard = taint.effect().equals("NoSchedule") || taint.effect().equals("NoExecute");
      if (hard && !own(taint.key()) && !taint.key().equals(GPU_ONLY)) {
        return false;
      }
    }
    return true;
  }

  private static boolean own(String key) {
    int slash = key.indexOf('/');
    String domain = slash < 0 ? "" : key.substring(0, slash);
    return domain.equals(OWN_DOMAIN) || domain.endsWith("." + OWN_DOMAIN);
  }
}
