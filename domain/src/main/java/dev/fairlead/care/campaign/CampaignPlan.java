package dev.fairlead.care.campaign;

import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.OperationState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Plans the changes of a campaign's nodes. Pure. */
public final class CampaignPlan {
  /** Time after which a returned node that is not in use counts as unhealthy. */
  static final Duration COMES_BACK = Duration.ofMinutes(15);

  private static final int MOST_NAMED = 5;

  private CampaignPlan() {}

  /**
   * The observed state of a node.
   *
   * @param state {@code RETIRED} also if its cluster does not show it
   * @param cordoned whether it is cordoned in Fairlead
   * @param sick whether it is quarantined or under repair
   * @param drain state of the drain that the campaign ordered, null if it no longer exists
   */
  public record Seen(
      NodeState state, boolean cordoned, boolean sick, @Nullable OperationState drain) {}

  /**
   * A change of one node.
   *
   * @param giveBack whether its drain ends, and its cordon unless it was cordoned before
   */
  public record Change(CampaignNode after, boolean giveBack) {}

  /** Returns the change of a node in progress, empty if none. */
  public static Optional<Change> next(
      Campaign campaign, CampaignNode node, Seen seen, Instant now) {
    if (campaign.state() == CampaignState.ABORTED) {
      return skipped(node, "the campaign was aborted", node.state().outOfUse(), now);
    }
    return switch (node.state()) {
      case DRAINING -> drained(campaign.rules(), node, seen, now);
      case READY ->
          seen.cordoned() ? Optional.empty() : note(node.to(CampaignNodeState.SOAKING, "", now));
      case SOAKING, UNHEALTHY -> soaked(campaign.rules(), node, seen, now);
      case PENDING, DONE, SKIPPED -> Optional.empty();
    };
  }

  private static Optional<Change> drained(
      CampaignRules rules, CampaignNode node, Seen seen, Instant now) {
    if (!seen.cordoned()) {
      return skipped(node, "was returned to service while it was being drained", false, now);
    }
    if (seen.drain() == OperationState.SUCCEEDED) {
      return note(node.to(CampaignNodeState.READY, "", now));
    }
    if (seen.drain() != OperationState.RUNNING) {
      return skipped(node, "its drain was cancelled", true, now);
    }
    Duration within = rules.drainWithin();
    boolean late = within != null && !now.isBefore(node.since().plus(within));
    return late && rules.atDeadline() == CampaignDeadline.SKIP
        ? skipped(node, "was not drained in time", true, now)
        : Optional.empty();
  }

  private static Optional<Change> soaked(
      CampaignRules rules, CampaignNode node, Seen seen, Instant now) {
    if (seen.state() == NodeState.ACTIVE && !seen.sick()) {
      Instant from = node.healthySince() == null ? now : node.healthySince();
      if (!now.isBefore(from.plus(rules.soak()))) {
        return note(node.to(CampaignNodeState.DONE, "", now));
      }
      if (node.healthySince() != null) {
        return Optional.empty();
      }
      CampaignNode soaking =
          node.state() == CampaignNodeState.SOAKING
              ? node
              : node.to(CampaignNodeState.SOAKING, "", now);
      return note(soaking.healthy(now));
    }
    if (node.state() == CampaignNodeState.UNHEALTHY) {
      return Optional.empty();
    }
    boolean fell = node.healthySince() != null;
    boolean late = !now.isBefore(node.since().plus(COMES_BACK));
    return seen.sick() || fell || late
        ? note(node.to(CampaignNodeState.UNHEALTHY, complaint(seen), now))
        : Optional.empty();
  }

  private static String complaint(Seen seen) {
    return seen.sick() ? "is quarantined or being repaired" : "is " + seen.state();
  }

  private static Optional<Change> skipped(
      CampaignNode node, String why, boolean giveBack, Instant now) {
    return Optional.of(new Change(node.to(CampaignNodeState.SKIPPED, why, now), giveBack));
  }

  private static Optional<Change> note(CampaignNode after) {
    return Optional.of(new Change(after, false));
  }

  /** Returns how many more nodes may start, given the nodes in progress. */
  public static int places(Campaign campaign, Collection<CampaignNode> active) {
    long taken = active.stream().filter(n -> n.state().takesPlace()).count();
    return campaign.state() == CampaignState.RUNNING && !stopped(campaign, active)
        ? (int) Math.max(0, campaign.rules().atOnce() - taken)
        : 0;
  }

  /** Returns whether more nodes are unhealthy after maintenance than the campaign allows. */
  private static boolean stopped(Campaign campaign, Collection<CampaignNode> active) {
    return unhealthy(active).size() > campaign.rules().mostUnhealthy();
  }

  private static List<CampaignNode> unhealthy(Collection<CampaignNode> active) {
    return active.stream().filter(n -> n.state() == CampaignNodeState.UNHEALTHY).toList();
  }

  /** Returns whether the node may be drained now. Otherwise its position does not change. */
  public static boolean begins(Seen seen) {
    boolean still = seen.state() == NodeState.ACTIVE || seen.state() == NodeState.CORDONED;
    return still && !seen.sick();
  }

  /** Returns the node after it was removed from its cluster. */
  public static CampaignNode left(CampaignNode node, Instant now) {
    return node.to(CampaignNodeState.SKIPPED, "has left its cluster", now);
  }

  /** Returns the drain deadline of a node that starts now, null if the drain has none. */
  public static @Nullable DrainDeadline deadline(CampaignRules rules, Instant now) {
    Duration within = rules.drainWithin();
    return within == null || rules.atDeadline().drain() == null
        ? null
        : new DrainDeadline(now.plus(within), rules.atDeadline().drain());
  }

  /** Returns whether all work is done. */
  public static boolean over(Campaign campaign, Collection<CampaignNode> active, boolean pending) {
    return campaign.state() == CampaignState.ABORTED
        ? active.isEmpty()
        : !pending
            && !stopped(campaign, active)
            && active.stream().noneMatch(n -> n.state().takesPlace());
  }

  /**
   * Explains why the campaign waits, empty if it waits only for its nodes.
   *
   * @param left whether nodes remain that have not started and cannot start
   */
  public static String waitsFor(Campaign campaign, Collection<CampaignNode> active, boolean left) {
    boolean idle = campaign.state() == CampaignState.RUNNING && left;
    return stopped(campaign, active)
        ? "more than %d nodes are unhealthy after maintenance: %s"
            .formatted(
                campaign.rules().mostUnhealthy(),
                unhealthy(active).stream()
                    .limit(MOST_NAMED)
                    .map(CampaignNode::name)
                    .collect(Collectors.joining(", ")))
        : idle && active.isEmpty()
            ? "the remaining nodes are unhealthy, or drained by another operation"
            : "";
  }
}
