package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolBuilder;
import dev.fairlead.fleet.node.pool.PoolCheck;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.TenantId;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Creates, changes and deletes pools. A change and the pools of all nodes are written in one
 * transaction.
 */
@Service
public class PoolCommands {
  private static final String CREATE = "createPool";

  private final Transactions transactions;
  private final PoolStore pools;
  private final InventoryStore inventory;
  private final PoolCheck check;
  private final Pools queries;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;

  public PoolCommands(
      Transactions transactions,
      PoolStore pools,
      InventoryStore inventory,
      PoolCheck check,
      Pools queries,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.pools = pools;
    this.inventory = inventory;
    this.check = check;
    this.queries = queries;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
  }

  /**
   * Creates a pool.
   *
   * @throws Refusal FORBIDDEN, NAME_IN_USE, INVALID_FIELD (unknown tenant), IDEMPOTENCY_*
   */
  public PoolView create(
      Actor actor, PoolSpec spec, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    return written(
        validateOnly,
        () -> {
          Optional<String> earlier = idempotency.earlier(actor, CREATE, effective);
          if (earlier.isPresent()) {
            return replayed(actor, earlier.get());
          }
          PoolId id = new PoolId(ids.next());
          Pool pool =
              PoolBuilder.builder()
                  .id(id)
                  .name(spec.name())
                  .tenant(owner(spec))
                  .selector(spec.selector())
                  .description(spec.description())
                  .spares(spec.spares())
                  .windows(spec.windows())
                  .version(1)
                  .build();
          pools.insert(pool);
          idempotency.remember(actor, CREATE, effective, id.text());
          return assigned(actor, CREATE, null, pool);
        });
  }

  private PoolView replayed(Actor actor, String reference) {
    return pools.pools().stream()
        .filter(pool -> pool.id().text().equals(reference))
        .findFirst()
        .map(pool -> queries.view(actor, pool))
        .orElseThrow(() -> Idempotency.removed("pool"));
  }

  /**
   * Changes a pool. Running jobs continue, even on nodes that leave the pool.
   *
   * @param text id or name
   * @param expected version that the caller read
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD (unknown tenant),
   *     CONFLICTING_FIELDS if it no longer selects nodes of its provisioner
   */
  public PoolView update(
      Actor actor, String text, PoolSpec spec, long expected, boolean validateOnly) {
    Permissions.require(actor, "updatePool");
    return written(
        validateOnly,
        () -> {
          Pool old = seen(queries.found(actor, text), expected);
          Pool next =
              old.with(
                  owner(spec), spec.selector(), spec.description(), spec.spares(), spec.windows());
          refuseMisfit(next);
          pools.update(next);
          return assigned(actor, "updatePool", old, next);
        });
  }

  /**
   * Deletes a pool. Jobs that name it wait until they are changed. Running jobs continue.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, ILLEGAL_STATE while it has a supply
   */
  public void delete(Actor actor, String text, long expected, boolean validateOnly) {
    Permissions.require(actor, "deletePool");
    PoolView _ =
        written(
            validateOnly,
            () -> {
              Pool old = seen(queries.found(actor, text), expected);
              pools.delete(old);
              return assigned(actor, "deletePool", old, null);
            });
  }

  private void refuseMisfit(Pool next) {
    check
        .refuses(next)
        .ifPresent(why -> {
          ProblemCode code = ProblemCode.CONFLICTING_FIELDS;
          throw Refusal.field(code, "/selector", why, null);
        });
  }

  private PoolView assigned(
      Actor actor, String operation, @Nullable Pool before, @Nullable Pool after) {
    Pool pool = Objects.requireNonNull(after == null ? before : after);
    int moved = inventory.assign(pools.pools());
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("nodes", moved);
    audit.appendFor(
        Stream.of(before, after)
            .filter(Objects::nonNull)
            .map(Pool::tenant)
            .filter(Objects::nonNull)
            .toList(),
        new AuditRecord(actor, operation, pool.id().text(), true, detail)
            .changed(before, after)
            .kept(ConfigKind.POOL, pool.name(), before, after));
    return queries.view(actor, pool);
  }

  private PoolView written(boolean trial, Supplier<PoolView> work) {
    try {
      return transactions.callOrTry(trial, work);
    } catch (Conflict refused) {
      throw switch (refused.guard()) {
        case NAME_TAKEN -> taken(refused.subject());
        case REFERENCED -> supplied(refused.subject());
        default -> changed(refused.subject());
      };
    }
  }

  private @Nullable TenantId owner(PoolSpec spec) {
    String tenant = spec.tenant();
    return tenant == null ? null : queries.tenant(tenant);
  }

  private static Pool seen(Pool pool, long expected) {
    if (expected != pool.version()) {
      throw changed(pool.name());
    }
    return pool;
  }

  private static Refusal changed(String name) {
    return Refusal.changed("Pool \"" + name + "\"");
  }

  private static Refusal supplied(String name) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Pool \"" + name + "\" gets nodes from a provisioner. Delete its supply first.");
  }

  private static Refusal taken(String name) {
    return Refusal.field(
        ProblemCode.NAME_IN_USE, "/name", "A pool is named \"" + name + "\" already.", null);
  }
}
