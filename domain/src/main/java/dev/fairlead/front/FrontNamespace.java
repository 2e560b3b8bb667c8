package dev.fairlead.front;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;

/**
 * A namespace of a front cluster with Jobs that a project runs. Jobs in other namespaces are not
 * adopted.
 *
 * @param by the actor that mapped it
 */
public record FrontNamespace(
    ClusterId cluster,
    String namespace,
    TenantId tenant,
    ProjectId project,
    String by,
    Instant mappedAt) {
  /** Maximum number in one installation. */
  public static final int MOST = 1000;
}
