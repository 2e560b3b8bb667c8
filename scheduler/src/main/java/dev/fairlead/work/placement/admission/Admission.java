package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.node.Undo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Quota of the cycle: returns the available amounts and the quota node that refuses a request. */
public final class Admission {
  private final SoundTree sound;
  private final QuotaTree tree;
  private final QuotaTree unused;
  private final QuotaTree largest;
  private final Instant asOf;
  private @Nullable FutureQuota futureQuota;
  private final SortedMap<QuotaNodeId, Boolean> limited = new TreeMap<>();

  /** Only of queues with checks, so that the look-up for a job of another queue is cheap. */
  private final SortedMap<QuotaNodeId, List<String>> checks = new TreeMap<>();

  /**
   * @param asOf time that decides which windows of limits are open
   */
  public Admission(Collection<QuotaNode> nodes, Collection<QuotaUse> uses, Instant asOf) {
    sound = new SoundTree(nodes);
    this.asOf = asOf;
    for (QuotaNode node : nodes) {
      if (node.queue() != null && !node.queue().checks().isEmpty()) {
        checks.put(node.id(), node.queue().checks());
      }
    }
    tree = QuotaTree.at(sound.nodes(), SoundTree.clean(uses), asOf);
    unused = tree.with(List.of());
    largest =
        sound.nodes().stream().anyMatch(QuotaNode::changesWithTime)
            ? QuotaTree.largest(sound.nodes())
            : unused;
  }

  public QuotaTree tree() {
    return tree;
  }

  /**
   * Returns the quota after all terminating attempts have left. After the first call, admission
   * checks both trees.
   */
  public FutureQuota futureQuota() {
    FutureQuota known = futureQuota;
    if (known == null) {
      known = new FutureQuota(tree);
      futureQuota = known;
    }
    return known;
  }

  /** Returns the names of the admission checks of a queue, in order. */
  public List<String> checks(QuotaNodeId queue) {
    return checks.getOrDefault(queue, List.of());
  }

  /**
   * Returns why the limits of a queue cannot be read, as human-readable text. The result is empty
   * if they can.
   */
  public Optional<String> broken(QuotaNodeId queue) {
    return sound.broken(queue);
  }

  /**
   * Returns whether the queue, a node above it, or the platform has limits. Without limits, nothing
   * is refused and no use is counted.
   */
  public boolean limited(QuotaNodeId queue) {
    Boolean known = limited.get(queue);
    if (known == null) {
      known =
          Stream.concat(tree.path(queue).stream(), tree.fleetPath(queue).stream())
              .anyMatch(n -> !n.limits().isEmpty());
      limited.put(queue, known);
    }
    return known;
  }

  /** Returns whether the whole element fits now. */
  public boolean admits(QuotaNodeId queue, Charges charges) {
    return charges.fit(tree, queue) && (futureQuota == null || futureQuota.admits(queue, charges));
  }

  /**
   * Returns the amounts that evicting limits allow at all times, if such a limit is higher now than
   * when the work was admitted. Work that was admitted then may grow only within these amounts,
   * because it continues to run when the limit falls again. The result is empty if no limit rose.
   */
  public Optional<QuotaTree> lasting(QuotaNodeId queue, Instant admitted) {
    boolean rose =
        Stream.concat(tree.path(queue).stream(), tree.fleetPath(queue).stream())
            .flatMap(node -> tree.written(node.id()).stream())
            .flatMap(node -> node.limits().stream())
            .anyMatch(limit -> limit.roseSince(admitted, asOf));
    return rose
        ? Optional.of(QuotaTree.lasting(sound.nodes(), tree.uses(), asOf))
        : Optional.empty();
  }

  /** Returns every cell that refuses, by flavor and resource. */
  public List<Shortfall> shortfalls(QuotaNodeId queue, Charges charges) {
    return shortfalls(tree, queue, charges);
  }

  /**
   * Returns the cells that have enough now, but not once all terminating attempts have left and all
   * reservations are used.
   */
  public List<Shortfall> promised(QuotaNodeId queue, Charges charges) {
    if (futureQuota == null || futureQuota.admits(queue, charges)) {
      return List.of();
    }
    return shortfalls(futureQuota.tree(), queue, charges).stream()
        .filter(s -> tree.admits(queue, s.cell(), s.asked(), s.nonPreemptible()))
        .toList();
  }

  /** Returns every cell that would refuse even on an idle fleet, regardless of windows. */
  public List<Shortfall> neverMet(QuotaNodeId queue, Charges charges) {
    return charges.fit(largest, queue) ? List.of() : shortfalls(largest, queue, charges);
  }

