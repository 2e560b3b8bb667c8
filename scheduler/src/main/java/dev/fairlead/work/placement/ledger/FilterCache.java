package dev.fairlead.work.placement.ledger;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Caches which nodes of a cluster the filters refuse to a member, regardless of node state and free
 * capacity. Each node is evaluated once for each shape, and again only if its row has changed.
 */
public final class FilterCache {
  /** Maximum number of cached shapes. The least recently used shape is dropped. */
  private static final int MOST = 1024;

  private static final byte UNKNOWN = 0;
  private static final byte ADMITTED = 1;
  private static final byte FIRST_FILTER = 2;

  private final Cluster cluster;
  private final List<Node> nodes;
  private final int @Nullable [] ranksBefore;
  private final Map<MemberShape, byte[]> verdicts =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MemberShape, byte[]> eldest) {
          return size() > MOST;
        }
      };

  /**
   * @param nodes by rank
   * @param before cache of the same cluster in the last cycle, null if none
   */
  FilterCache(Cluster cluster, List<Node> nodes, @Nullable FilterCache before) {
    this.cluster = cluster;
    this.nodes = nodes;
    if (before != null && asFiltersSee(cluster).equals(asFiltersSee(before.cluster))) {
      int[] rankBefore = ranks(nodes, before.nodes);
      ranksBefore = rankBefore;
      before.verdicts.forEach((member, was) -> {
        byte[] now = new byte[nodes.size()];
        for (int rank = 0; rank < now.length; rank++) {
          now[rank] = rankBefore[rank] < 0 ? UNKNOWN : was[rankBefore[rank]];
        }
        verdicts.put(member, now);
      });
    } else {
      ranksBefore = null;
    }
  }

  /** Returns the nodes by rank. */
  List<Node> nodes() {
    return nodes;
  }

  /**
   * Returns the rank of each node in the last cycle, negative for a changed node. The result is
   * null without a usable cache.
   */
  int @Nullable [] ranksBefore() {
    return ranksBefore;
  }

  /** Returns the only fields of a cluster that filters read. */
  private static List<Object> asFiltersSee(Cluster c) {
    return List.of(c.name(), c.kind(), c.state(), c.capacity(), c.settings(), c.capabilities());
  }

  /**
   * Returns the previous rank of each node, -1 for a new or changed node. Both lists are sorted by
   * name.
   */
  private static int[] ranks(List<Node> nodes, List<Node> before) {
    int[] ranks = new int[nodes.size()];
    Arrays.fill(ranks, -1);
    int at = 0;
    for (int rank = 0; rank < ranks.length; rank++) {
      String name = nodes.get(rank).name();
      while (at < before.size() && before.get(at).name().compareTo(name) < 0) {
        at++;
      }
      if (at < before.size() && before.get(at).equals(nodes.get(rank))) {
        ranks[rank] = at;
      }
    }
    return ranks;
  }

  /** Returns the verdicts by rank, for {@link #admits} and {@link #refusing}. */
  byte[] of(MemberShape member) {
    return verdicts.computeIfAbsent(member, m -> new byte[nodes.size()]);
  }

  boolean admits(byte[] verdict, int rank, MemberShape member) {
    return judge(verdict, rank, member) == ADMITTED;
  }

  /** Returns the position of the first filter that refuses the node, negative for none. */
  int refusing(byte[] verdict, int rank, MemberShape member) {
    return judge(verdict, rank, member) - FIRST_FILTER;
  }

  private byte judge(byte[] verdict, int rank, MemberShape member) {
    if (verdict[rank] == UNKNOWN) {
      int refusing = Filters.refusingMember(cluster, nodes.get(rank), member);
      verdict[rank] = refusing < 0 ? ADMITTED : (byte) (refusing + FIRST_FILTER);
    }
    return verdict[rank];
  }
}
