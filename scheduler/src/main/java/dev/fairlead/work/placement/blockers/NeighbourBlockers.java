package dev.fairlead.work.placement.blockers;

import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.node.NeighbourCounts;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.NeighbourTerm;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Explains how many nodes other jobs close to a member, by term. */
public final class NeighbourBlockers {
  /** Maximum number of terms in a text. Terms of other jobs may close each node for another. */
  private static final int MOST_CAUSES = 8;

  private NeighbourBlockers() {}

  private record Cause(NeighbourCounts.Check check, boolean outside) {}

  /** The nodes that a cause closes, and a job that closes them. */
  private record Closed(int nodes, @Nullable String job) {
    Closed and(Closed more) {
      return new Closed(nodes + more.nodes, job == null ? more.job : job);
    }
  }

  /**
   * Returns a clause for each term, beginning with a semicolon. The result is empty if no term
   * closes a node.
   */
  public static String of(ClusterCapacity cluster, MemberShape role, String model) {
    if (role.neighbours().any()) {
      return "";
    }
    NeighbourCounts index = cluster.neighbours();
    Map<Cause, Closed> causes = new LinkedHashMap<>();
    for (NodeCapacity node : cluster.admitting(role, model)) {
      NeighbourCounts.Check check = index.refusing(role.neighbours(), node);
      if (check != null) {
        boolean counted = check.rule() != NeighbourCounts.Rule.UNCOUNTED;
        Cause cause = new Cause(check, counted && index.outside(check, node));
        causes.merge(cause, new Closed(1, index.blocking(check, node)), Closed::and);
      }
    }
    StringBuilder text = new StringBuilder();
    causes.entrySet().stream()
        .limit(MOST_CAUSES)
        .forEach(each -> text.append("; ").append(clause(each.getKey(), each.getValue())));
    int more = causes.values().stream().skip(MOST_CAUSES).mapToInt(Closed::nodes).sum();
    if (more > 0) {
      text.append("; other terms close ").append(more).append(more == 1 ? " node" : " nodes");
    }
    return text.toString();
  }

  private static String clause(Cause cause, Closed closed) {
    NeighbourTerm term = cause.check.term();
    if (cause.check.rule() == NeighbourCounts.Rule.UNCOUNTED) {
      return "other active jobs of the project have %d different terms in near and away, the maximum"
          .formatted(NeighbourCounts.MOST_TERMS);
    }
    String nodes = closed.nodes == 1 ? "1 node has " : closed.nodes + " nodes have ";
    if (cause.outside) {
      return nodes + "no " + term.within();
    }
    String jobs =
        switch (cause.check.rule()) {
          case AWAY -> "a job " + term.text();
          case KEPT_AWAY -> "a job that stays away from jobs " + term.text();
          case NEAR, UNCOUNTED -> "no job " + term.text();
        };
    String where = term.ofNode() ? "" : " in the same " + term.within();
    return nodes + jobs + where + (closed.job == null ? "" : " ('" + closed.job + "')");
  }
}
