package dev.fairlead.work.event;

import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * The job of an event at the time of the change, so that event readers need no other request.
 *
 * @param job name of the job
 * @param user submitter of the job
 * @param project name of the project
 * @param cluster name of the cluster of the attempt that changed, null without an attempt
 * @param nodes names of the nodes of that attempt, at most {@value #MOST_NODES}, in order
 * @param nodeCount number of all nodes of that attempt
 */
public record EventContext(
    String job,
    String user,
    String project,
    @Nullable String cluster,
    List<String> nodes,
    int nodeCount) {
  /** An event of a gang of thousands of nodes stays small. */
  public static final int MOST_NODES = 16;

  public EventContext {
    nodes = List.copyOf(nodes);
  }

  /** The nodes that a context lists of all nodes of an attempt. */
  public static List<String> listed(SortedSet<String> nodes) {
    return nodes.stream().limit(MOST_NODES).toList();
  }
}
