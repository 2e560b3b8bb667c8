package dev.fairlead.world;

import dev.fairlead.budget.BudgetState;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.job.PlaceFailure;
import dev.fairlead.job.Reservation;
import dev.fairlead.price.PriceBook;
import dev.fairlead.quota.PastUse;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaUse;
import java.time.Instant;
import java.util.List;

/**
 * Rows of one consistent read.
 *
 * @param asOf the database's time of the read
 * @param nodes all that are not retired
 * @param pending jobs with something to place
 * @param live attempts that hold allocations, with the job's name and runtime
 * @param reservations capacity that is kept for waiting jobs
 * @param placeFailures attempts that ended for their node not long ago, the newest first
 * @param pastUses what ended jobs used, where the quota tree weighs it in
 * @param prices the price book of all tenants
 * @param budgets of all tenants
 */
public record World(
    Instant asOf,
    List<Cluster> clusters,
    List<Node> nodes,
    List<QuotaNode> quotaNodes,
    List<QuotaUse> quotaUses,
    List<PendingJob> pending,
    List<LiveAttempt> live,
    List<Reservation> reservations,
    List<PlaceFailure> placeFailures,
    List<PastUse> pastUses,
    PriceBook prices,
    List<BudgetState> budgets) {
  /** Without budgets. */
  public World(
      Instant asOf,
      List<Cluster> clusters,
      List<Node> nodes,
      List<QuotaNode> quotaNodes,
      List<QuotaUse> quotaUses,
      List<PendingJob> pending,
      List<LiveAttempt> live,
      List<Reservation> reservations,
      List<PlaceFailure> placeFailures,
      List<PastUse> pastUses,
      PriceBook prices) {
    this(
        asOf,
        clusters,
        nodes,
        quotaNodes,
        quotaUses,
        pending,
        live,
        reservations,
        placeFailures,
        pastUses,
        prices,
        List.of());
  }

  /** In which nothing has a price. */
  public World(
      Instant asOf,
      List<Cluster> clusters,
      List<Node> nodes,
      List<QuotaNode> quotaNodes,
      List<QuotaUse> quotaUses,
      List<PendingJob> pending,
      List<LiveAttempt> live,
      List<Reservation> reservations,
      List<PlaceFailure> placeFailures,
      List<PastUse> pastUses) {
    this(
        asOf,
        clusters,
        nodes,
        quotaNodes,
        quotaUses,
        pending,
        live,
        reservations,
        placeFailures,
        pastUses,
        PriceBook.EMPTY);
  }

  /** Without history. */
  public World(
      Instant asOf,
      List<Cluster> clusters,
      List<Node> nodes,
      List<QuotaNode> quotaNodes,
      List<QuotaUse> quotaUses,
      List<PendingJob> pending,
      List<LiveAttempt> live,
      List<Reservation> reservations,
      List<PlaceFailure> placeFailures) {
    this(
        asOf,
        clusters,
        nodes,
        quotaNodes,
        quotaUses,
        pending,
        live,
        reservations,
        placeFailures,
        List.of());
  }

  /** In which no node has failed anybody. */
  public World(
      Instant asOf,
      List<Cluster> clusters,
      List<Node> nodes,
      List<QuotaNode> quotaNodes,
      List<QuotaUse> quotaUses,
      List<PendingJob> pending,
      List<LiveAttempt> live,
      List<Reservation> reservations) {
    this(asOf, clusters, nodes, quotaNodes, quotaUses, pending, live, reservations, List.of());
  }

  /** In which nothing is reserved. */
  public World(
      Instant asOf,
      List<Cluster> clusters,
      List<Node> nodes,
      List<QuotaNode> quotaNodes,
      List<QuotaUse> quotaUses,
      List<PendingJob> pending,
      List<LiveAttempt> live) {
    this(asOf, clusters, nodes, quotaNodes, quotaUses, pending, live, List.of());
  }

  /** The same with other pending jobs. */
  public World with(List<PendingJob> otherPending) {
    return new World(
        asOf,
        clusters,
        nodes,
        quotaNodes,
        quotaUses,
        otherPending,
        live,
        reservations,
        placeFailures,
        pastUses,
        prices,
        budgets);
  }

  /** The same with other budgets. */
  public World budgeted(List<BudgetState> other) {
    return new World(
        asOf,
        clusters,
        nodes,
        quotaNodes,
        quotaUses,
        pending,
        live,
        reservations,
        placeFailures,
        pastUses,
        prices,
        other);
  }

  /** A live attempt with what the engine needs of its job. */
  public record LiveAttempt(Attempt attempt, Job job) {}
}
