package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaDemand;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of the quota tree. Requires an open transaction. */
@Component
class QuotaTables {
  private static final SqlFile LOCK = SqlFile.named("quota/lock-nodes");
  private static final SqlFile DELETE = SqlFile.named("quota/delete-node");
  private static final SqlFile FORGET_DEMAND = SqlFile.named("quota/forget-demand");
  private static final SqlFile WRITE_DEMAND = SqlFile.named("quota/write-demand");
  private static final SqlFile DEMANDS = SqlFile.named("quota/demands");
  private static final SqlFile PAST = SqlFile.named("quota/past-uses");
  private static final SqlFile FLEET_LIMITED = SqlFile.named("quota/fleet-limited");
  private static final SqlFile FLEET_CHANGES = SqlFile.named("quota/fleet-changes");
  private static final SqlFile LOCK_FLEET = SqlFile.named("quota/lock-fleet");

  private static final TenantId NO_TENANT = new TenantId(new UUID(-1, -1));

  private static final Logger LOG = LoggerFactory.getLogger(QuotaTables.class);

  private final Set<UUID> incomplete = ConcurrentHashMap.newKeySet();
  private final QuotaNodeRepository nodes;
  private final QuotaLimitRepository limits;
  private final JdbcClient jdbc;
  private final BelievedTime time;

  QuotaTables(
      QuotaNodeRepository nodes, QuotaLimitRepository limits, JdbcClient jdbc, BelievedTime time) {
    this.nodes = nodes;
    this.limits = limits;
    this.jdbc = jdbc;
    this.time = time;
  }

  Instant now() {
    return time.now();
  }

  void lock(TenantId tenant) {
    jdbc.sql(LOCK.text()).param("tenant", tenant.value()).query(UUID.class).list();
  }

  List<QuotaNode> nodes(TenantId tenant) {
    return joined(
        limits.findByTenantOrderByOrdinal(tenant.value()),
        nodes.findByTenantOrderByDepthAscColumnsNameAsc(tenant.value()));
  }

  Optional<QuotaNode> node(TenantId tenant, QuotaNodeId id) {
    return joined(nodes.findByTenantAndId(tenant.value(), id.value()));
  }

  Optional<QuotaNode> nodeNamed(TenantId tenant, String name) {
    return joined(nodes.findByTenantAndColumnsName(tenant.value(), name));
  }

  private Optional<QuotaNode> joined(Optional<QuotaNodeRow> node) {
    return node.flatMap(row ->
        joined(limits.findByNodeOrderByOrdinal(row.id()), List.of(row)).stream().findFirst());
  }

  /** Nodes of all tenants, and of the platform if it limits them. */
  List<QuotaNode> nodes() {
    List<QuotaNode> all = new ArrayList<>(fleetLimited() ? fleet() : List.of());
    all.addAll(
        joined(
            limits.findByTenantIsNotNullOrderByOrdinal(),
            nodes.findByTenantIsNotNullOrderByDepthAscColumnsNameAscIdAsc()));
    return all;
  }

  /** Returns whether the platform limits its tenants, or its limits are unreadable. */
  boolean fleetLimited() {
    return jdbc.sql(FLEET_LIMITED.text()).query(Boolean.class).single();
  }

  /** Nodes of the platform. Returns an unlimited root without a tenant if none is readable. */
  List<QuotaNode> fleet() {
    List<QuotaNode> read =
        joined(
            limits.findByTenantIsNullOrderByOrdinal(),
            nodes.findByTenantIsNullOrderByDepthAscColumnsNameAscIdAsc());
    return read.isEmpty() ? List.of(FleetQuota.unlimited(NO_TENANT)) : read;
  }

  /** Locks the platform's limits until the transaction ends. */
  void lockFleetForChange() {
    Boolean _ = jdbc.sql(FLEET_CHANGES.text()).query(Boolean.class).single();
    lockFleet();
  }

  /** Locks the platform's counters. */
  void lockFleet() {
    jdbc.sql(LOCK_FLEET.text()).query(UUID.class).list();
  }

  private List<QuotaNode> joined(List<QuotaLimitRow> limits, List<QuotaNodeRow> nodes) {
    Map<UUID, List<QuotaLimitRow>> byNode = new TreeMap<>();
    for (QuotaLimitRow limit : limits) {
      byNode.computeIfAbsent(limit.node(), n -> new ArrayList<>()).add(limit);
    }
    return nodes.stream()
        .filter(n -> complete(n, byNode.getOrDefault(n.id(), List.of()).size()))
        .map(n -> n.node(byNode.getOrDefault(n.id(), List.of())))
        .toList();
  }

  /**
   * Excludes a node with missing limits, so that nothing is admitted at or below it. Without limits
   * it would be unlimited.
   */
  private boolean complete(QuotaNodeRow node, int read) {
    Integer count = node.columns().limitCount();
    boolean complete = count == null || count == read;
    if (!complete && incomplete.add(node.id())) {
      LOG.error(
          "quota {} ({}) has {} limits, {} could be read, so no job is admitted there or below. Restore"
              + " its rows in quota_limit.",
          node.columns().name(),
          new QuotaNodeId(node.id()).text(),
          count,
          read);
    }
    if (complete) {
      incomplete.remove(node.id());
    }
    return complete;
  }

  void insert(QuotaNode node) {
    nodes.saveAndFlush(QuotaNodeEntity.of(node));
    limits.saveAllAndFlush(QuotaLimitEntity.of(node));
  }

  void update(QuotaNode node) {
    UUID id = node.id().value();
    nodes.change(
        id,
        node.version() - 1,
        () -> new Conflict(Conflict.Guard.VERSION, node.id().text()),
        row -> row.set(node));
    limits.removeOf(id);
    limits.saveAllAndFlush(QuotaLimitEntity.of(node));
  }

  int delete(TenantId tenant, QuotaNodeId id, long version) {
    return jdbc.sql(DELETE.text())
        .param("id", id.value())
        .param("tenant", tenant.value())
        .param("version", version)
        .update();
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

  /** Rows of all tenants. */
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
}
