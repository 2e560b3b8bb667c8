package dev.fairlead.care.booking;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;

/**
 * The project that a booking is for.
 *
 * @param name of the project, unique in its tenant
 */
public record BookingOwner(TenantId tenant, ProjectId project, String name) {}
