package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontPlan;
import dev.fairlead.front.FrontStep;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the Jobs of one front cluster that changed on either side, in rounds. Each round handles
 * a bounded number of ends, then statuses, then adoptions, so that no kind waits for all of
 * another. A full check every five minutes covers lost signals. Not thread-safe.
 */
final class FrontPass {
  private static final Logger LOG = LoggerFactory.getLogger(FrontPass.class);
  private static final Duration ALL = Duration.ofMinutes(5);
  private static final int PAGE = 1000;

  /** Maximum number of Jobs of one round that are deleted. */
  private static final int ENDING = 200;

  /** Maximum number of statuses of one round. */
  private static final int MOVED = 100;

  /** Maximum number of Jobs of one round with other changes, which are usually new Jobs. */
  private static final int CHANGED = 50;

  /** Maximum number of Jobs of one round without a known change. */
  private static final int UNTOLD = 50;

  /**
   * Time after which a pass begins no new round. Changes of the mapping apply from the next pass
   * on.
   */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static final int MOST_ROUNDS = 100;
  private static final Duration FIRST_RETRY = Duration.ofSeconds(4);
  private static final Duration LAST_RETRY = Duration.ofMinutes(5);

  private final ClusterId cluster;
  private final FrontStore fronts;
  private final FrontSteps steps;
  private final FrontFan fan;
  private final MonotonicClock clock;
  private final Recurring all;
  private final FrontMissing missing;
  private final FrontServices services;
  private final FrontTurns ending = new FrontTurns();
  private final FrontTurns due = new FrontTurns();
  private final FrontTurns untold = new FrontTurns();
  private final SortedMap<String, Retry> retries = new TreeMap<>();
  private List<FrontNamespace> mapped = List.of();
  private SortedSet<String> unread = Collections.emptySortedSet();
  private String movedAfter = "";
  private @Nullable String trouble;
  private boolean told;
  private long epoch = -1;
  private @Nullable FrontGateway known;

  /** Time of the next try for a Job that could not be handled, and the pause before it. */
  private record Retry(long atNanos, Duration pause) {}

  /**
   * @param threads for calls of the cluster
   */
  FrontPass(
      ClusterId cluster,
      FrontStore fronts,
      FrontSteps steps,
      ObjectServices services,
      Executor threads,
      MonotonicClock clock) {
    this.cluster = cluster;
    this.fronts = fronts;
    this.steps = steps;
    this.fan = new FrontFan(threads);
    this.clock = clock;
    this.all = Recurring.fromNowOn(clock, ALL);
    this.missing = new FrontMissing(cluster, fronts, steps, clock);
    this.services = new FrontServices(steps, services, clock);
  }

  /**
   * @throws FenceLost when another process supervises the cluster
   */
  void run(HeldLease lease, FrontGateway gateway) {
    List<FrontNamespace> now = fronts.namespaces(cluster);
    if (epoch != lease.epoch()) {
      services.begin();
    }
    if (now.isEmpty()
        && fronts.taken(cluster, "", 1).isEmpty()
        && !services.owning(() -> steps.cluster(cluster))) {
      epoch = lease.epoch();
      gateway.follow(false);
      steps.reads().ends(cluster, clock);
      forget();
      return;
    }
    steps.reads().begins(cluster, () -> steps.name(cluster), clock);
    gateway.follow(true);
    FrontGateway.View view = gateway.view();
    tell(lease, view.trouble());
    if (!view.complete()) {
      return;
    }
    if (view.trouble() == null) {
      steps.reads().seen(cluster, clock);
    }
    missing.begin();
    boolean another = epoch != lease.epoch() || !gateway.equals(known);
    if (another || !now.equals(mapped) || !view.unread().equals(unread) || all.due()) {
      List<String> rows = rows();
      missing.all(rows, view.unread());
      all(gateway);
      untold.addAll(rows);
      epoch = lease.epoch();
      known = gateway;
      mapped = now;
      unread = view.unread();
      all.done();
    }
    Optional<Cluster> of = steps.cluster(cluster);
    if (of.isPresent()) {
      FrontSteps.Place place = new FrontSteps.Place(lease, gateway, of.get(), fan);
      long began = clock.nanos();
      int rounds = 0;
      boolean more = true;
      while (more && rounds < MOST_ROUNDS && clock.nanos() - began < LONGEST.toNanos()) {
        more = round(place);
        rounds++;
      }
      services.run(place, mapped);
    }
  }

