package dev.fairlead.quota.postgres;

import java.util.UUID;

/** Whose node it is and which version it has. */
record QuotaNodeVersion(UUID tenant, long version) {}
