package dev.fairlead.booking;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;

/**
 * The project that a booking is for.
 *
 * @param name of the project, unique in its tenant
 */
public record BookingOwner(TenantId tenant, ProjectId project, String name) {}
