package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.PoolView;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.resources.DurationText;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A named set of nodes.
 *
 * @param tenant name of the tenant with exclusive use of its nodes, null for a shared pool
 * @param nodes number of its nodes
 * @param gpus number of GPUs on these nodes
 * @param nodesElsewhere number of nodes that match its selector and belong to a pool of higher
 *     precedence: pools with an owner precede shared pools, then older ones precede. Pools that the
 *     caller cannot read are excluded
 * @param spares number of spare nodes for gangs that lose a node to a fault, such as {@code 1 per
 *     32}, null if none
 * @param spareNodes number of current spare nodes. Used spares are not replaced before a node is
 *     free
 * @param windows windows when its nodes accept jobs, empty for always
 * @param leftoverPolicy treatment of jobs that still run when a window closes, null if there are no
 *     windows
 * @param leftoverLimit maximum time that they may continue with EXTEND_UP_TO
 * @param windowLead with FINISH, time before the close when only jobs that end before it may start
 * @param warnings warnings, for example that it has no nodes
 */
@RecordBuilder
record PoolResponse(
    String id,
    String name,
    @Nullable String tenant,
    Selector selector,
    String description,
    int nodes,
    int gpus,
    int nodesElsewhere,
    @Nullable String spares,
    int spareNodes,
    List<Window> windows,
    @Nullable LeftoverPolicy leftoverPolicy,
    @Nullable String leftoverLimit,
    @Nullable String windowLead,
    List<String> warnings,
    long version) {
  /** Selects the nodes that match every part. */
  record Selector(
      List<String> clusters,
      List<String> models,
      SortedMap<String, String> matchLabels,
      List<Requirement> matchExpressions) {
    static Selector of(PoolSelector selector) {
      return new Selector(
          selector.clusters(),
          selector.models(),
          selector.matchLabels(),
          selector.matchExpressions().stream()
              .map(part -> new Requirement(part.key(), part.operator().text(), part.values()))
              .toList());
    }
  }

  /** A recurring window. */
  record Window(String cron, String duration, String timezone) {
    static List<Window> of(PoolWindows windows) {
      return windows.windows().stream()
          .map(window ->
              new Window(
                  window.cron().text(), DurationText.of(window.duration()), window.zone().getId()))
          .toList();
    }
  }

  /** Null for zero. */
  static @Nullable String text(Duration length) {
    return length.isZero() ? null : DurationText.of(length);
  }

  /** One requirement on a label: In, NotIn, Exists or DoesNotExist. */
  record Requirement(String key, String operator, List<String> values) {}

  /** The current fields in the form of a request. */
  static SortedMap<String, Object> toRequest(PoolView view) {
    SortedMap<String, Object> fields = PoolWindowFields.fields(view.pool().windows());
    if (view.tenant() != null) {
      fields.put("tenant", view.tenant());
    }
    if (!view.pool().spares().none()) {
      fields.put("spares", view.pool().spares().text());
    }
    fields.put("description", view.pool().description());
    fields.put("selector", Selector.of(view.pool().selector()));
    return fields;
  }

  static PoolResponse of(PoolView view) {
    return PoolResponseBuilder.builder()
        .id(view.pool().id().text())
        .name(view.pool().name())
        .tenant(view.tenant())
        .selector(Selector.of(view.pool().selector()))
        .description(view.pool().description())
        .nodes(view.nodes())
        .gpus(view.gpus())
        .nodesElsewhere(view.elsewhere())
        .spares(view.pool().spares().none() ? null : view.pool().spares().text())
        .spareNodes(view.spares())
        .windows(Window.of(view.pool().windows()))
        .leftoverPolicy(
            view.pool().windows().always() ? null : view.pool().windows().leftoverPolicy())
        .leftoverLimit(text(view.pool().windows().extension()))
        .windowLead(text(view.pool().windows().lead()))
        .warnings(view.warnings())
        .version(view.pool().version())
        .build();
  }
}
