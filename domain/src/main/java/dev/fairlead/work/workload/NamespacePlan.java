package dev.fairlead.work.workload;

import dev.fairlead.people.tenant.Egress;

/**
 * Special settings for the namespace of a project on a cluster.
 *
 * @param egress destinations that its pods may reach
 */
public record NamespacePlan(String namespace, Egress egress) {
  /** Settings of the namespaces of all other projects. */
  public static NamespacePlan usual(String namespace) {
    return new NamespacePlan(namespace, Egress.OPEN);
  }
}
