package dev.fairlead.money.usage;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/**
 * Stores the label keys by which the use of tenants is summed. Inside a transaction of the tenant.
 */
public interface UsageLabelStore {
  /** Newest first, up to the limit. */
  List<UsageLabels> named(TenantId tenant, int most);

  /** Returns whether the key was ever named. */
  boolean everNamed(TenantId tenant, String key);

  /** Excludes other transactions that set labels of the tenant. */
  void lock(TenantId tenant);

  /** Adds the labels. Replaces the keys for the same hour. */
  void put(TenantId tenant, UsageLabels labels);
}