  /** Queues each object that the cluster shows. */
  private void all(FrontGateway gateway) {
    for (String uid : gateway.all()) {
      if (gateway.job(uid).filter(SeenJob::isService).isPresent()) {
        services.add(uid);
      } else {
        untold.add(uid);
      }
    }
  }

  /** Runs a round. Returns whether another round has work and the cluster answers. */
  private boolean round(FrontSteps.Place place) {
    FrontGateway gateway = place.gateway();
    changed(gateway);
    SortedSet<String> gone = missing.look(place.lease(), gateway);
    if (missing.freed()) {
      all(gateway); // Jobs that waited for the circuit breaker
    }
    ending.addAll(gone);
    long nanos = clock.nanos();
    retries.forEach((uid, retry) -> {
      if (retry.atNanos() - nanos <= 0) {
        due.add(uid);
      }
    });
    Predicate<String> ready =
        uid -> {
          Retry retry = retries.get(uid);
          return retry == null || retry.atNanos() - nanos <= 0;
        };
    Set<String> next = next(ready);
    next.removeIf(uid -> !gone.contains(uid) && gateway.job(uid).isEmpty());
    retries.keySet().removeIf(uid -> !missing.has(uid) && gateway.job(uid).isEmpty());
    return !next.isEmpty() && handle(place, List.copyOf(next), gone);
  }

  /** Queues changed Jobs. One that ends, or with a new spec, does not wait for its next try. */
  private void changed(FrontGateway gateway) {
    List<String> page;
    do {
      page = gateway.changed(PAGE);
      List<String> vanished = new ArrayList<>();
      for (String uid : page) {
        Optional<SeenJob> job = gateway.job(uid);
        if (job.isEmpty()) {
          vanished.add(uid);
          retries.remove(uid);
        } else if (job.get().isService()) {
          services.add(uid);
        } else if (job.get().deleting()) {
          ending.add(uid);
          retries.remove(uid);
        } else {
          if (job.get().unread()) {
            retries.remove(uid);
          }
          due.add(uid);
        }
      }
      missing.add(vanished);
    } while (page.size() == PAGE);
  }

  private void forget() {
    ending.clear();
    due.clear();
    untold.clear();
    retries.clear();
    missing.forget();
    services.forget();
    mapped = List.of();
    unread = Collections.emptySortedSet();
    told = false;
    known = null;
  }

  private void tell(HeldLease lease, @Nullable String now) {
    if (!told || !Objects.equals(now, trouble)) {
      steps.tell(lease, cluster, now);
      if (now == null) {
        LOG.info("cluster {}: its Jobs are watched", steps.name(cluster));
      } else {
        LOG.warn("cluster {}: its Jobs: {}", steps.name(cluster), now);
      }
      trouble = now;
      told = true;
    }
  }

  private List<String> rows() {
    List<String> rows = new ArrayList<>();
    String after = "";
    List<String> page;
    do {
      page = fronts.taken(cluster, after, PAGE);
      rows.addAll(page);
      after = page.isEmpty() ? after : page.getLast();
    } while (page.size() == PAGE);
    return rows;
  }

  /** Rotates, so that Jobs without a valid status do not block others. */
  private List<String> moved() {
    List<String> page = fronts.moved(cluster, movedAfter, MOVED);
    movedAfter = page.size() == MOVED ? page.getLast() : "";
    return page;
  }

