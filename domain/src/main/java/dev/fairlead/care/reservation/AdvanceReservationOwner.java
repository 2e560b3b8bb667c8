package dev.fairlead.care.reservation;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;

/**
 * The project that an advance reservation is for.
 *
 * @param name name of the project, unique in its tenant
 */
public record AdvanceReservationOwner(TenantId tenant, ProjectId project, String name) {}
