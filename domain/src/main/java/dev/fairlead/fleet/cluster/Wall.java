package dev.fairlead.fleet.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something on a cluster that keeps jobs, or Fairlead itself, from what they may not do there.
 *
 * @param name one of {@link #NAMES}
 * @param state what a probe on the cluster found
 * @param reason for people: why it is not enforced or not known; null when it is enforced
 */
public record Wall(String name, State state, @Nullable String reason) {
  /** Creates of a supervisor that was replaced are refused. */
  public static final String FENCE = "fence";

  /**
   * What a job did not ask for does not reach its pods, nor do they reach the cluster's secrets.
   */
  public static final String NETWORK = "networkPolicy";

  /** Pods that ask for more than Pod Security <i>restricted</i> are refused. */
  public static final String POD_SECURITY = "podSecurity";

  /** A project holds on the cluster no more than what was admitted there, and some room. */
  public static final String QUOTA = "resourceQuota";

  /** Fairlead writes in its own namespaces alone. */
  public static final String SCOPE = "scope";

  /** All, in the order in which they are told. */
  public static final List<String> NAMES = List.of(FENCE, NETWORK, POD_SECURITY, QUOTA, SCOPE);

  /** What is known of a wall; only what refused a probe is enforced. */
  public enum State {
    ENFORCED,
    NOT_ENFORCED,
    UNKNOWN
  }

  /** It refused a probe. */
  public static Wall enforced(String name) {
    return new Wall(name, State.ENFORCED, null);
  }

  public static Wall notEnforced(String name, String reason) {
    return new Wall(name, State.NOT_ENFORCED, reason);
  }

  public static Wall unknown(String name, String reason) {
    return new Wall(name, State.UNKNOWN, reason);
  }
}
