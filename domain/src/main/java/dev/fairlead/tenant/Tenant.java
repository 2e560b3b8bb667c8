package dev.fairlead.tenant;

/** An isolation boundary: nothing of one tenant is visible to another. */
public record Tenant(TenantId id, String name, long version) {}
