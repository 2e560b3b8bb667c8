package dev.fairlead.work.placement.gang;

import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Searches, within limits, for a layout of several roles on nodes with different numbers of free
 * GPUs, which is a bin packing problem. The search fills node after node with as many members as
 * possible, the largest first, and backtracks if more GPUs remain unused than the gang can spare.
 * It tries the fullest nodes first, then the emptiest nodes first.
 */
final class RolePacking {
  /** Limits within which a search of {@value #MOST_STEPS} steps finds almost every layout. */
  static final int MOST_MEMBERS = 64;

  static final int MOST_NODES = 48;

  /**
   * Maximum number of member groups that all searches for one gang place, half of it for each
   * order.
   */
  static final int MOST_STEPS = 1024;

  private static final Comparator<NodeCapacity> FULLEST_FIRST =
      Comparator.comparingLong((NodeCapacity n) -> n.slots().idleMilli())
          .thenComparingLong(NodeCapacity::freeCpuMilli)
          .thenComparingLong(NodeCapacity::freeMemoryMiB)
          .thenComparingLong(NodeCapacity::freePods)
          .thenComparingInt(NodeCapacity::rank);

  private final Ledger ledger;
  private final WorkBudget work;
  private int left = MOST_STEPS;
  private boolean cut;

  RolePacking(Ledger ledger, WorkBudget work) {
    this.ledger = ledger;
    this.work = work;
  }

  /** Members of a role that each request whole GPUs, and the nodes that admit them. */
  record Wanted(MemberShape role, int members, List<NodeCapacity> capacities) {
    long gpuMilli() {
      return role.wholeGpus() * 1000L;
    }
  }

  /** Returns whether a limit prevented the search from trying every layout. */
  boolean cut() {
    return cut;
  }

  /**
   * Allocates all members.
   *
   * @param largestFirst roles, the role with most GPUs first
   * @param rest also places the other roles. If it returns false, this method undoes its placements
   * @return whether all members were placed. Otherwise nothing has changed
   */
  boolean place(List<Wanted> largestFirst, BooleanSupplier rest) {
    List<NodeCapacity> nodes = nodes(largestFirst);
    long spare = 0;
    for (NodeCapacity node : nodes) {
      spare += node.slots().idleMilli();
    }
    int members = 0;
    for (Wanted wanted : largestFirst) {
      spare -= wanted.members * wanted.gpuMilli();
      members += wanted.members;
    }
    if (spare < 0 && nodes.size() < MOST_NODES) {
      return false;
    }
    if (members > MOST_MEMBERS) {
      cut = true;
      return false;
    }
    return found(new Search(largestFirst, nodes, rest, left / 2), spare)
        || cut && found(new Search(largestFirst, nodes.reversed(), rest, left), spare);
  }

  private boolean found(Search search, long spare) {
    int mark = ledger.mark();
    boolean found = search.fill(0, spare);
    left -= search.steps;
    work.spend(search.steps);
    cut |= search.ended;
    if (!found) {
      ledger.undo(mark);
    }
    return found;
  }

  /**
   * Returns the nodes that can take a member now: the emptiest nodes up to the limit, sorted
   * fullest first.
   */
  private List<NodeCapacity> nodes(List<Wanted> roles) {
    SortedMap<Integer, NodeCapacity> byRank = new TreeMap<>();
    for (Wanted wanted : roles) {
      work.spend(wanted.capacities.size());
      for (NodeCapacity node : wanted.capacities) {
        if (node.takes(wanted.role)) {
          byRank.put(node.rank(), node);
        }
      }
    }
    List<NodeCapacity> nodes = new ArrayList<>(byRank.values());
    nodes.sort(FULLEST_FIRST);
    cut |= nodes.size() > MOST_NODES;
    return nodes.subList(Math.max(0, nodes.size() - MOST_NODES), nodes.size());
  }

  /** A search in one order of the nodes. */
  private final class Search {
    private final List<Wanted> roles;
    private final List<NodeCapacity> nodes;
    private final List<BitSet> admitting = new ArrayList<>();
    private final BooleanSupplier rest;
    private final int most;

    /** Whether nodes of equal amounts are equal for all roles. */
    private final boolean countsDecide;

    private final int[] missing;
    private final int[][] taken;
    private int steps;
    private boolean ended;

    Search(List<Wanted> roles, List<NodeCapacity> nodes, BooleanSupplier rest, int most) {
      this.roles = roles;
      this.nodes = nodes;
      this.rest = rest;
      this.most = most;
      countsDecide =
          roles.stream()
              .map(Wanted::role)
              .allMatch(role ->
                  !role.asksExtended()
                      && role.neighbours().any()
                      && role.numa() != PlacementSpec.Numa.REQUIRED);
      missing = roles.stream().mapToInt(Wanted::members).toArray();
      taken = new int[nodes.size()][roles.size()];
      for (Wanted wanted : roles) {
        BitSet ranks = new BitSet();
        wanted.capacities.forEach(node -> ranks.set(node.rank()));
        admitting.add(ranks);
      }
    }

    /**
     * Fills the nodes from this index.
     *
     * @param spare thousandths of GPUs that these nodes may leave unused
     */
    boolean fill(int node, long spare) {
      boolean complete = true;
      for (int each : missing) {
        complete &= each == 0;
      }
      if (complete) {
        return rest.getAsBoolean();
      }
      return node < nodes.size() && fill(node, 0, spare, equalsLast(node));
    }

    /**
     * Returns whether a node was equal to the previous one. Such a node gets no larger group of
     * members.
     */
    private boolean equalsLast(int node) {
      if (node == 0 || !countsDecide || nodes.get(node).slots().shared()) {
        return false;
      }
      int[] before = taken[node - 1];
      NodeCapacity last = nodes.get(node - 1);
      long cpu = last.freeCpuMilli();
      long memory = last.freeMemoryMiB();
      long pods = last.freePods();
      long gpus = last.slots().idleMilli();
      for (int role = 0; role < before.length; role++) {
        MemberShape shape = roles.get(role).role;
        cpu += before[role] * shape.cpuMilli();
        memory += before[role] * shape.memoryMiB();
        pods += before[role];
        gpus += before[role] * roles.get(role).gpuMilli();
        if (admitting.get(role).get(last.rank())
            != admitting.get(role).get(nodes.get(node).rank())) {
          return false;
        }
      }
      NodeCapacity now = nodes.get(node);
      return cpu == now.freeCpuMilli()
          && memory == now.freeMemoryMiB()
          && pods == now.freePods()
          && gpus == now.slots().idleMilli();
    }

    private boolean fill(int node, int role, long spare, boolean bounded) {
      NodeCapacity capacity = nodes.get(node);
      if (role == roles.size()) {
        long unused = capacity.slots().idleMilli();
        return unused <= spare && fill(node + 1, spare - unused);
      }
      Wanted wanted = roles.get(role);
      int fits = admitting.get(role).get(capacity.rank()) ? capacity.fits(wanted.role) : 0;
      int largest = Math.min(missing[role], fits);
      int bound = bounded ? taken[node - 1][role] : largest;
      int first = Math.min(largest, bound);
      int mark = ledger.mark();
      ledger.take(capacity, wanted.role, first);
      missing[role] -= first;
      for (int members = first; steps < most; members--) {
        steps++;
        taken[node][role] = members;
        if (fill(node, role + 1, spare, bounded && members == bound)) {
          return true;
        }
        ledger.undo(mark + Math.max(0, members - 1));
        if (members == 0) {
          return false;
        }
        missing[role]++;
      }
      ended = true;
      return false;
    }
  }
}