  /** Jobs of this round in their order, each once. */
  private Set<String> next(Predicate<String> ready) {
    Set<String> next = new LinkedHashSet<>(ending.take(ENDING, ready));
    moved().stream().filter(ready).forEach(next::add);
    Predicate<String> another = ready.and(uid -> !next.contains(uid));
    next.addAll(due.take(CHANGED, another));
    next.addAll(untold.take(UNTOLD, another));
    due.removeAll(next);
    untold.removeAll(next);
    return next;
  }

  /** Returns whether the cluster answered. */
  private boolean handle(FrontSteps.Place place, List<String> uids, SortedSet<String> gone) {
    List<FrontSteps.Due> takeUps = new ArrayList<>();
    List<FrontSteps.Due> others = new ArrayList<>();
    for (FrontSteps.Due one : planned(place.gateway(), uids, gone)) {
      (one.step() instanceof FrontStep.TakeUp ? takeUps : others).add(one);
    }
    SortedMap<String, Long> shown = new TreeMap<>();
    try {
      return ended(others, steps.each(place, others), shown)
          ? ended(takeUps, steps.takeUp(place, takeUps), shown)
          : ended(takeUps, List.of(), shown);
    } finally {
      steps.shown(place.lease(), cluster, shown);
    }
  }

  private List<FrontSteps.Due> planned(
      FrontGateway gateway, List<String> uids, SortedSet<String> gone) {
    /* Read before the rows, so an adopted Job has its row. */
    SortedMap<String, SeenJob> seen = new TreeMap<>();
    uids.forEach(uid -> gateway.job(uid).ifPresent(job -> seen.put(uid, job)));
    SortedMap<String, FrontJob> rows = new TreeMap<>();
    fronts.find(cluster, uids).forEach(row -> rows.put(row.uid(), row));
    SortedMap<JobId, Job> jobs = steps.jobs(rows.values());
    SortedMap<String, FrontNamespace> namespaces = new TreeMap<>();
    mapped.forEach(one -> namespaces.put(one.namespace(), one));
    return uids.stream()
        .map(uid -> {
          SeenJob is = seen.get(uid);
          FrontJob row = rows.get(uid);
          FrontPlan.Known all =
              new FrontPlan.Known(
                  is,
                  row,
                  row == null || row.job() == null ? null : jobs.get(row.job()),
                  is == null ? null : namespaces.get(is.namespace()),
                  !gone.contains(uid) && (is == null ? row != null : missing.holds(is)));
          return new FrontSteps.Due(uid, all, steps.planned(all));
        })
        .toList();
  }

  /**
   * Queues each Job by the result of its step. Jobs without a result wait for the next pass.
   *
   * @return whether the cluster answered
   */
  private boolean ended(
      List<FrontSteps.Due> done, List<FrontSteps.Result> results, SortedMap<String, Long> shown) {
    for (int i = 0; i < results.size(); i++) {
      FrontSteps.Due one = done.get(i);
      String uid = one.uid();
      switch (results.get(i)) {
        case DONE -> {
          retries.remove(uid);
          Job job = one.known().job();
          if (one.known().seen() == null) {
            missing.gone(uid);
          } else if (job != null) {
            shown.put(uid, job.version());
          }
        }
        case MORE -> {
          retries.remove(uid);
          due.add(uid);
        }
        case LATER, AWAY -> retry(uid);
      }
    }
    done.subList(results.size(), done.size()).forEach(left -> due.add(left.uid()));
    return results.size() == done.size();
  }

  private void retry(String uid) {
    Retry before = retries.get(uid);
    Duration pause =
        before == null
            ? FIRST_RETRY
            : before.pause().multipliedBy(2).compareTo(LAST_RETRY) < 0
                ? before.pause().multipliedBy(2)
                : LAST_RETRY;
    retries.put(uid, new Retry(clock.nanos() + pause.toNanos(), pause));
  }
}
