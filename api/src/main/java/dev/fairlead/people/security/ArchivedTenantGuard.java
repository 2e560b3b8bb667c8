package dev.fairlead.people.security;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Refuses new objects in an archived tenant. The state of a tenant is cached for two seconds. Jobs
 * that arrive during that time are cancelled like earlier jobs.
 */
final class ArchivedTenantGuard {
  private static final long BELIEVED_NANOS = Duration.ofSeconds(2).toNanos();

  /**
   * Operations that end or retain something, including statements of the last months, and
   * operations on the tenant itself.
   */
  private static final Set<String> STILL_ALLOWED =
      Set.of(
          "archiveTenant",
          "bulkCancelJobs",
          "cancelJob",
          "createTenant",
          "deleteJob",
          "deleteLegalHold",
          "deleteModelService",
          "deleteProject",
          "deleteVolume",
          "dropVolumeTransfer",
          "putLegalHold",
          "removeProjectMember",
          "removeTenantMember",
          "revokeToken",
          "signStatement",
          "updateTenant");

  private final Transactions transactions;
  private final TenantStore tenants;
  private final LongSupplier nanos;
  private final Map<TenantId, Known> known = new ConcurrentHashMap<>();

  /**
   * @param nanos monotonic time
   */
  ArchivedTenantGuard(Transactions transactions, TenantStore tenants, LongSupplier nanos) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.nanos = nanos;
  }

  private record Known(boolean open, long atNanos) {}

  /**
   * @throws Refusal ILLEGAL_STATE if the actor's tenant is archived and does not permit the
   *     operation
   */
  void require(Actor actor, String operation) {
    if (!STILL_ALLOWED.contains(operation) && !open(actor.tenant())) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "This tenant is archived: it is read-only. Ask an administrator for"
              + " another tenant.");
    }
  }

  private boolean open(TenantId tenant) {
    long now = nanos.getAsLong();
    Known last = known.get(tenant);
    if (last == null || now - last.atNanos() >= BELIEVED_NANOS) {
      last = new Known(read(tenant), now);
      known.put(tenant, last);
    }
    return last.open();
  }

  private boolean read(TenantId tenant) {
    return transactions
        .read(() -> tenants.tenant(tenant))
        .filter(found -> found.state() == Tenant.State.ACTIVE)
        .isPresent();
  }
}
