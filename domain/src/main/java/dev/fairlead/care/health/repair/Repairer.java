package dev.fairlead.care.health.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The repairer of a cluster's machines, called by webhook or driven by node annotations.
 *
 * @param steps steps that it performs, weakest first. Other steps wait for operators
 * @param tests whether it tests a machine after each step, and a machine that passes returns to use
 * @param url starts with https, null for a repairer inside the cluster, driven by annotations
 * @param caData base64 of the PEM certificates that sign its certificate, null for public
 *     authorities
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

  /** Returns the derivation label of the key that signs calls about the cluster. */
  public static String signs(ClusterId cluster) {
    return "fairlead/repair/" + cluster.text();
  }
}
