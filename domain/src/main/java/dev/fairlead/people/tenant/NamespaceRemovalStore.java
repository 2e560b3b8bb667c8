package dev.fairlead.people.tenant;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.util.List;

/** Stores namespaces to remove: a row for each cluster that may have one, until it is removed. */
public interface NamespaceRemovalStore {
  /**
   * Requests the removal of the namespaces of all projects of an archived tenant, on every cluster.
   * A namespace that a project of another tenant also uses is retained. A repeated request changes
   * nothing.
   */
  void want(TenantId tenant);

  /**
   * Requests the removal of the namespace of a deleted project, on every cluster, like {@link
   * #want(TenantId)}.
   */
  void want(Project project);

  /**
   * Returns the namespaces that are due, longest due first. A cluster with attempts of the project
   * that still must be cleaned up is omitted.
   */
  List<NamespaceRemoval> due(ClusterId cluster, int most);

  /**
   * Records a failed removal, to retry after the pause. Does nothing if it is no longer requested.
   */
  void later(NamespaceRemoval removal, String why, Duration pause);

  /** Records that the namespace does not exist, or that Fairlead must not remove it. */
  void done(NamespaceRemoval removal);

  /** Returns the namespaces that still exist after at least this number of tries, oldest first. */
  List<NamespaceRemoval> left(int tries, int most);
}
