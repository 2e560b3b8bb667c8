package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is counted: one resource of one flavor. */
public record QuotaCell(Flavor flavor, String resource) implements Comparable<QuotaCell> {
  /**
   * Where it counts: slices that a cluster offers as a resource of their own are parts of GPUs, any
   * other resource counts as itself.
   */
  public QuotaCell counted() {
    return MigResource.profile(resource) == null ? this : new QuotaCell(flavor, ResourceNames.GPU);
  }

  /** What one of the resource counts there, in base units. */
  public long each() {
    String profile = MigResource.profile(resource);
    return profile == null ? 1 : MigGeometry.milli(flavor.model(), profile);
  }

  /** The GPUs of what is charged, in thousandths by model; nothing for a model without any. */
  public static SortedMap<String, Long> gpuMilli(Map<QuotaCell, Long> charges) {
    SortedMap<String, Long> gpuMilli = new TreeMap<>();
    charges.forEach((cell, amount) -> {
      if (cell.resource.equals(ResourceNames.GPU) && amount > 0) {
        gpuMilli.merge(cell.flavor.model(), amount, Saturating::plus);
      }
    });
    return gpuMilli;
  }

  @Override
  public int compareTo(QuotaCell other) {
    int byFlavor = flavor.compareTo(other.flavor);
    return byFlavor != 0 ? byFlavor : resource.compareTo(other.resource);
  }
}
