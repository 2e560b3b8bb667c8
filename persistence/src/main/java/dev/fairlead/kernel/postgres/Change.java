package dev.fairlead.kernel.postgres;

/** Kinds of changes in a transaction. Names are those of the wake-up topics. */
public enum Change {
  JOBS,
  ATTEMPTS,
  INVENTORY,
  QUOTAS,
  SERVICES,
  ROUTES,
  SETTINGS
}
