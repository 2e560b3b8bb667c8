package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
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
 * A request for nodes, until its last node is returned. Its row is written before the provisioner
 * is called and after the response, so that a crash repeats the same request under the same key.
 *
 * @param settledAt time when it became READY, REFUSED or TIMED_OUT
 * @param endedAt time when its last remainder was removed
 * @param talk progress of the calls to the provisioner
 * @param delivered nodes that the provisioner named
 */
@RecordBuilder
public record SupplyRequest(
    SupplyRequestId id,
    Demand asked,
    SupplyState state,
    @Nullable Instant settledAt,
    @Nullable Instant endedAt,
    Progress talk,
    List<SuppliedNode> delivered,
    long version) {
  /** Interval between calls to a provisioner that answers. */
  static final Duration ASK_EVERY = Duration.ofSeconds(10);

  /** Maximum interval between calls to a provisioner that does not answer. */
  static final Duration ASK_AT_LEAST_EVERY = Duration.ofMinutes(5);

  private static final int DOUBLINGS = 5;

  /**
   * The requested nodes.
   *
   * @param supply version of the supply at that time, 0 if it was not recorded
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
   * The progress of the calls to the provisioner.
   *
   * @param next time of the next call
   * @param unanswered number of consecutive unanswered calls
   * @param message its last message, or why it did not answer
   * @param retryAfter time without such nodes, null if unknown
   * @param handsBack whether it must be informed which nodes to retain
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
    return SupplyRequestBuilder.builder()
        .id(id)
        .asked(
            new Demand(
                supply.pool(),
                supply.cluster(),
                supply.kind().model(),
                nodes,
                now,
                now.plus(supply.readyWithin()),
                supply.version()))
        .state(SupplyState.PENDING)
        .settledAt(null)
        .endedAt(null)
        .talk(new Progress(now, 0, "", null, false))
        .delivered(List.of())
        .version(1)
        .build();
  }

  boolean isOf(Supply supply) {
    return asked.pool().equals(supply.pool())
        && asked.cluster().equals(supply.cluster())
        && asked.model().equals(supply.kind().model());
  }

  @Nullable Duration retryAfter() {
    return talk.retryAfter();
  }

  /** Returns the names of its nodes that jobs use or may use. */
  public List<String> kept() {
    return names(delivered);
  }

  /** Returns the names that its provisioner must not remove: {@link #kept} and foreign nodes. */
  public List<String> notHandedBack() {
    return delivered.stream()
        .filter(node -> node.kept() || node.foreign())
        .map(SuppliedNode::name)
        .toList();
  }

  /** Describes the mismatched node because of which the request was abandoned, null if none. */
  public @Nullable String misfit() {
    return state == SupplyState.TIMED_OUT
        ? delivered.stream()
            .filter(SuppliedNode::misfits)
            .findFirst()
            .map(node -> "node " + node.name() + " " + node.trouble())
            .orElse(null)
        : null;
  }

  /** Returns the names of the request's nodes that the cluster reports. */
  public List<String> there() {
    return delivered.stream().filter(SuppliedNode::there).map(SuppliedNode::name).toList();
  }

  /**
   * Returns its nodes that its cluster shows and that are closed to new members only because of
   * this request. Released nodes may be removed at any moment and are omitted.
   */
  public List<NodeId> drained() {
    return delivered.stream()
        .filter(node -> node.there() && node.drainedAt() != null && node.kept() && !node.cordoned())
        .map(SuppliedNode::id)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Returns the number of nodes that may be billed for it: nodes that may arrive, and nodes that
   * its cluster lists, regardless of the provisioner's report.
   */
  public int held() {
    if (endedAt != null) {
      return 0;
    }
    int there = (int) delivered.stream().filter(SuppliedNode::there).count();
    return state.waits() || talk.handsBack() ? Math.max(asked.nodes(), there) : there;
  }

  /** Returns the number of nodes that may still arrive. */
  public int coming() {
    return state.waits() ? Math.max(0, asked.nodes() - ready(delivered)) : 0;
  }

  /** Returns the next action to request at that time, null if none. */
  public SupplyCall.@Nullable Action due(Instant now) {
    if (endedAt != null || talk.next().isAfter(now)) {
      return null;
    }
    if (state.waits()) {
      return SupplyCall.Action.REQUEST;
    }
    return talk.handsBack() ? SupplyCall.Action.RELEASE : null;
  }

  /** Applies a response of the provisioner, or its absence. */
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

  /**
   * Returns the pause after a call without a response, which depends on the number of earlier
   * calls.
   */
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
      case REFUSED, RELEASED -> // it may have created nodes, or promised some in a lost response
          with(SupplyState.REFUSED, now, heard(said, now, true), delivered, now);
    };
  }

  /** Retains the reason and duration of its refusal. */
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

  /** Returns how many of the expected nodes have no known name. */
  public int unnamed() {
    long named =
        delivered.stream().filter(node -> !node.foreign() && node.returnedAt() == null).count();
    return state.waits() ? (int) Math.max(0, asked.nodes() - named) : 0;
  }

  /** Adds nodes of a provisioner that does not name any. */
  public SupplyRequest claimed(List<String> names, Instant now) {
    return with(state, settledAt, talk, named(names), now);
  }

  /** Returns the known nodes and new ones, up to twice the requested number. */
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
   * Updates the request from the nodes that its cluster shows. A node that was empty for long
   * enough, or that is not needed, is drained. A drained node that is still empty is released.
   *
   * @param nodes nodes by name
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

  /** Adds ready nodes up to the requested number. */
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
      return node.missing(now);
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

  /** Returns the nodes to drain with {@code next}. */
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
        : SupplyRequestBuilder.builder(this)
            .state(next)
            .settledAt(settled)
            .endedAt(left ? null : now)
            .talk(said)
            .delivered(nodes)
            .version(version + 1)
            .build();
  }
}
