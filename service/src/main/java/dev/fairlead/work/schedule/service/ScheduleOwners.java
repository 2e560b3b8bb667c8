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
import dev.fairlead.work.schedule.Schedule;
import java.util.List;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/**
 * The current rights of the owners of schedules. Only stored memberships count, because roles of a
 * sign-in end with the session. An administrator needs no membership.
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
   * Returns the owner on whose behalf a job is submitted. Its memberships remain until the open
   * transaction ends.
   *
   * @throws Refusal FORBIDDEN when it may no longer submit to the project, ILLEGAL_STATE for an
   *     archived tenant
   */
  Actor of(Schedule schedule, TenantId tenant, Project project) {
    boolean active =
        tenants.tenant(tenant).filter(each -> each.state() == Tenant.State.ACTIVE).isPresent();
    if (!active) {
      throw new Refusal(ProblemCode.ILLEGAL_STATE, "This tenant is archived.");
    }
    return schedule.administrator()
        ? new Actor(tenant, schedule.owner(), Role.TENANT_MEMBER)
        : member(tenant, project, schedule.owner());
  }

  /**
   * Returns the member with its stored roles in the project.
   *
   * @throws Refusal FORBIDDEN when it may not submit to the project
   */
  Actor member(TenantId tenant, Project project, String name) {
    Actor actor =
        new Principal(
                name,
                Principal.Kind.of(name),
                tenant,
                new TreeSet<>(),
                memberships.locked(tenant, name),
                null,
                List.of())
            .at(project.id());
    Permissions.require(actor, SUBMIT);
    return actor;
  }
}
