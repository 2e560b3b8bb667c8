package dev.fairlead.care.health;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Role;
import java.util.Collections;
import java.util.Set;

/** Decides which callers may report faults of a cluster. */
public final class Reporter {
  private static final Set<Role> FREE = Set.of(Role.ADMIN, Role.OPERATOR);

  private Reporter() {}

  /**
   * Restricts a monitor to the cluster of its token, because its reports stop jobs.
   *
   * @throws Refusal FORBIDDEN for a monitor of another cluster, and for a token without a cluster
   */
  public static void require(Actor actor, Cluster cluster) {
    require(actor, cluster, "reportHealthEvents");
  }

  /**
   * Applies the same restriction to another operation of monitors.
   *
   * @throws Refusal FORBIDDEN
   */
  public static void require(Actor actor, Cluster cluster, String operation) {
    Permissions.require(actor, operation);
    Credential used = actor.credential();
    boolean bound = Collections.disjoint(actor.roles(), FREE);
    if (bound && (used == null || !cluster.id().value().equals(used.cluster()))) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          ("%s can only report for the cluster of its token, which is not %s. Create a token with"
                  + " the role monitor for this cluster.")
              .formatted(actor.name(), cluster.name()));
    }
  }
}
