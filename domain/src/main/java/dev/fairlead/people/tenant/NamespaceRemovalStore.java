package dev.fairlead.people.tenant;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.util.List;

/**
 * Namespaces that are to be removed: a row for each cluster that may have one, until it is gone.
 */
public interface NamespaceRemovalStore {
  /**
   * Those of all projects of a tenant that is archived, on every cluster; one that a project of
   * another tenant has too stays. Wanted again nothing changes.
   */
  void want(TenantId tenant);

  /** That of a project that is deleted, on every cluster, as {@link #want(TenantId)}. */
  void want(Project project);

  /**
   * Those whose time has come and on whose cluster no attempt of the project is left to be cleared
   * away, the longest due first.
   */
  List<NamespaceRemoval> due(ClusterId cluster, int most);

  /** It is there still, and tried again after the pause; nothing if it is wanted no more. */
  void later(NamespaceRemoval removal, String why, Duration pause);

  /** It is not there, or not Fairlead's to remove. */
  void done(NamespaceRemoval removal);

  /** Those that were tried so often or more and are there still, the oldest first. */
  List<NamespaceRemoval> left(int tries, int most);
}
