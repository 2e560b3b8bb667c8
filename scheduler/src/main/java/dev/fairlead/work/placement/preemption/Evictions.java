package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.share.GroupShares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plans evictions on the world after all terminating attempts have left and every reservation is
 * used, so that no job is chosen twice and none is evicted where waiting is enough.
 */
public final class Evictions {
  /**
   * Keys of an attempt's members start with its id and a slash. This key sorts after all others.
   */
  private static final String BEHIND_ITS_MEMBERS = "0";

  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final Supplier<SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>>> waiting;
  private final CandidateIndex index = new CandidateIndex();
  private @Nullable SortedMap<String, PreemptionUnit> units;
  private boolean reservedPlaces;
  private @Nullable Boolean idle;

  /**
   * @param waiting thousandths of GPUs that jobs wait for now, by queue and cell
   */
  public Evictions(
      Reservations reservations,
      Ledger ledger,
      WorkBudget work,
      Supplier<SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>>> waiting) {
    this.waiting = waiting;
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
  }

  /**
   * The fewest victims that let the fewest members start, on the first assignment where evictions
   * help. The result is null if its queue may evict no job, if no set of victims helps, or if the
   * job only needs to wait for attempts that are already leaving.
   */
  public @Nullable Eviction plan(Job job, GangShape gang, List<FlavorAssignment> assignments) {
    PreemptionRules rules = rules(job);
    if (!allowed(job)) {
      return null;
    }
    List<RunningJob> running = mayGo(job, rules);
    if (running.isEmpty()) {
      return null;
    }
    Undo present = reservations.future();
    try {
      Search search = new Search(job, gang, rules, running, units(), reservations.futureQuota());
      return plan(search, search.worthTrying(assignments));
    } finally {
      present.run();
    }
  }

  /**
   * Returns whether the job's queue may evict jobs, or any job may be evicted because it has no
   * user.
   */
  public boolean allowed(Job job) {
    if (Preemptor.idle(job.priority())) {
      return false;
    }
    PreemptionRules rules = rules(job);
    return rules.withinQueue() != PreemptionRules.WithinQueue.NEVER
        || rules.reclaim() != PreemptionRules.Reclaim.NEVER
        || anyIdle();
  }

  private boolean anyIdle() {
    Boolean known = idle;
    if (known == null) {
      known =
          reservations.attempts().all().stream()
              .anyMatch(running -> Preemptor.idle(running.job().priority()));
      idle = known;
    }
    return known;
  }

  /**
   * Returns whether a queue reclaims by shares: by its rules, or because a group above it divides
   * GPUs, so that a queue above its deserved share loses jobs.
   */
  static boolean byShares(QuotaTree tree, QuotaNodeId queue, PreemptionRules rules) {
    return rules.fairShare()
        || tree.path(queue).stream().anyMatch(node -> node.share() == SharePolicy.DESERVED_SHARE);
  }

  private PreemptionRules rules(Job job) {
    return reservations
        .admission()
        .tree()
        .node(job.queue())
        .map(QuotaNode::preemption)
        .orElse(PreemptionRules.NONE);
  }

  /** The candidates that the rules of the queue allow for this job, mostly none. */
  private List<RunningJob> mayGo(Job job, PreemptionRules rules) {
    Preemptor preemptor =
        new Preemptor(
            job.queue(),
            job.priority(),
            PreemptionUnit.seconds(job.createdAt()),
            new TreeMap<>(),
            new TreeSet<>(),
            rules);
    units();
    List<RunningJob> below = index.below(preemptor);
    if (reservedPlaces) {
      below.removeIf(r ->
          units().get(r.key()) instanceof PreemptionUnit.FaultNodes reservation
              && !reservation.yieldsTo(job));
    }
    return below;
  }

  /** Excludes the victims of an eviction from later searches in this cycle. */
  public void leave(Eviction eviction) {
    if (units != null) {
      eviction.victims().forEach(victim -> leaves(victim.running()));
    }
  }

