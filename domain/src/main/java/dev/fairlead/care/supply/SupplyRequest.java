package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that were asked for once, until the last of them is handed back. Its row is written before
 * the supplier is called and after it answered, so that after a crash in between it is asked the
 * same again under the same key.
 *
 * @param settledAt when it became READY, REFUSED or TIMED_OUT
 * @param endedAt when nothing of it was left
 * @param talk with the supplier
 * @param delivered nodes that the supplier named
 */
public record SupplyRequest(
    SupplyRequestId id,
    Demand asked,
    SupplyState state,
    @Nullable Instant settledAt,
    @Nullable Instant endedAt,
    Progress talk,
    List<SuppliedNode> delivered,
    long version) {
  /** Between two questions of a supplier that answers. */
  static final Duration ASK_EVERY = Duration.ofSeconds(10);

  /** Between two questions of one that does not, at the most. */
  static final Duration ASK_AT_LEAST_EVERY = Duration.ofMinutes(5);

  private static final int DOUBLINGS = 5;

  /**
   * What was asked for.
   *
   * @param supply version of the supply by then; 0 where it was not noted
   */
  public record Demand(
      PoolId pool,
      ClusterId cluster,
      String model,
      int nodes,
      Instant at,
      Instant deadline,
      long supply) {}

  /**
   * How it stands with the supplier.
   *
   * @param next when it is called next
   * @param unanswered how often in a row it did not answer
   * @param message what it said last, or why it did not
   * @param retryAfter how long it will have no such nodes, null when it does not say
   * @param handsBack whether it has to hear which nodes are kept
   */
  public record Progress(
      Instant next,
      int unanswered,
      String message,
      @Nullable Duration retryAfter,
      boolean handsBack) {
    Progress handingBack(Instant now) {
      return handsBack ? this : new Progress(now, 0, message, retryAfter, true);
    }
  }

  public SupplyRequest {
    delivered = List.copyOf(delivered);
  }

  public static SupplyRequest of(SupplyRequestId id, Supply supply, int nodes, Instant now) {
    return new SupplyRequest(
        id,
        new Demand(
            supply.pool(),
            supply.cluster(),
            supply.kind().model(),
            nodes,
            now,
            now.plus(supply.readyWithin()),
            supply.version()),
        SupplyState.PENDING,
        null,
        null,
        new Progress(now, 0, "", null, false),
        List.of(),
        1);
  }

  boolean isOf(Supply supply) {
    return asked.pool().equals(supply.pool())
        && asked.cluster().equals(supply.cluster())
        && asked.model().equals(supply.kind().model());
  }

  @Nullable Duration retryAfter() {
    return talk.retryAfter();
  }

  /** Names of its nodes that jobs use, or may. */
  public List<String> kept() {
    return names(delivered);
  }

  /** Names that its supplier must not take back: {@link #kept}, and nodes of others. */
  public List<String> notHandedBack() {
    return delivered.stream()
        .filter(node -> node.kept() || node.foreign())
        .map(SuppliedNode::name)
        .toList();
  }

  /**
   * What came in place of what was asked for, when it was given up because of that; null for
   * nothing.
   */
  public @Nullable String misfit() {
    return state == SupplyState.TIMED_OUT
        ? delivered.stream()
            .filter(SuppliedNode::misfits)
            .findFirst()
            .map(node -> "node " + node.name() + " " + node.trouble())
            .orElse(null)
        : null;
  }

  /** Names of its nodes that its cluster shows. */
  public List<String> there() {
    return delivered.stream().filter(SuppliedNode::there).map(SuppliedNode::name).toList();
  }

  /**
   * Its nodes that its cluster shows and that take nothing new because of it alone; those that were
   * given up may be removed at any moment.
   */
  public List<NodeId> drained() {
    return delivered.stream()
        .filter(node -> node.there() && node.drainedAt() != null && node.kept() && !node.cordoned())
        .map(SuppliedNode::id)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Nodes that may have to be paid for because of it: those that may come, and those that its
   * cluster shows, whatever its supplier says.
   */
  public int held() {
    if (endedAt != null) {
      return 0;
    }
    int there = (int) delivered.stream().filter(SuppliedNode::there).count();
    return state.waits() || talk.handsBack() ? Math.max(asked.nodes(), there) : there;
  }

  /** Nodes that may still come. */
  public int coming() {
    return state.waits() ? Math.max(0, asked.nodes() - ready(delivered)) : 0;
  }

  /** What its supplier is to be asked at that time, null for nothing. */
  public SupplyCall.@Nullable Action due(Instant now) {
    if (endedAt != null || talk.next().isAfter(now)) {
      return null;
    }
    if (state.waits()) {
      return SupplyCall.Action.REQUEST;
    }
    return talk.handsBack() ? SupplyCall.Action.RELEASE : null;
  }

  /** After the supplier answered, or did not. */
  public SupplyRequest answered(SupplyCall.Action action, SupplyAnswer answer, Instant now) {
    return switch (answer) {
      case SupplyAnswer.Unanswered none -> unanswered(none.why(), now);
      case SupplyAnswer.Answered said ->
          action == SupplyCall.Action.REQUEST ? asked(said, now) : handedBack(said, now);
    };
  }

  private SupplyRequest unanswered(String why, Instant now) {
    Progress next =
        new Progress(
            now.plus(silence(talk.unanswered())),
            talk.unanswered() + 1,
            why,
            talk.retryAfter(),
            talk.handsBack());
    return with(state, settledAt, next, delivered, now);
  }

  /** How long one is left alone that did not answer, and had not so often before. */
  public static Duration silence(int unanswered) {
    Duration doubled = ASK_EVERY.multipliedBy(1L << Math.min(unanswered, DOUBLINGS));
    return doubled.compareTo(ASK_AT_LEAST_EVERY) > 0 ? ASK_AT_LEAST_EVERY : doubled;
  }

  private Progress heard(SupplyAnswer.Answered said, Instant now, boolean handsBack) {
    return new Progress(now.plus(ASK_EVERY), 0, said.message(), said.retryAfter(), handsBack);
  }

  private SupplyRequest asked(SupplyAnswer.Answered said, Instant now) {
    return switch (said.word()) {
      case PENDING -> with(state, null, heard(said, now, false), named(said.nodes()), now);
      case GRANTED ->
          with(SupplyState.GRANTED, null, heard(said, now, false), named(said.nodes()), now);
      // What it made, or promised in an answer that was lost, may exist all the same.
      case REFUSED, RELEASED ->
          with(SupplyState.REFUSED, now, heard(said, now, true), delivered, now);
    };
  }

  /** Why it refused, and for how long, stays said. */
  private SupplyRequest handedBack(SupplyAnswer.Answered said, Instant now) {
    boolean none =
        state == SupplyState.REFUSED
            && delivered.isEmpty()
            && said.word() == SupplyAnswer.Word.REFUSED;
    boolean done = none || said.word() == SupplyAnswer.Word.RELEASED;
    String message = said.message().isEmpty() ? talk.message() : said.message();
    Progress next = new Progress(now.plus(ASK_EVERY), 0, message, talk.retryAfter(), !done);
    return with(state, settledAt, next, delivered, now);
  }

  /** How many nodes it waits for of which no name is known. */
  public int unnamed() {
    long named =
        delivered.stream().filter(node -> !node.foreign() && node.returnedAt() == null).count();
    return state.waits() ? (int) Math.max(0, asked.nodes() - named) : 0;
  }

  /** With these nodes as its own, of a supplier that does not name any. */
  public SupplyRequest claimed(List<String> names, Instant now) {
    return with(state, settledAt, talk, named(names), now);
  }

  /** Those that it knows, and more up to twice as many as were asked for. */
  private List<SuppliedNode> named(List<String> names) {
    List<SuppliedNode> all = new ArrayList<>(delivered);
    for (String name : names) {
      boolean known = all.stream().anyMatch(node -> node.name().equals(name));
      if (!known && all.size() < 2 * asked.nodes()) {
        all.add(SuppliedNode.named(name));
      }
    }
    return all;
  }

  /**
   * With what its cluster shows now, and what follows: a node that was empty for long enough, or
   * that is not wanted, is drained; one that is drained, takes nothing and is still empty is given
   * up.
   *
   * @param nodes by name
   */
  public SupplyRequest seen(
      SortedMap<String, NodeSighting> nodes, Duration releaseAfter, Instant now) {
    List<SuppliedNode> next = awaited(nodes, now);
    SupplyState then = state;
    if (state.waits() && ready(next) >= asked.nodes()) {
      then = SupplyState.READY;
    } else if (state.waits() && !asked.deadline().isAfter(now)) {
      then = SupplyState.TIMED_OUT;
    }
    boolean settled = !then.waits();
    next.replaceAll(node -> followed(node, nodes.get(node.name()), settled, releaseAfter, now));
    boolean surplus = next.stream().anyMatch(node -> !node.kept());
    boolean handsBack =
        settled
            && (state == then
                ? !names(next).equals(kept())
                : surplus || then == SupplyState.TIMED_OUT);
    return with(
        then, state == then ? settledAt : now, handsBack ? talk.handingBack(now) : talk, next, now);
  }

  /** With the nodes ready that it waited for, and no more than that. */
  private List<SuppliedNode> awaited(SortedMap<String, NodeSighting> nodes, Instant now) {
    List<SuppliedNode> next = new ArrayList<>();
    int ready = ready(delivered);
    for (SuppliedNode node : delivered) {
      NodeSighting seen = nodes.get(node.name());
      boolean waits = state.waits() && node.readyAt() == null && seen != null;
      SuppliedNode then =
          waits && seen != null && !node.isForeign(seen)
              ? node.awaited(seen, ready < asked.nodes(), now)
              : node;
      ready += then.ready() && !node.ready() ? 1 : 0;
      next.add(then);
    }
    return next;
  }

  private static SuppliedNode followed(
      SuppliedNode node,
      @Nullable NodeSighting seen,
      boolean settled,
      Duration releaseAfter,
      Instant now) {
    if (seen == null) {
      return node.unseen(now);
    }
    if (node.isForeign(seen)) {
      return node.left(seen);
    }
    if (node.ready()) {
      return node.inUse(seen, settled, releaseAfter, now);
    }
    return settled || node.returnedAt() != null ? node.unwanted(seen, now) : node;
  }

  private static int ready(List<SuppliedNode> nodes) {
    return (int) nodes.stream().filter(SuppliedNode::ready).count();
  }

  private static List<String> names(List<SuppliedNode> nodes) {
    return nodes.stream().filter(SuppliedNode::kept).map(SuppliedNode::name).toList();
  }

  /** Nodes that are to be drained with {@code next}. */
  public List<NodeId> drainedIn(SupplyRequest next) {
    SortedMap<String, SuppliedNode> before = new TreeMap<>();
    delivered.forEach(node -> before.put(node.name(), node));
    List<NodeId> drained = new ArrayList<>();
    for (SuppliedNode node : next.delivered()) {
      SuppliedNode then = before.get(node.name());
      NodeId id = node.id();
      boolean again = then != null && !Objects.equals(then.drainedAt(), node.drainedAt());
      if (id != null && node.drainedAt() != null && again) {
        drained.add(id);
      }
    }
    return Collections.unmodifiableList(drained);
  }

  private SupplyRequest with(
      SupplyState next,
      @Nullable Instant settled,
      Progress said,
      List<SuppliedNode> nodes,
      Instant now) {
    boolean left = next.waits() || said.handsBack() || nodes.stream().anyMatch(SuppliedNode::there);
    boolean same =
        next == state && said.equals(talk) && nodes.equals(delivered) && left == (endedAt == null);
    return same
        ? this
        : new SupplyRequest(id, asked, next, settled, left ? null : now, said, nodes, version + 1);
  }
}