  private List<Shortfall> shortfalls(QuotaTree at, QuotaNodeId queue, Charges charges) {
    List<Shortfall> all = new ArrayList<>();
    charges
        .cells()
        .forEach((cell, asked) -> {
          QuotaNode refusing = limited(queue) ? at.refusing(queue, cell, asked) : null;
          if (refusing != null) {
            all.add(shortfall(at, queue, refusing, cell, asked, false));
          }
          if (charges.nonPreemptible() && at.nonPreemptibleRoom(queue, cell) < asked) {
            QuotaNode bearer = at.nonPreemptibleLimit(queue, cell).orElseThrow();
            all.add(shortfall(at, queue, bearer, cell, asked, true));
          }
        });
    return all;
  }

  /**
   * @param nonPreemptible whether nominal quota is short, which counts only non-preemptible jobs
   */
  private Shortfall shortfall(
      QuotaTree at,
      QuotaNodeId queue,
      QuotaNode refusing,
      QuotaCell cell,
      long asked,
      boolean nonPreemptible) {
    QuotaNode limiting =
        nonPreemptible || refusing.ofFleet()
            ? refusing
            : limiting(at, queue, refusing, cell, asked);
    QuotaNodeId node = limiting.id();
    long quota = nonPreemptible ? at.nominal(node, cell) : at.subtreeQuota(node, cell);
    return ShortfallBuilder.builder()
        .refusing(refusing)
        .limiting(limiting)
        .cell(cell)
        .asked(asked)
        .available(
            nonPreemptible ? at.nonPreemptibleRoom(queue, cell) : room(at, queue, refusing, cell))
        .used(nonPreemptible ? at.nonPreemptible(node, cell) : at.used(node, cell))
        .quota(quota)
        .most(
            nonPreemptible ? quota : room(at == largest ? largest : unused, queue, refusing, cell))
        .nonPreemptible(nonPreemptible)
        .rise(rise(at, limiting, cell))
        .build();
  }

  /**
   * Returns the node with the limit that explains a refusal. A node without a limit for the cell
   * has only quota that its children lend. If the child on the path has quota and its siblings lend
   * it nothing, a larger limit of the child would admit the amount.
   */
  private static QuotaNode limiting(
      QuotaTree at, QuotaNodeId queue, QuotaNode refusing, QuotaCell cell, long asked) {
    List<QuotaNode> path = at.path(queue);
    int height = path.indexOf(refusing);
    while (height > 0 && !limits(path.get(height), cell)) {
      QuotaNodeId below = path.get(height - 1).id();
      long quota = at.subtreeQuota(below, cell);
      long own = Saturating.minus(quota, at.used(below, cell));
      if (quota == 0 || own >= asked || own < room(at, queue, refusing, cell)) {
        break;
      }
      height--;
    }
    return height < 0 ? refusing : path.get(height);
  }

  private static boolean limits(QuotaNode node, QuotaCell cell) {
    return node.limits().stream()
        .anyMatch(l -> l.flavor().equals(cell.flavor()) && l.resource().equals(cell.resource()));
  }

  /** Tenants must not read the platform's limits or their schedule. */
  private @Nullable LimitChange rise(QuotaTree at, QuotaNode limiting, QuotaCell cell) {
    return at == largest || limiting.ofFleet()
        ? null
        : at.nextRise(limiting.id(), cell, asOf).orElse(null);
  }

  private static long room(QuotaTree at, QuotaNodeId queue, QuotaNode refusing, QuotaCell cell) {
    return refusing.ofFleet() ? at.available(queue, cell) : at.availableInTree(queue, cell);
  }

  /**
   * Returns use to the quota tree. Running the result charges it again.
   *
   * @param leftAlready whether {@link #futureQuota} already excludes this use
   */
  public Undo give(QuotaNodeId queue, Charges charges, boolean leftAlready) {
    if (tree.node(queue).isEmpty()) {
      return () -> {};
    }
    charges.free(tree, queue);
    if (futureQuota != null && !leftAlready) {
      futureQuota.give(queue, charges);
    }
    return () -> {
      charges.use(tree, queue);
      if (futureQuota != null && !leftAlready) {
        Undo _ = futureQuota.take(queue, charges);
      }
    };
  }

  /** Charges the queue. The ledger can undo the charge. */
  public void use(QuotaNodeId queue, Charges charges, Ledger ledger) {
    charges.use(tree, queue);
    ledger.note(() -> charges.free(tree, queue));
    if (futureQuota != null) {
      ledger.note(futureQuota.take(queue, charges));
    }
  }
}