  /** An attempt that loses members loses no others in this cycle. */
  private void leaves(RunningAttempt running) {
    String id = running.attempt().id().text();
    SortedMap<String, PreemptionUnit> its = units().subMap(id, id + BEHIND_ITS_MEMBERS);
    its.values().forEach(unit -> index.remove(unit.candidate()));
    its.clear();
  }

  private @Nullable Eviction plan(Search search, List<FlavorAssignment> assignments) {
    for (FlavorAssignment assignment : assignments) {
      if (search.on(assignment).fits(List.of())) {
        return null;
      }
    }
    List<RunningJob> surplus = search.surplus();
    Eviction shrink = surplus.isEmpty() ? null : plan(search, assignments, surplus);
    return shrink == null ? plan(search, assignments, search.running) : shrink;
  }

  private @Nullable Eviction plan(
      Search search, List<FlavorAssignment> assignments, List<RunningJob> candidates) {
    for (FlavorAssignment assignment : assignments) {
      Eviction found = work.spent() ? null : search.on(assignment).eviction(candidates);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /**
   * Preemptible attempts that have run for their minimum runtime on a responding cluster, and
   * reservations that a fault left to such jobs. By key. Computed once per cycle: no candidate is
   * added during the cycle, and chosen candidates are removed.
   */
  private SortedMap<String, PreemptionUnit> units() {
    SortedMap<String, PreemptionUnit> known = units;
    if (known == null) {
      known = evictable();
      known.values().forEach(unit -> index.add(unit.candidate()));
      units = known;
    }
    return known;
  }

  private SortedMap<String, PreemptionUnit> evictable() {
    SortedSet<ClusterId> obeying = new TreeSet<>();
    for (ClusterCapacity cluster : reservations.fleet().clusters()) {
      if (cluster.cluster().state() == ClusterState.ACTIVE) {
        obeying.add(cluster.cluster().id());
      }
    }
    SortedMap<String, PreemptionUnit> evictable = new TreeMap<>();
    for (RunningAttempt running : reservations.attempts().all()) {
      boolean may =
          running.job().spec().preemption().allowed()
              && running.leaving().isEmpty()
              && running.attempt().state() != AttemptState.STOPPING
              && running.attempt().state() != AttemptState.UNKNOWN
              && running.ran().compareTo(running.job().spec().preemption().minRuntime()) >= 0;
      if (may && obeying.contains(running.attempt().cluster())) {
        PreemptionUnit.of(running, evictable);
      }
    }
    reservations.afterFault((reservation, job) -> {
      if (job.spec().preemption().allowed()) {
        reservedPlaces = true;
        PreemptionUnit.of(reservation, job, reservations, evictable);
      }
    });
    return evictable;
  }

  /** Needs of one job in the projected world. */
  private final class Search {
    private final Job job;
    private final GangShape gang;
    private final PreemptionRules rules;
    private final List<RunningJob> running;
    private final SortedMap<String, PreemptionUnit> units;
    private final QuotaTree tree;
    private final SortedMap<QuotaNodeId, Boolean> related = new TreeMap<>();

    Search(
        Job job,
        GangShape gang,
        PreemptionRules rules,
        List<RunningJob> running,
        SortedMap<String, PreemptionUnit> units,
        QuotaTree tree) {
      this.job = job;
      this.gang = gang;
      this.rules = rules;
      this.running = running;
      this.units = units;
      this.tree = tree;
    }

    /**
     * Returns whether a queue is in the same tree, so that the job may use the quota that it
     * returns.
     */
    boolean sharesQuota(QuotaNodeId queue) {
      return related.computeIfAbsent(
          queue, other -> tree.root(other).equals(tree.root(job.queue())));
    }

    /** Evictions free no nominal quota that never-evicted jobs hold. */
    List<FlavorAssignment> worthTrying(List<FlavorAssignment> assignments) {
      return gang.nonPreemptible()
          ? assignments.stream().filter(this::withinNominal).toList()
          : assignments;
    }

    private boolean withinNominal(FlavorAssignment assignment) {
      return Charges.expected(gang, assignment, gang.counts(0)).cells().entrySet().stream()
          .allMatch(cell -> cell.getValue() <= tree.nonPreemptibleRoom(job.queue(), cell.getKey()));
    }

    /** Members that their gangs can spare, which are tried before whole gangs. */
    List<RunningJob> surplus() {
      return running.stream()
          .filter(r -> {
            PreemptionUnit unit = units.get(r.key());
            return unit != null && !unit.whole();
          })
          .toList();
    }

    FairVictimSearch fair(List<RunningJob> candidates, FreedCapacity room) {
      SortedMap<Flavor, Long> gpus = reservations.fleet().gpus();
      return new FairVictimSearch(
          tree,
          candidates,
          room,
          rules.fairShare()
              ? List.of(
                  FairVictimSearch.Strategy.NOT_ABOVE_AFTER, FairVictimSearch.Strategy.BELOW_BEFORE)
              : List.of(FairVictimSearch.Strategy.ONLY_OWNED),
          new GroupShares(tree, waiting.get(), flavor -> gpus.getOrDefault(flavor, 0L)));
    }

    OnAssignment on(FlavorAssignment assignment) {
      return new OnAssignment(
          this, assignment, Charges.expected(gang, assignment, gang.counts(0)).cells());
    }
  }

  /** The same on one assignment. */
  private final class OnAssignment {
    private final Search search;
    private final FlavorAssignment assignment;
    private final SortedMap<QuotaCell, Long> asks;
    private final FitAfterPreemption fit;

    OnAssignment(Search search, FlavorAssignment assignment, SortedMap<QuotaCell, Long> asks) {
      this.search = search;
      this.assignment = assignment;
      this.asks = asks;
      fit =
          new FitAfterPreemption(
              ledger, work, reservations.fleet(), assignment, search.gang, search.units);
    }

    /** Returns whether the job fits without victims. */
    boolean fits(List<RunningJob> gone) {
      boolean fits = shortOfQuota().isEmpty() && fit.fitsWithout(gone);
      fit.end();
      return fits;
    }

    @Nullable Eviction eviction(List<RunningJob> candidates) {
      List<RunningJob> helping = helping(candidates);
      /* The search needs no victims where nodes have room already. */
      boolean possible =
          !helping.isEmpty() && (fit.fitsWithout(List.of()) || fit.fitsWithout(together(helping)));
      fit.end();
      if (!possible) {
        return null;
      }
      List<Victim> victims = victims(helping);
      List<Eviction.Chosen> chosen = chosen(victims);
      List<Reservation> reservations = reservations(victims);
      if (chosen.isEmpty() && reservations.isEmpty()) {
        return null;
      }
      boolean _ = fit.fitsWithout(victims.stream().map(Victim::job).toList());
      Eviction eviction =
          new Eviction(
              assignment, fit.placement(search.gang.counts(0)), chosen, List.of(), reservations);
      fit.end();
      return eviction.members().isEmpty() ? null : eviction;
    }

    /** Members by attempt: all of its members, or only its optional members. */
    private List<Eviction.Chosen> chosen(List<Victim> victims) {
      Map<AttemptId, Eviction.Chosen> chosen = new LinkedHashMap<>();
      for (Victim victim : victims) {
        if (search.units.get(victim.job().key()) instanceof PreemptionUnit.RunningMembers unit) {
          RunningAttempt running = unit.running();
          chosen.merge(
              running.attempt().id(),
              new Eviction.Chosen(running, victim.right(), unit.members()),
              Eviction.Chosen::and);
        }
      }
      return List.copyOf(chosen.values());
    }

    private List<Reservation> reservations(List<Victim> victims) {
      List<Reservation> reservations = new ArrayList<>();
      for (Victim victim : victims) {
        if (search.units.get(victim.job().key()) instanceof PreemptionUnit.FaultNodes kept) {
          reservations.add(kept.reservation());
        }
      }
      return reservations;
    }

    /**
     * If the missing quota does not explain the shortage, nodes may lack capacity too, so victims
     * must free the whole request. Other queues retain their own quota.
     */
    private List<Victim> victims(List<RunningJob> helping) {
      SortedSet<QuotaCell> lacking = lacking();
      List<Victim> victims = find(preemptor(lacking, lacking, search.rules), helping);
      if (!victims.isEmpty()) {
        return victims;
      }
      SortedSet<QuotaCell> missing = shortOfQuota();
      if (missing.isEmpty()) {
        return ofOwnQueue(helping);
      }
      return find(preemptor(missing, new TreeSet<>(asks.keySet()), search.rules), helping);
    }

    /**
     * If only nodes are short, all attempts of its queue are possible victims, including jobs
     * without GPUs that use the cpu or the memory next to idle GPUs.
     */
    private List<Victim> ofOwnQueue(List<RunningJob> helping) {
      List<RunningJob> own =
          helping.stream().filter(r -> r.queue().equals(search.job.queue())).toList();
      SortedSet<QuotaCell> lacking = lacking();
      if (own.stream().allMatch(r -> r.uses(lacking))) {
        return List.of();
      }
      own.forEach(r -> lacking.addAll(r.use().keySet()));
      PreemptionRules within =
          new PreemptionRules(
              search.rules.withinQueue(), PreemptionRules.Reclaim.NEVER, search.rules.fairShare());
      return find(preemptor(lacking, lacking, within), own);
    }

    private Preemptor preemptor(
        SortedSet<QuotaCell> lacking, SortedSet<QuotaCell> helps, PreemptionRules rules) {
      return new Preemptor(
          search.job.queue(),
          search.job.priority(),
          PreemptionUnit.seconds(search.job.createdAt()),
          asks,
          lacking,
          helps,
          rules);
    }

    private List<Victim> find(Preemptor preemptor, List<RunningJob> helping) {
      List<Victim> victims =
          byShares(search.tree, search.job.queue(), search.rules)
              ? search.fair(helping, fit).find(preemptor)
              : new VictimSearch(search.tree, helping, fit).find(preemptor);
      fit.end();
      return victims;
    }

    /**
     * If quota is short, an attempt in another tree does not help. If only nodes are short, an
     * attempt on other nodes does not help.
     */
    private List<RunningJob> helping(List<RunningJob> candidates) {
      if (!shortOfQuota().isEmpty()) {
        return candidates.stream().filter(r -> search.sharesQuota(r.queue())).toList();
      }
      return candidates.stream()
          .filter(r -> {
            PreemptionUnit unit = search.units.get(r.key());
            return unit != null
                && reservations
                    .fleet()
                    .runsOn(unit.cluster(), unit.members(), assignment.cluster());
          })
          .toList();
    }

    /** All victims once, without parts of jobs that are evicted as a whole. */
    private static List<RunningJob> together(List<RunningJob> jobs) {
      SortedSet<String> keys = new TreeSet<>();
      jobs.forEach(job -> keys.add(job.key()));
      return jobs.stream().filter(job -> !job.part() || !keys.contains(job.gang())).toList();
    }

    private SortedSet<QuotaCell> shortOfQuota() {
      SortedSet<QuotaCell> cells = new TreeSet<>();
      asks.forEach((cell, amount) -> {
        if (search.tree.available(search.job.queue(), cell) < amount) {
          cells.add(cell);
        }
      });
      return cells;
    }

    /** Cells that victims must free: the GPU cells if nodes lack GPUs. */
    private SortedSet<QuotaCell> lacking() {
      SortedSet<QuotaCell> quota = shortOfQuota();
      if (!quota.isEmpty()) {
        return quota;
      }
      return Preemptor.scarce(new TreeSet<>(asks.keySet()));
    }
  }
}
