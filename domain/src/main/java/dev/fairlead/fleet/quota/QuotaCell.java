package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The unit of quota: one resource of one flavor. */
public record QuotaCell(Flavor flavor, String resource) implements Comparable<QuotaCell> {
  /**
   * Returns the cell in which the resource counts. MIG slices that a cluster offers as a separate
   * resource count as GPUs, and any other resource counts as itself.
   */
  public QuotaCell counted() {
    return MigResource.profile(resource) == null ? this : new QuotaCell(flavor, ResourceNames.GPU);
  }

  /** Returns the base units for one unit of the resource in that cell. */
  public long each() {
    String profile = MigResource.profile(resource);
    return profile == null ? 1 : MigGeometry.milli(flavor.model(), profile);
  }

  /** Returns the charged thousandths of GPUs by model. Models without GPUs are omitted. */
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
