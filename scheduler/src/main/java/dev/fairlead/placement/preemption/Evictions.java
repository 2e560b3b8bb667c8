package dev.fairlead.placement.preemption;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.Job;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.ledger.ClusterRoom;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.reservation.Holder;
import dev.fairlead.placement.reservation.Holds;
import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.ResourceNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Plans evictions on the world as it will be once all who leave have left and every reservation is
 * taken up, so that nobody is chosen twice and nobody is evicted where waiting is enough.
 */
public final class Evictions {
  private static final double MILLIS = 1000;

  private final Holds holds;
  private final Ledger ledger;
  private final WorkBudget work;

  private final Ranks ranks = new Ranks();
  private @Nullable SortedMap<String, Holder> evictable;

  public Evictions(Holds holds, Ledger ledger, WorkBudget work) {
    this.holds = holds;
    this.ledger = ledger;
    this.work = work;
  }

  /**
   * The fewest victims that let the fewest members start, on the first route where evictions help.
   * Null when its queue may evict nobody, when no set of victims helps, and when it only has to
   * wait for attempts that leave anyway.
   */
  public @Nullable Eviction plan(Job job, GangShape gang, List<Route> routes) {
    PreemptionRules rules =
        holds
            .admission()
            .tree()
            .node(job.queue())
            .map(QuotaNode::preemption)
            .orElse(PreemptionRules.NONE);
    if (rules.withinQueue() == PreemptionRules.WithinQueue.NEVER
        && rules.reclaim() == PreemptionRules.Reclaim.NEVER) {
      return null;
    }
    List<RunningJob> running = mayGo(job, rules);
    if (running.isEmpty()) {
      return null;
    }
    Undo present = holds.future();
    try {
      Search search = new Search(job, gang, rules, running, evictable(), holds.futureQuota());
      Eviction found = plan(search, routes);
      if (found != null) {
        found.victims().forEach(victim -> leaves(victim.holder()));
      }
      return found;
    } finally {
      present.run();
    }
  }

  /** Those whom the rules of its queue let go for this job: most often there are none. */
  private List<RunningJob> mayGo(Job job, PreemptionRules rules) {
    Preemptor preemptor =
        new Preemptor(
            job.queue(),
            job.priority(),
            seconds(job.createdAt()),
            new TreeMap<>(),
            new TreeSet<>(),
            rules(rules));
    evictable();
    return ranks.below(preemptor);
  }

  private static Preemptor.Rules rules(PreemptionRules rules) {
    return new Preemptor.Rules(rules.withinQueue(), rules.reclaim(), false, null);
  }

  private void leaves(Holder holder) {
    String key = holder.attempt().id().text();
    evictable().remove(key);
    ranks.remove(running(key, holder));
  }

