package dev.fairlead.money.usage.postgres;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.GpuHistory.Seen;
import dev.fairlead.money.usage.GpuHistory.Use;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.UsageOwnerBuilder;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads rows in the order of GPUs, one GPU or one group of equal GPUs at a time. */
final class GpuHistoryRows {
  private static final String SERVICE = "service";

  private final Consumer<GpuHistory> each;
  private final List<Seen> states = new ArrayList<>();
  private final List<Use> uses = new ArrayList<>();
  private final Map<String, SortedMap<String, String>> labels = new HashMap<>();
  private @Nullable UUID node;
  private int gpu;
  private int gpus;

  /** The last reported location of the GPU, or the location of its use if it was never reported. */
  private @Nullable FleetPart part;

  GpuHistoryRows(Consumer<GpuHistory> each) {
    this.each = each;
  }

  void take(ResultSet row) throws SQLException {
    UUID itsNode = Columns.uuid(row, "node");
    int its = row.getInt("gpu");
    if (!itsNode.equals(node) || its != gpu) {
      finish();
      node = itsNode;
      gpu = its;
      gpus = row.getInt("gpus");
    }
    part = part(row);
    add(row, Columns.value(row, "state", UsageBucket.class));
  }

  private void add(ResultSet row, UsageBucket bucket) throws SQLException {
    long from = row.getLong("started_ms");
    long to = row.getLong("ended_ms");
    if (bucket == UsageBucket.USED) {
      uses.add(
          new Use(
              from,
              to,
              owner(row, row.getString(SERVICE), labels(row)),
              row.getInt("milli"),
              row.getInt("slices")));
    } else {
      states.add(new Seen(from, to, bucket, row.getInt("milli")));
    }
  }

  /** Caches the few distinct values of an hour. */
  private SortedMap<String, String> labels(ResultSet row) throws SQLException {
    String text = row.getString("labels");
    return text == null ? Collections.emptySortedMap() : labels.computeIfAbsent(text, Json::texts);
  }

  /** Call after the last row. */
  void finish() {
    if (part != null) {
      each.accept(new GpuHistory(gpu, gpus, part, states, uses));
    }
    part = null;
    states.clear();
    uses.clear();
  }

  static FleetPart part(ResultSet row) throws SQLException {
    UUID owner = row.getObject("owner", UUID.class);
    return new FleetPart(
        new ClusterId(Columns.uuid(row, "cluster")),
        Columns.text(row, "pool"),
        owner == null ? null : new TenantId(owner),
        Columns.text(row, "model"),
        Columns.value(row, "capacity", CapacityType.class));
  }

  private static UsageOwner owner(
      ResultSet row, @Nullable String service, SortedMap<String, String> labels)
      throws SQLException {
    UUID cluster = row.getObject("cluster", UUID.class);
    return UsageOwnerBuilder.builder()
        .tenant(new TenantId(Columns.uuid(row, "tenant")))
        .project(new ProjectId(Columns.uuid(row, "project")))
        .queue(new QuotaNodeId(Columns.uuid(row, "queue")))
        .user(Columns.text(row, "used_by"))
        .cluster(cluster == null ? null : new ClusterId(cluster))
        .pool(Columns.text(row, "pool"))
        .flavor(
            new Flavor(
                Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class)))
        .service(service)
        .labels(labels)
        .build();
  }
}
