package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.Undo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Quota of the cycle: what may still be used, and which quota node refuses. */
public final class Admission {
  private final SoundTree sound;
  private final QuotaTree tree;
  private final QuotaTree unused;
  private final QuotaTree largest;
  private final Instant asOf;
  private @Nullable FutureQuota futureQuota;
  private final SortedMap<QuotaNodeId, Boolean> limited = new TreeMap<>();

  /**
   * @param asOf by which windows of limits are open or closed
   */
  public Admission(Collection<QuotaNode> nodes, Collection<QuotaUse> uses, Instant asOf) {
    sound = new SoundTree(nodes);
    this.asOf = asOf;
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

  /** The same after all terminating attempts have left; from the first call on both are checked. */
  public FutureQuota futureQuota() {
    FutureQuota known = futureQuota;
    if (known == null) {
      known = new FutureQuota(tree);
      futureQuota = known;
    }
    return known;
  }

  /** Why the limits of a queue cannot be read, as text for people; empty when they can. */
  public Optional<String> broken(QuotaNodeId queue) {
    return sound.broken(queue);
  }

  /**
   * Whether the queue, a node above it or the platform has limits; if not, nothing refuses and
   * nothing needs counting.
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

  /** Whether the whole element fits at once. */
  public boolean admits(QuotaNodeId queue, Charges charges) {
    return charges.fit(tree, queue) && (futureQuota == null || futureQuota.admits(queue, charges));
  }

  /**
   * What limits that evict have at all times, where they let in less at that time than they do now:
   * work of that time may grow within this alone, since it stays when they let in less again. Empty
   * where none did.
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

  /** Every cell that refuses, by flavor and resource. */
  public List<Shortfall> shortfalls(QuotaNodeId queue, Charges charges) {
    return shortfalls(tree, queue, charges);
  }

  /**
   * Cells that have enough now, but not once all terminating attempts have left and all
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

  /** Every cell that would refuse even on an idle fleet, whatever windows of limits are open. */
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
            QuotaNode bearer = at.nonPreemptibleWall(queue, cell).orElseThrow();
            all.add(shortfall(at, queue, bearer, cell, asked, true));
          }
        });
    return all;
  }

  /**
   * @param nonPreemptible whether nominal quota is short, which such jobs alone count against
   */
  private Shortfall shortfall(
      QuotaTree at,
      QuotaNodeId queue,
      QuotaNode refusing,
      QuotaCell cell,
      long asked,
      boolean nonPreemptible) {
    QuotaNodeId node = refusing.id();
    long quota = nonPreemptible ? at.nominal(node, cell) : at.subtreeQuota(node, cell);
    return new Shortfall(
        refusing,
        cell,
        asked,
        nonPreemptible ? at.nonPreemptibleRoom(queue, cell) : room(at, queue, refusing, cell),
        nonPreemptible ? at.nonPreemptible(node, cell) : at.used(node, cell),
        quota,
        nonPreemptible ? quota : room(at == largest ? largest : unused, queue, refusing, cell),
        nonPreemptible,
        rise(at, refusing, cell));
  }

  /** What the platform gives its tenants, and when, is not theirs to read. */
  private @Nullable LimitChange rise(QuotaTree at, QuotaNode refusing, QuotaCell cell) {
    return at == largest || refusing.ofFleet()
        ? null
        : at.nextRise(refusing.id(), cell, asOf).orElse(null);
  }

  private static long room(QuotaTree at, QuotaNodeId queue, QuotaNode refusing, QuotaCell cell) {
    return refusing.ofFleet() ? at.available(queue, cell) : at.availableInTree(queue, cell);
  }

  /**
   * Gives use back; the result takes it again.
   *
   * @param leftAlready whether it was given back {@link #futureQuota} before
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

  /** Charges the queue; the ledger can take it back. */
  public void use(QuotaNodeId queue, Charges charges, Ledger ledger) {
    charges.use(tree, queue);
    ledger.note(() -> charges.free(tree, queue));
    if (futureQuota != null) {
      ledger.note(futureQuota.take(queue, charges));
    }
  }
}
