package dev.fairlead.fleet.cluster;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Objects that a cluster no longer shows. An operator confirms their loss while a circuit breaker
 * is open.
 *
 * @param operation id of the operation
 * @param objects plural noun of the objects in messages, such as {@code Jobs}
 * @param list path of the list of open breakers
 * @param since time since when an object is missing, null when the breaker is closed
 * @param lost number of objects that this confirmation covers, by tenant
 */
public record ConfirmedLoss(
    String operation,
    Cluster cluster,
    String objects,
    String list,
    @Nullable Instant since,
    SortedMap<TenantId, Integer> lost) {
  /**
   * Writes an audit row with the total for the actor's tenant, and one row for each other tenant.
   *
   * @param seen number of missing objects that the operator saw
   * @throws Refusal ILLEGAL_STATE when no object or another number of objects is missing
   */
  public void append(AuditLog audit, Actor actor, int seen) {
    int all = lost.values().stream().mapToInt(Integer::intValue).sum();
    Instant first = since;
    if (first == null || all == 0) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "The circuit breaker of cluster %s is closed: none of its %s needs a confirmation."
              .formatted(cluster.name(), objects));
    }
    if (all != seen) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "On cluster %s, %d %s are missing now, not %d. Check again: GET %s."
              .formatted(cluster.name(), all, objects, seen, list));
    }
    audit.append(row(actor, all, first));
    lost.forEach((tenant, some) -> {
      if (!tenant.equals(actor.tenant())) {
        audit.append(row(actor.in(tenant), some, first));
      }
    });
  }

  private AuditRecord row(Actor actor, int missing, Instant first) {
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("cluster", cluster.name());
    detail.put("missing", missing);
    detail.put("since", first.toString());
    return new AuditRecord(actor, operation, cluster.id().text(), true, detail);
  }
}
