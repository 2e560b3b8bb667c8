package dev.fairlead.care.health;

import dev.fairlead.kernel.identity.ClusterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What repairs the machines of a cluster, and is asked by webhook or by annotations of the nodes.
 *
 * @param steps that it is asked for, the weakest first; the others wait for operators
 * @param tests whether it tests a machine after each step; one that passes comes back into use
 * @param url begins with https; null for a janitor of the cluster, asked by annotations
 * @param caData base64 of the PEM certificates that sign its own; null for the public ones
 */
public record Repairer(
    ClusterId cluster,
    List<RepairStep> steps,
    boolean tests,
    @Nullable String url,
    @Nullable String caData,
    long version) {
  public Repairer {
    steps = steps.stream().distinct().sorted().toList();
  }

  /** What the key that signs the calls about the cluster is derived for. */
  public static String signs(ClusterId cluster) {
    return "fairlead/repair/" + cluster.text();
  }
}
