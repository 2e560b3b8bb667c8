package dev.fairlead.work.schedule.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/**
 * The current rights of the owners of schedules. Only stored memberships count: the roles of a
 * sign-in end with it. Administrators without an account have no membership.
 */
@Component
class ScheduleOwners {
  private static final String SUBMIT = "submitJob";
  private final MembershipStore memberships;
  private final TenantStore tenants;

  ScheduleOwners(MembershipStore memberships, TenantStore tenants) {
    this.memberships = memberships;
    this.tenants = tenants;
  }

  /**
   * Returns the owner, in whose name a job is submitted. Its memberships remain until the open
   * transaction ends.
   *
   * @throws Refusal FORBIDDEN when it may not submit to the project any more, ILLEGAL_STATE for an
   *     archived tenant
   */
  Actor actor(TenantId tenant, Project project, String owner) {
    boolean active =
        tenants.tenant(tenant).filter(each -> each.state() == Tenant.State.ACTIVE).isPresent();
    if (!active) {
      throw new Refusal(ProblemCode.ILLEGAL_STATE, "This tenant is archived.");
    }
    if (Principal.reserved(owner)) {
      return new Actor(tenant, owner, Role.TENANT_MEMBER);
    }
    Actor actor =
        new Principal(
                owner,
                Principal.Kind.of(owner),
                tenant,
                new TreeSet<>(),
                memberships.locked(tenant, owner),
                null,
                List.of())
            .at(project.id());
    Permissions.require(actor, SUBMIT);
    return actor;
  }
}
