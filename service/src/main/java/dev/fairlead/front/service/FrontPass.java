package dev.fairlead.front.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontPlan;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.SeenJob;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.identity.JobId;
import dev.fairlead.job.Job;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.loop.Recurring;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.FenceLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the Jobs of one front cluster that changed on either side, a bounded number in each pass.
 * What a signal was lost for is found every five minutes. For one thread at a time.
 */
final class FrontPass {
  private static final Logger LOG = LoggerFactory.getLogger(FrontPass.class);
  private static final Duration ALL = Duration.ofMinutes(5);
  private static final int PAGE = 1000;

  /** Jobs of one pass. */
  private static final int MOST = 200;

  /** Of these, for Jobs of which no change was told. */
  private static final int UNTOLD = 50;

  /** The cluster is away when it did not answer for so many Jobs in a row. */
  private static final int AWAY = 3;

  private static final Duration FIRST_RETRY = Duration.ofSeconds(4);
  private static final Duration LAST_RETRY = Duration.ofMinutes(5);

  private final ClusterId cluster;
  private final FrontStore fronts;
  private final FrontSteps steps;
  private final MonotonicClock clock;
  private final Recurring all;
  private final FrontTurns due = new FrontTurns();
  private final FrontTurns untold = new FrontTurns();
  private final SortedMap<String, Retry> retries = new TreeMap<>();
  private List<FrontNamespace> mapped = List.of();
  private String movedAfter = "";
  private @Nullable String trouble;
  private boolean told;
  private long term = -1;

  /** When a Job is looked at again that could not be handled, and how long it waited for that. */
  private record Retry(long atNanos, Duration pause) {}

  FrontPass(ClusterId cluster, FrontStore fronts, FrontSteps steps, MonotonicClock clock) {
    this.cluster = cluster;
    this.fronts = fronts;
    this.steps = steps;
    this.clock = clock;
    this.all = Recurring.fromNowOn(clock, ALL);
  }

  /**
   * @throws FenceLost when another process looks after the cluster
   */
  void run(HeldLease lease, FrontGateway gateway) {
    List<FrontNamespace> now = fronts.namespaces(cluster);
    if (now.isEmpty() && fronts.taken(cluster, "", 1).isEmpty()) {
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
    if (term != lease.term() || !now.equals(mapped) || all.due()) {
      untold.addAll(gateway.all());
      untold.addAll(rows());
      term = lease.term();
      mapped = now;
      all.done();
    }
    changed(gateway);
    due.addAll(moved());
    long nanos = clock.nanos();
    retries.forEach((uid, retry) -> {
      if (retry.atNanos() - nanos <= 0) {
        due.add(uid);
      }
    });
    handle(lease, gateway, next(nanos));
  }

  /** One that goes does not wait for its next try. */
  private void changed(FrontGateway gateway) {
    for (String uid : gateway.changed(PAGE)) {
      due.add(uid);
      if (gateway.job(uid).map(SeenJob::deleting).orElse(true)) {
        retries.remove(uid);
      }
    }
  }

  private void forget() {
    due.clear();
    untold.clear();
    retries.clear();
    mapped = List.of();
    told = false;
    term = -1;
  }

  private void tell(HeldLease lease, @Nullable String now) {
    if (!told || !Objects.equals(now, trouble)) {
      steps.tell(lease, cluster, now);
      if (now == null) {
        LOG.info("cluster {}: its Jobs are watched", cluster);
      } else {
        LOG.warn("cluster {}: its Jobs: {}", cluster, now);
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

  /** Goes round, so that Jobs that cannot be shown keep no others from it. */
  private List<String> moved() {
    List<String> page = fronts.moved(cluster, movedAfter, MOST);
    movedAfter = page.size() == MOST ? page.getLast() : "";
    return page;
  }

  /** Those that do not wait. What changed comes first, and keeps the others from no pass. */
  private List<String> next(long nanos) {
    Predicate<String> ready =
        uid -> {
          Retry retry = retries.get(uid);
          return retry == null || retry.atNanos() - nanos <= 0;
        };
    List<String> next = new ArrayList<>(due.take(MOST - UNTOLD, ready));
    untold.removeAll(next);
    next.addAll(untold.take(MOST - next.size(), ready));
    next.addAll(due.take(MOST - next.size(), ready.and(uid -> !next.contains(uid))));
    return next;
  }

  private void handle(HeldLease lease, FrontGateway gateway, List<String> uids) {
    Cluster of = uids.isEmpty() ? null : steps.cluster(cluster).orElse(null);
    if (of == null) {
      return;
    }
    FrontSteps.Place place = new FrontSteps.Place(lease, gateway, of);
    // Seen first: what shows that it is taken up has its row since before.
    SortedMap<String, SeenJob> seen = new TreeMap<>();
    uids.forEach(uid -> gateway.job(uid).ifPresent(job -> seen.put(uid, job)));
    SortedMap<String, FrontJob> rows = new TreeMap<>();
    fronts.find(cluster, uids).forEach(row -> rows.put(row.uid(), row));
    SortedMap<JobId, Job> jobs = steps.jobs(rows.values());
    SortedMap<String, FrontNamespace> namespaces = new TreeMap<>();
    mapped.forEach(one -> namespaces.put(one.namespace(), one));
    SortedMap<String, Long> shown = new TreeMap<>();
    int away = 0;
    try {
      for (int i = 0; i < uids.size(); i++) {
        String uid = uids.get(i);
        SeenJob is = seen.get(uid);
        FrontJob row = rows.get(uid);
        Job job = row == null || row.job() == null ? null : jobs.get(row.job());
        FrontPlan.Known known =
            new FrontPlan.Known(is, row, job, is == null ? null : namespaces.get(is.namespace()));
        FrontSteps.Result result = guarded(place, known);
        away = result == FrontSteps.Result.AWAY ? away + 1 : 0;
        switch (result) {
          case DONE -> {
            retries.remove(uid);
            if (job != null) {
              shown.put(uid, job.version());
            }
          }
          case MORE -> {
            retries.remove(uid);
            due.add(uid);
          }
          case LATER -> retry(uid);
          case AWAY -> {
            retry(uid);
            if (away == AWAY) {
              due.addAll(uids.subList(i + 1, uids.size()));
              return;
            }
          }
        }
      }
    } finally {
      steps.shown(lease, cluster, shown);
    }
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

  /** What goes wrong with one Job delays no other. */
  private FrontSteps.Result guarded(FrontSteps.Place place, FrontPlan.Known known) {
    try {
      return steps.take(place, known);
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (Conflict changed) {
      return FrontSteps.Result.MORE;
    } catch (RuntimeException failed) {
      LOG.warn("cluster {}: Job {} could not be handled", cluster, known, failed);
      return FrontSteps.Result.LATER;
    }
  }
}
