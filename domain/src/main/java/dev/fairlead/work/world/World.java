package dev.fairlead.work.world;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

/**
 * Rows of one consistent read.
 *
 * @param asOf the database's time of the read
 * @param nodes all that are not retired
 * @param pending jobs with something to place
 * @param live attempts that hold allocations, with the job's name and runtime
 * @param reservations capacity reserved for waiting jobs
 * @param placeFailures recent attempts that ended because of their node, newest first
 * @param pastUses use of ended jobs, if the quota tree weighs it
 * @param prices the price book of all tenants
 * @param budgets budgets of all tenants
 * @param licences licences of the installation, by name
 * @param offers nodes that provisioners could add, by pool
 * @param advanceReservations open advance reservations, by start
 * @param domainQuarantines active ones, of all clusters
 * @param volumes volumes on a cluster. Jobs that mount them may run only on that cluster
 * @param movedBack how many attempts of a queue were moved back in the last hour, none where absent
 * @param preflights tests of nodes for waiting jobs: active ones, and those of the last hour, empty
 *     if no waiting job requests one
 * @param deadElements waiting elements of arrays that must end, because their own dependency can no
 *     longer be met
 */
@RecordBuilder
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
    List<BudgetState> budgets,
    List<Licence> licences,
    List<SupplyOffer> offers,
    List<AdvanceReservation> advanceReservations,
    List<DomainQuarantine> domainQuarantines,
    List<Volume> volumes,
    SortedMap<QuotaNodeId, Integer> movedBack,
    List<Preflight> preflights,
    List<DeadElements> deadElements) {
  /** A world at that time without content. */
  public static Builder at(Instant asOf) {
    return new Builder(asOf);
  }

  /** For a world that differs from this one in the fields set. */
  public Builder toBuilder() {
    return at(asOf)
        .clusters(clusters)
        .nodes(nodes)
        .quotaNodes(quotaNodes)
        .quotaUses(quotaUses)
        .pending(pending)
        .live(live)
        .reservations(reservations)
        .placeFailures(placeFailures)
        .pastUses(pastUses)
        .prices(prices)
        .budgets(budgets)
        .licences(licences)
        .offers(offers)
        .advanceReservations(advanceReservations)
        .domainQuarantines(domainQuarantines)
        .volumes(volumes)
        .movedBack(movedBack)
        .preflights(preflights)
        .deadElements(deadElements);
  }

  /** Returns the world with other pending jobs. */
  public World with(List<PendingJob> otherPending) {
    return toBuilder().pending(otherPending).build();
  }

  /** Locations of its volumes. */
  public VolumePlaces volumePlaces() {
    return VolumePlaces.of(volumes, clusters);
  }

  /** A live attempt with the parts of its job that the engine needs. */
  public record LiveAttempt(Attempt attempt, Job job) {}

  /**
   * Elements that must end.
   *
   * @param dependency their dependency, with their indexes
   */
  public record DeadElements(Job job, FailedDependency dependency) {}

  /** Sets the content of a world by name. Unset fields are empty. */
  public static final class Builder {
    private Instant asOf;
    private List<Cluster> clusters = List.of();
    private List<Node> nodes = List.of();
    private List<QuotaNode> quotaNodes = List.of();
    private List<QuotaUse> quotaUses = List.of();
    private List<PendingJob> pending = List.of();
    private List<LiveAttempt> live = List.of();
    private List<Reservation> reservations = List.of();
    private List<PlaceFailure> placeFailures = List.of();
    private List<PastUse> pastUses = List.of();
    private PriceBook prices = PriceBook.EMPTY;
    private List<BudgetState> budgets = List.of();
    private List<Licence> licences = List.of();
    private List<SupplyOffer> offers = List.of();
    private List<AdvanceReservation> advanceReservations = List.of();
    private List<DomainQuarantine> domainQuarantines = List.of();
    private List<Volume> volumes = List.of();
    private SortedMap<QuotaNodeId, Integer> movedBack = Collections.emptySortedMap();
    private List<Preflight> preflights = List.of();
    private List<DeadElements> deadElements = List.of();

    private Builder(Instant asOf) {
      this.asOf = asOf;
    }

    public Builder asOf(Instant time) {
      asOf = time;
      return this;
    }

    public Builder clusters(List<Cluster> all) {
      clusters = all;
      return this;
    }

    public Builder nodes(List<Node> all) {
      nodes = all;
      return this;
    }

    public Builder quotaNodes(List<QuotaNode> all) {
      quotaNodes = all;
      return this;
    }

    public Builder quotaUses(List<QuotaUse> all) {
      quotaUses = all;
      return this;
    }

    public Builder pending(List<PendingJob> all) {
      pending = all;
      return this;
    }

    public Builder live(List<LiveAttempt> all) {
      live = all;
      return this;
    }

    public Builder reservations(List<Reservation> all) {
      reservations = all;
      return this;
    }

    public Builder placeFailures(List<PlaceFailure> all) {
      placeFailures = all;
      return this;
    }

    public Builder pastUses(List<PastUse> all) {
      pastUses = all;
      return this;
    }

    public Builder prices(PriceBook all) {
      prices = all;
      return this;
    }

    public Builder budgets(List<BudgetState> all) {
      budgets = all;
      return this;
    }

    public Builder licences(List<Licence> all) {
      licences = all;
      return this;
    }

    public Builder offers(List<SupplyOffer> all) {
      offers = all;
      return this;
    }

    public Builder advanceReservations(List<AdvanceReservation> all) {
      advanceReservations = all;
      return this;
    }

    public Builder domainQuarantines(List<DomainQuarantine> all) {
      domainQuarantines = all;
      return this;
    }

    public Builder volumes(List<Volume> all) {
      volumes = all;
      return this;
    }

    public Builder movedBack(SortedMap<QuotaNodeId, Integer> byQueue) {
      movedBack = byQueue;
      return this;
    }

    public Builder preflights(List<Preflight> all) {
      preflights = all;
      return this;
    }

    public Builder deadElements(List<DeadElements> all) {
      deadElements = all;
      return this;
    }

    public World build() {
      VolumePlaces places = VolumePlaces.of(volumes, clusters);
      return WorldBuilder.builder()
          .asOf(asOf)
          .clusters(clusters)
          .nodes(nodes)
          .quotaNodes(quotaNodes)
          .quotaUses(quotaUses)
          .pending(places.drawn(pending))
          .live(places.drawnLive(live))
          .reservations(reservations)
          .placeFailures(placeFailures)
          .pastUses(pastUses)
          .prices(prices)
          .budgets(budgets)
          .licences(licences)
          .offers(offers)
          .advanceReservations(advanceReservations)
          .domainQuarantines(domainQuarantines)
          .volumes(volumes)
          .movedBack(movedBack)
          .preflights(preflights)
          .deadElements(deadElements)
          .build();
    }
  }
}
