package dev.fairlead.workload;

import dev.fairlead.tenant.Egress;

/**
 * How a cluster keeps the namespace of a project, where its project asks for something else than
 * all others.
 *
 * @param egress what pods in it may reach
 * @param abandoned whether its project is that of an archived tenant and nothing is launched there
 *     any more: it is removed once nothing lives in it
 */
public record NamespacePlan(String namespace, Egress egress, boolean abandoned) {
  /** As long as its project lives. */
  public NamespacePlan(String namespace, Egress egress) {
    this(namespace, egress, false);
  }

  /** As the namespaces of all other projects. */
  public static NamespacePlan usual(String namespace) {
    return new NamespacePlan(namespace, Egress.OPEN);
  }
}
