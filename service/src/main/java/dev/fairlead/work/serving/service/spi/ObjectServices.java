package dev.fairlead.work.serving.service.spi;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceOwner;
import java.util.SortedMap;

/** Model services that objects of front clusters own. */
public interface ObjectServices {
  /**
   * Services of all tenants that objects of the cluster own, by UID of the object.
   *
   * @param cluster its name
   */
  SortedMap<String, OwnedService> owned(String cluster);

  /** A spec that was read. */
  @FunctionalInterface
  interface Spec {
    /**
     * Adds the service, or changes it as a user's apply does.
     *
     * @throws dev.fairlead.kernel.problem.Refusal as an apply, and NAME_IN_USE for the service of
     *     another owner
     * @throws dev.fairlead.kernel.transaction.FenceLost when another process has the lease
     */
    void apply(HeldLease lease, ServiceOwner owner);
  }

  /**
   * Reads a spec like an apply to the project.
   *
   * @param json an object
   * @throws dev.fairlead.kernel.problem.Refusal for an invalid spec
   */
  Spec read(Actor actor, Project project, String name, String json);

  /**
   * Begins to delete the service. Has no effect if it does not exist, or belongs to another owner.
   *
   * @throws dev.fairlead.kernel.transaction.FenceLost when another process has the lease
   */
  void remove(HeldLease lease, Actor actor, OwnedService service);
}
