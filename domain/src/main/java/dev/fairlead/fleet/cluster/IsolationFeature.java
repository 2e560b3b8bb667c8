package dev.fairlead.fleet.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An isolation feature of a cluster that restricts jobs, or Fairlead itself.
 *
 * @param name name of the isolation: fence, networkPolicy, podSecurity, resourceQuota or scope
 * @param state result of a probe. ENFORCED only if the cluster refused it
 * @param reason reason why it is not enforced or unknown, null if it is enforced
 */
public record IsolationFeature(String name, State state, @Nullable String reason) {
  /** Refuses creates of a replaced supervisor. */
  public static final String FENCE = "fence";

  /**
   * Blocks unrequested traffic to the pods of a job, and the pods' access to the cluster's secrets.
   */
  public static final String NETWORK = "networkPolicy";

  /** Refuses pods that exceed Pod Security <i>restricted</i>. */
  public static final String POD_SECURITY = "podSecurity";

  /** Limits a project on the cluster to the admitted resources plus a margin. */
  public static final String QUOTA = "resourceQuota";

  /** Restricts Fairlead's writes to its own namespaces. */
  public static final String SCOPE = "scope";

  /** All names, in report order. */
  public static final List<String> NAMES = List.of(FENCE, NETWORK, POD_SECURITY, QUOTA, SCOPE);

  /** State of an isolation feature. A feature is enforced only if it refused a probe. */
  public enum State {
    ENFORCED,
    NOT_ENFORCED,
    UNKNOWN
  }

  /** Returns a feature that refused a probe. */
  public static IsolationFeature enforced(String name) {
    return new IsolationFeature(name, State.ENFORCED, null);
  }

  public static IsolationFeature notEnforced(String name, String reason) {
    return new IsolationFeature(name, State.NOT_ENFORCED, reason);
  }

  public static IsolationFeature unknown(String name, String reason) {
    return new IsolationFeature(name, State.UNKNOWN, reason);
  }
}
