package dev.fairlead.quota.postgres;

import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.RowBatch;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.quota.FleetQuota;
import dev.fairlead.quota.PastUse;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaDemand;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.TypedQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of the quota tree. To be used inside a transaction. */
@Component
class QuotaTables {
  private static final SqlFile LOCK = SqlFile.named("quota/lock-nodes");
  private static final SqlFile UPDATE = SqlFile.named("quota/update-node");
  private static final SqlFile DELETE = SqlFile.named("quota/delete-node");
  private static final SqlFile DELETE_LIMITS = SqlFile.named("quota/delete-limits");
  private static final SqlFile FORGET_DEMAND = SqlFile.named("quota/forget-demand");
  private static final SqlFile WRITE_DEMAND = SqlFile.named("quota/write-demand");
  private static final SqlFile DEMANDS = SqlFile.named("quota/demands");
  private static final SqlFile PAST = SqlFile.named("quota/past-uses");
  private static final SqlFile FLEET_LIMITED = SqlFile.named("quota/fleet-limited");
  private static final SqlFile FLEET_CHANGES = SqlFile.named("quota/fleet-changes");
  private static final SqlFile LOCK_FLEET = SqlFile.named("quota/lock-fleet");
  private static final SqlFile VERSION = SqlFile.named("quota/node-version");

  private static final TenantId NO_TENANT = new TenantId(new UUID(-1, -1));

  private static final Logger LOG = LoggerFactory.getLogger(QuotaTables.class);

  private final Set<UUID> incomplete = ConcurrentHashMap.newKeySet();
  private final Entities entities;
  private final JdbcClient jdbc;

  QuotaTables(Entities entities, JdbcClient jdbc) {
    this.entities = entities;
    this.jdbc = jdbc;
  }

  /** Whose node it is and how often it was changed. */
  record Version(UUID tenant, long version) {}

  void lock(TenantId tenant) {
    jdbc.sql(LOCK.text()).param("tenant", tenant.value()).query(UUID.class).list();
  }

  List<QuotaNode> nodes(TenantId tenant) {
    return joined(
        entities
            .query(
                "from QuotaNodeEntity n where n.tenant = :tenant order by n.depth, n.name",
                QuotaNodeEntity.class)
            .setParameter("tenant", tenant.value()),
        entities
            .query(
                "from QuotaLimitEntity l where l.tenant = :tenant order by l.ordinal",
                QuotaLimitEntity.class)
            .setParameter("tenant", tenant.value()));
  }

  /** Of all tenants, and of the platform where it limits them. */
  List<QuotaNode> nodes() {
    if (fleetLimited()) {
      List<QuotaNode> all = new ArrayList<>(fleet());
      all.addAll(read(" is not null"));
      return all;
    }
    return read(" is not null");
  }

  /** Whether the platform limits its tenants, or its limits cannot be read. */
  boolean fleetLimited() {
    return jdbc.sql(FLEET_LIMITED.text()).query(Boolean.class).single();
  }

  /** Of the platform; a tenant that stands for none where its root cannot be read. */
  List<QuotaNode> fleet() {
    List<QuotaNode> read = read(" is null");
    return read.isEmpty() ? List.of(FleetQuota.unlimited(NO_TENANT)) : read;
  }

  private List<QuotaNode> read(String tenant) {
    return joined(
        entities.query(
            "from QuotaNodeEntity n where n.tenant" + tenant + " order by n.depth, n.name, n.id",
            QuotaNodeEntity.class),
        entities.query(
            "from QuotaLimitEntity l where l.tenant" + tenant + " order by l.ordinal",
            QuotaLimitEntity.class));
  }

  /** Keeps the platform's limits as they are read until the transaction ends. */
  void lockFleetForChange() {
    Boolean _ = jdbc.sql(FLEET_CHANGES.text()).query(Boolean.class).single();
    lockFleet();
  }

  /** Keeps the platform's counters. */
  void lockFleet() {
    jdbc.sql(LOCK_FLEET.text()).query(UUID.class).list();
  }

  private List<QuotaNode> joined(
      TypedQuery<QuotaNodeEntity> nodes, TypedQuery<QuotaLimitEntity> limits) {
    Map<UUID, List<QuotaLimitEntity>> byNode = new TreeMap<>();
    for (QuotaLimitEntity limit : entities.list(limits)) {
      byNode.computeIfAbsent(limit.node, n -> new ArrayList<>()).add(limit);
    }
    return entities.list(nodes).stream()
        .filter(n -> complete(n, byNode.getOrDefault(n.id, List.of()).size()))
        .map(n -> QuotaRows.node(n, byNode.getOrDefault(n.id, List.of())))
        .toList();
  }

