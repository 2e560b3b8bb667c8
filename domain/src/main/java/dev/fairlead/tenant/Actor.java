package dev.fairlead.tenant;

/**
 * Who acts. Read from the security context once, then passed as an argument.
 *
 * @param name what events and the audit log show
 * @param administrator whether platform operations (clusters, quotas, projects) are allowed
 */
public record Actor(TenantId tenant, String name, boolean administrator) {}
