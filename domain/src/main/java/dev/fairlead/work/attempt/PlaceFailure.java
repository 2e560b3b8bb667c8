package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.member.Member;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An attempt ended because of its node or cluster, not because of its program. At least this job
 * avoids the place for a while. The scheduler decides for how long.
 *
 * @param node node of the first member, where a cluster refused
 * @param placedAt when the attempt was planned
 * @param at when the attempt ended
 * @param refusal the refusal of its cluster, null if it ended for its node
 * @param gpu serial number of the faulty GPU, null if none
 */
@RecordBuilder
public record PlaceFailure(
    JobId job,
    int element,
    NodeId node,
    FailureCause cause,
    Instant placedAt,
    Instant at,
    @Nullable Refusal refusal,
    @Nullable String gpu) {
  /** Refusal by a cluster, with the message of its API server. */
  public record Refusal(ClusterId cluster, ClusterRefusal kind, String message) {}

  /**
   * The failures that still count against their nodes. An attempt that was placed before the last
   * release of its node does not: the release confirms that the machine is fit for use, and an
   * attempt may end only after the release. Refusals of clusters are retained.
   *
   * @param released when each of these nodes was last released
   */
  public static List<PlaceFailure> sinceRelease(
      List<PlaceFailure> failures, Function<Set<NodeId>, SortedMap<NodeId, Instant>> released) {
    Set<NodeId> nodes = new TreeSet<>();
    for (PlaceFailure failure : failures) {
      if (failure.refusal == null) {
        nodes.add(failure.node);
      }
    }
    SortedMap<NodeId, Instant> releases =
        nodes.isEmpty() ? Collections.emptySortedMap() : released.apply(nodes);
    return failures.stream()
        .filter(failure ->
            failure.refusal != null
                || failure.placedAt.isAfter(releases.getOrDefault(failure.node, Instant.MIN)))
        .toList();
  }

  /** A failure that counts against a node. */
  public static final Set<FailureCause> CAUSES =
      Collections.unmodifiableSet(
          EnumSet.of(
              FailureCause.PLACEMENT_CONFLICT,
              FailureCause.START_TIMEOUT,
              FailureCause.NODE_FAILURE,
              FailureCause.GPU_FAULT));

  /** Evidence that no object was sent to the cluster, so no node is at fault. */
  public static final String NOTHING_SENT = "NOTHING_SENT";

  /** Duration of its effect on the node. */
  public static final Duration REMEMBERED = Duration.ofHours(1);

  /** Maximum number of returned failures, newest first. */
  public static final int MOST = 1_000;

  /** Returns whether nothing of the attempt was sent to its cluster. */
  public static boolean nothingSent(Failure failure) {
    return failure.evidence().contains(NOTHING_SENT);
  }

  /**
   * The result is empty if the attempt ended for another reason, on several nodes without a named
   * node, or before its launch. If all members ran, it did start: later silence of its program
   * ({@code progress.timeout}) is not evidence against the node.
   */
  public static Optional<PlaceFailure> of(Attempt attempt) {
    Failure failure = attempt.failure();
    Instant ended = attempt.endedAt();
    if (failure == null
        || ended == null
        || !CAUSES.contains(failure.cause())
        || nothingSent(failure)
        || failure.cause() == FailureCause.START_TIMEOUT && attempt.startedAt() != null) {
      return Optional.empty();
    }
    Optional<ClusterRefusal> refused = ClusterRefusal.of(failure);
    if (refused.isPresent() && !attempt.members().isEmpty()) {
      NodeId first = attempt.members().getFirst().node();
      Refusal refusal = new Refusal(attempt.cluster(), refused.get(), failure.message());
      return Optional.of(
          PlaceFailureBuilder.builder()
              .job(attempt.job())
              .element(attempt.element())
              .node(first)
              .cause(failure.cause())
              .placedAt(attempt.createdAt())
              .at(ended)
              .refusal(refusal)
              .gpu(null)
              .build());
    }
    Set<NodeId> nodes = new TreeSet<>();
    for (Member member : attempt.members()) {
      if (failure.node() == null || failure.node().equals(member.nodeName())) {
        nodes.add(member.node());
      }
    }
    return nodes.stream()
        .filter(node -> nodes.size() == 1)
        .findFirst()
        .map(node ->
            PlaceFailureBuilder.builder()
                .job(attempt.job())
                .element(attempt.element())
                .node(node)
                .cause(failure.cause())
                .placedAt(attempt.createdAt())
                .at(ended)
                .refusal(null)
                .gpu(failure.gpuSerial())
                .build());
  }
}
