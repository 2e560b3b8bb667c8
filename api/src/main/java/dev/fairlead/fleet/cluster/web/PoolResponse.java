package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.PoolView;
import dev.fairlead.fleet.node.Overrun;
import dev.fairlead.fleet.node.PoolSelector;
import dev.fairlead.fleet.node.PoolWindows;
import dev.fairlead.kernel.resources.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A named set of nodes.
 *
 * @param tenant name of its owner, whose jobs alone its nodes take; null for a shared pool
 * @param nodes that belong to it
 * @param gpus of these nodes
 * @param nodesElsewhere that match its selector and belong to a pool which comes before it: pools
 *     with an owner come before shared ones, then the older; pools that the caller may not read are
 *     left out
 * @param spares how many of its nodes are kept for gangs that lose one to a fault, such as {@code 1
 *     per 32}; null for none
 * @param spareNodes that are kept as spares now; those in use are not refilled before a node is
 *     free
 * @param windows when its nodes take work; empty for always
 * @param overrun what becomes of work that still runs when they close; null without windows
 * @param overrunLimit how long it may run on with EXTEND_UP_TO
 * @param windowLead with FINISH, how long before they close only work starts that ends in time
 * @param warnings for example that it has no nodes
 */
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
    @Nullable Overrun overrun,
    @Nullable String overrunLimit,
    @Nullable String windowLead,
    List<String> warnings,
    long version) {
  /** Which nodes: those that meet every part. */
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

  /** A time that comes again and again. */
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

  /** One condition on a label: In, NotIn, Exists or DoesNotExist. */
  record Requirement(String key, String operator, List<String> values) {}

  static PoolResponse of(PoolView view) {
    return new PoolResponse(
        view.pool().id().text(),
        view.pool().name(),
        view.tenant(),
        Selector.of(view.pool().selector()),
        view.pool().description(),
        view.nodes(),
        view.gpus(),
        view.elsewhere(),
        view.pool().spares().none() ? null : view.pool().spares().text(),
        view.spares(),
        Window.of(view.pool().windows()),
        view.pool().windows().always() ? null : view.pool().windows().overrun(),
        text(view.pool().windows().extension()),
        text(view.pool().windows().lead()),
        view.warnings(),
        view.pool().version());
  }
}
