package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.node.NodeNotice;
import java.util.Map;

/**
 * The notices of a cluster's machines.
 *
 * @param kinds nodes with a notice by its kind, without kinds that no node has
 * @param overdue nodes that still have members a minute after the deadline of their notice
 */
public record NoticeCount(Map<NodeNotice.Kind, Integer> kinds, int overdue) {
  public static final NoticeCount NONE = new NoticeCount(Map.of(), 0);

  public NoticeCount {
    kinds = Map.copyOf(kinds);
  }
}
