package dev.fairlead.quota;

import dev.fairlead.resources.Flavor;

/** What is counted: one resource of one flavor. */
public record QuotaCell(Flavor flavor, String resource) implements Comparable<QuotaCell> {
  @Override
  public int compareTo(QuotaCell other) {
    int byFlavor = flavor.compareTo(other.flavor);
    return byFlavor != 0 ? byFlavor : resource.compareTo(other.resource);
  }
}