  private @Nullable Eviction plan(Search search, List<Route> routes) {
    for (Route route : routes) {
      if (search.on(route).fits(List.of())) {
        return null;
      }
    }
    for (Route route : routes) {
      Eviction found = work.spent() ? null : search.on(route).eviction();
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /**
   * Preemptible, run long enough, on clusters that obey; by attempt. Looked for once in a cycle:
   * within it nobody joins them, and who is chosen is taken out.
   */
  private SortedMap<String, Holder> evictable() {
    SortedMap<String, Holder> known = evictable;
    if (known == null) {
      known = findEvictable();
      known.forEach((key, holder) -> ranks.add(running(key, holder)));
      evictable = known;
    }
    return known;
  }

  private SortedMap<String, Holder> findEvictable() {
    SortedSet<ClusterId> obeying = new TreeSet<>();
    for (ClusterRoom cluster : holds.fleet().clusters()) {
      if (cluster.cluster().state() == ClusterState.ACTIVE) {
        obeying.add(cluster.cluster().id());
      }
    }
    SortedMap<String, Holder> evictable = new TreeMap<>();
    for (Holder holder : holds.holders().all()) {
      boolean may =
          holder.job().spec().preemption().allowed()
              && !holder.leaves()
              && holder.attempt().state() != AttemptState.STOPPING
              && holder.attempt().state() != AttemptState.UNKNOWN
              && holder.ran().compareTo(holder.job().spec().preemption().minRuntime()) >= 0;
      if (may && obeying.contains(holder.attempt().cluster())) {
        evictable.put(holder.attempt().id().text(), holder);
      }
    }
    return evictable;
  }

  private static RunningJob running(String key, Holder holder) {
    return new RunningJob(
        key,
        holder.job().queue(),
        holder.job().priority(),
        holder.lost(),
        seconds(holder.job().createdAt()),
        false,
        holder.charges());
  }

  private static double seconds(Instant time) {
    return time.toEpochMilli() / MILLIS;
  }

  /** What one job asks of the world to come. */
  private final class Search {
    private final Job job;
    private final GangShape gang;
    private final PreemptionRules rules;
    private final List<RunningJob> running;
    private final SortedMap<String, Holder> holders;
    private final QuotaTree tree;

    Search(
        Job job,
        GangShape gang,
        PreemptionRules rules,
        List<RunningJob> running,
        SortedMap<String, Holder> holders,
        QuotaTree tree) {
      this.job = job;
      this.gang = gang;
      this.rules = rules;
      this.running = running;
      this.holders = holders;
      this.tree = tree;
    }

    OnRoute on(Route route) {
      return new OnRoute(this, route, Charges.expected(gang, route, gang.counts(0)).cells());
    }
  }

  /** The same on one route. */
  private final class OnRoute {
    private final Search search;
    private final Route route;
    private final SortedMap<QuotaCell, Long> asks;
    private final Clearing clearing;

    OnRoute(Search search, Route route, SortedMap<QuotaCell, Long> asks) {
      this.search = search;
      this.route = route;
      this.asks = asks;
      clearing = new Clearing(ledger, work, holds.fleet(), route, search.gang, search.holders);
    }

    /** Whether nobody has to go. */
    boolean fits(List<RunningJob> gone) {
      boolean fits = shortOfQuota().isEmpty() && clearing.test(gone);
      clearing.end();
      return fits;
    }

    @Nullable Eviction eviction() {
      List<RunningJob> helping = helping();
      boolean possible = !helping.isEmpty() && clearing.test(helping);
      clearing.end();
      if (!possible) {
        return null;
      }
      List<Victim> victims = victims(helping);
      List<Eviction.Chosen> chosen = new ArrayList<>();
      for (Victim victim : victims) {
        Holder holder = search.holders.get(victim.job().key());
        if (holder != null) {
          chosen.add(new Eviction.Chosen(holder, victim.reason()));
        }
      }
      if (chosen.isEmpty()) {
        return null;
      }
      clearing.test(victims.stream().map(Victim::job).toList());
      Eviction eviction = new Eviction(route, clearing.places(search.gang.counts(0)), chosen);
      clearing.end();
      return eviction.members().isEmpty() ? null : eviction;
    }

    private List<Victim> victims(List<RunningJob> helping) {
      Preemptor preemptor =
          new Preemptor(
              search.job.queue(),
              search.job.priority(),
              seconds(search.job.createdAt()),
              asks,
              lacking(),
              rules(search.rules));
      List<Victim> victims =
          search.rules.fairShare()
              ? new FairVictimSearch(
                      search.tree,
                      helping,
                      clearing,
                      List.of(FairVictimSearch.Strategy.NOT_ABOVE_AFTER))
                  .find(preemptor)
              : new VictimSearch(search.tree, helping, clearing).find(preemptor);
      clearing.end();
      return victims;
    }

    /** Where only nodes are short, who runs elsewhere is no help. */
    private List<RunningJob> helping() {
      if (!shortOfQuota().isEmpty()) {
        return search.running;
      }
      ClusterId here = route.cluster().cluster().id();
      return search.running.stream()
          .filter(r -> {
            Holder holder = search.holders.get(r.key());
            return holder != null && holder.attempt().cluster().equals(here);
          })
          .toList();
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

    /** Cells of which somebody has to free something: of GPUs where nodes are short of them. */
    private SortedSet<QuotaCell> lacking() {
      SortedSet<QuotaCell> quota = shortOfQuota();
      if (!quota.isEmpty()) {
        return quota;
      }
      TreeSet<QuotaCell> gpus = new TreeSet<>(asks.keySet());
      gpus.removeIf(cell -> !cell.resource().equals(ResourceNames.GPU));
      return gpus.isEmpty() ? new TreeSet<>(asks.keySet()) : gpus;
    }
  }
}