  /**
   * A node of which limits are missing is left out, so that nothing is let in there or below:
   * without them it would be unlimited.
   */
  private boolean complete(QuotaNodeEntity node, int read) {
    boolean complete = node.limitCount == null || node.limitCount == read;
    if (!complete && incomplete.add(node.id)) {
      LOG.error(
          "quota {} ({}) has {} limits, {} could be read: nothing is let in there or below; restore"
              + " its rows in quota_limit",
          node.name,
          node.id,
          node.limitCount,
          read);
    }
    if (complete) {
      incomplete.remove(node.id);
    }
    return complete;
  }

  void insert(List<Object> rows, Supplier<RuntimeException> taken) {
    entities.insert(taken, rows);
  }

  int update(QuotaNodeEntity row) {
    return jdbc.sql(UPDATE.text())
        .param("id", row.id)
        .param("tenant", row.tenant)
        .param("name", row.name)
        .param("weight", row.weight)
        .param("within", row.preemptWithin)
        .param("reclaim", row.preemptReclaim)
        .param("fair", row.preemptFairShare)
        .param("while_borrowing", row.preemptWhileBorrowing)
        .param("max_victim", row.preemptMaxVictimPriority)
        .param("can_borrow", row.flavorWhenCanBorrow)
        .param("can_preempt", row.flavorWhenCanPreempt)
        .param("preference", row.flavorPreference)
        .param("order", row.queueOrder)
        .param("state", row.queueState)
        .param("runtime", row.defaultMaxRuntimeMillis)
        .param("share", row.sharePolicy)
        .param("by_user", row.fairByUser)
        .param("user_running", row.userRunning)
        .param("user_gpu_milli", row.userGpuMilli)
        .param("user_queued", row.userQueued)
        .param("half_life", row.usageHalfLifeMillis)
        .param("routing", row.routing)
        .param("version", row.version)
        .param("limits", row.limitCount)
        .update();
  }

  void replaceLimits(QuotaNode node) {
    jdbc.sql(DELETE_LIMITS.text()).param("node", node.id().value()).update();
    entities.insert(
        () -> new IllegalArgumentException("two limits for one cell"), QuotaRows.limits(node));
  }

  int delete(QuotaNodeId id, long version) {
    return jdbc.sql(DELETE.text()).param("id", id.value()).param("version", version).update();
  }

  void demand(List<QuotaDemand> demands) {
    RowBatch rows = new RowBatch();
    for (QuotaDemand demand : demands) {
      rows.row()
          .set("node", demand.queue().value())
          .set("model", demand.cell().flavor().model())
          .set("capacity", demand.cell().flavor().capacity())
          .set("resource", demand.cell().resource())
          .set("amount", demand.amount());
    }
    jdbc.sql(FORGET_DEMAND.text()).param("rows", rows.json()).update();
    jdbc.sql(WRITE_DEMAND.text()).param("rows", rows.json()).update();
  }

  List<QuotaDemand> demands(TenantId tenant) {
    return jdbc.sql(DEMANDS.text())
        .param("tenant", tenant.value())
        .query((row, n) ->
            new QuotaDemand(
                new QuotaNodeId(Columns.uuid(row, "node")),
                new QuotaCell(
                    new Flavor(
                        Columns.text(row, "model"),
                        Columns.value(row, "capacity", CapacityType.class)),
                    Columns.text(row, "resource")),
                row.getLong("amount")))
        .list();
  }

  /** Of all tenants. */
  List<PastUse> pastUses() {
    return jdbc.sql(PAST.text())
        .query((row, n) ->
            new PastUse(
                new QuotaNodeId(Columns.uuid(row, "node")),
                new QuotaNodeId(Columns.uuid(row, "queue")),
                Columns.text(row, "used_by"),
                row.getLong("milli_seconds"),
                Columns.instant(row, "at")))
        .list();
  }

  Optional<Version> version(QuotaNodeId id) {
    return jdbc.sql(VERSION.text())
        .param("id", id.value())
        .query((row, n) -> new Version(Columns.uuid(row, "tenant"), row.getLong("version")))
        .optional();
  }
}
