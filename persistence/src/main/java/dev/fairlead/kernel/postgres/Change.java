package dev.fairlead.kernel.postgres;

/** What a transaction changed, coarsely; names are those of the wake-up topics. */
public enum Change {
  JOBS,
  ATTEMPTS,
  INVENTORY,
  QUOTAS
}
