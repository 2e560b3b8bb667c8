package dev.fairlead.work.job.service.query;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.RayShare;
import dev.fairlead.work.spec.RayShare.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Computes the current cost of the GPUs that a job holds. */
@Service
public class JobCosts {
  /** Number of the newest drivers of a Ray cluster in a page of the comparison. */
  private static final int PAGE = 500;

  private static final int PAGES = 4;

  private final PriceStore prices;
  private final InventoryStore inventory;
  private final JobStore jobs;

  public JobCosts(PriceStore prices, InventoryStore inventory, JobStore jobs) {
    this.prices = prices;
    this.inventory = inventory;
    this.jobs = jobs;
  }

  /**
   * Quote of its attempt, with all members in one part of a cluster. The result is null without a
   * live attempt or GPUs, for an array, which may have many attempts, and if the pool of the node
   * is unknown. At any time, the drivers in a Ray cluster share its GPUs equally. A driver's use is
   * the sum of its shares over its last attempt, also after its end.
   */
  public @Nullable Quote of(JobView view) {
    Attempt attempt = view.attempt();
    if (attempt == null || view.job().array() != null) {
      return null;
    }
    String cluster = RayPoolJob.cluster(view.job().spec());
    return cluster == null
        ? of(view.job(), attempt, view.job().spec().maxRuntime(), 1)
        : ofDriver(view.job(), attempt, cluster);
  }

  private @Nullable Quote ofDriver(Job driver, Attempt attempt, String cluster) {
    Span own = span(attempt.startedAt(), attempt.endedAt());
    Job shared = own == null ? null : cluster(driver, cluster, own.from());
    if (own == null || shared == null) {
      return null;
    }
    Attempt gpus =
        jobs.latestAttempts(shared.tenant(), List.of(shared.id())).stream()
            .findFirst()
            .orElse(null);
    Quote whole = gpus == null ? null : quote(shared, gpus, null, 1);
    if (gpus == null || whole == null) {
      return null;
    }
    List<Attempt> others = others(driver, cluster, own);
    List<Span> spans =
        others.stream()
            .map(each -> span(each.startedAt(), each.endedAt()))
            .filter(Objects::nonNull)
            .toList();
    Money soFar = whole.spent(RayShare.of(own, spans)).soFar();
    if (attempt.state() != AttemptState.RUNNING) {
      return new Quote(List.of(), null, null, whole.sunk(), soFar);
    }
    int sharers =
        1 + (int) others.stream().filter(each -> each.state() == AttemptState.RUNNING).count();
    Quote now = quote(shared, gpus, driver.spec().maxRuntime(), sharers);
    return now == null ? null : now.withSoFar(soFar);
  }

  private @Nullable Span span(@Nullable Instant from, @Nullable Instant to) {
    return from == null ? null : new Span(from, to == null ? jobs.now() : to);
  }

  /** The Ray cluster of this name that ran at the time. Earlier ones had the same name. */
  private @Nullable Job cluster(Job driver, String name, Instant at) {
    return jobs.named(driver.tenant(), driver.project(), List.of(name)).stream()
        .flatMap(named -> jobs.find(driver.tenant(), named.id()).stream())
        .filter(job -> RayPoolJob.isCluster(job.spec()))
        .filter(job -> {
          Instant started = job.run().startedAt();
          return started != null && !started.isAfter(at);
        })
        .findFirst()
        .orElse(null);
  }

  /** Last attempts of the newest other drivers of the cluster that ran in this time. */
  private List<Attempt> others(Job driver, String cluster, Span own) {
    JobFilter filter =
        JobFilter.of(driver.tenant(), driver.project())
            .labelled(new TreeMap<>(Map.of(RayPoolJob.DRIVER, cluster)))
            .withCreatedBefore(own.to().plusMillis(1)) // exclusive
            .withLimit(PAGE);
    List<Job> found = new ArrayList<>();
    JobSlice slice = jobs.list(filter);
    found.addAll(slice.jobs());
    for (int page = 1; page < PAGES && slice.next() != null; page++) {
      slice = jobs.list(filter.behind(slice.next()));
      found.addAll(slice.jobs());
    }
    List<JobId> together =
        found.stream()
            .filter(job -> !job.id().equals(driver.id()) && overlaps(job.run(), own))
            .map(Job::id)
            .toList();
    return together.isEmpty() ? List.of() : jobs.latestAttempts(driver.tenant(), together);
  }

  /** Its attempts are within this time. */
  private static boolean overlaps(JobStatus run, Span own) {
    Instant started = run.startedAt();
    Instant ended = run.endedAt();
    return started != null
        && !started.isAfter(own.to())
        && (ended == null || ended.isAfter(own.from()));
  }

  /**
   * The total cost of a longer runtime at current prices, for a job with one attempt of a fixed
   * size, null if unknown.
   */
  public @Nullable Money byRuntime(Job job, List<Attempt> live, Duration longest) {
    Quote quote =
        live.size() != 1 || job.array() != null || job.spec().elastic()
            ? null
            : of(job, live.getFirst(), longest, 1);
    return quote == null ? null : quote.byMaxRuntime();
  }

  private @Nullable Quote of(Job job, Attempt attempt, @Nullable Duration longest, int sharers) {
    return attempt.live() ? quote(job, attempt, longest, sharers) : null;
  }

  private @Nullable Quote quote(Job job, Attempt attempt, @Nullable Duration longest, int sharers) {
    if (attempt.members().isEmpty()) {
      return null;
    }
    List<Member> all = attempt.withFinished();
    Member first = all.getFirst();
    Node node = inventory.node(first.node()).orElse(null);
    if (node == null) {
      return null;
    }
    NodePool pool = node.pool();
    SortedMap<String, Long> gpus = new TreeMap<>(QuotaCell.gpuMilli(Attempt.charges(all)));
    gpus.replaceAll((model, milli) -> Math.ceilDiv(milli, (long) sharers));
    Quote.Demand demand =
        new Quote.Demand(
            attempt.cluster(), pool == null ? null : pool.name(), first.flavor().capacity(), gpus);
    if (demand.gpuMilli().isEmpty()) {
      return null;
    }
    PriceBook book = prices.book(job.tenant());
    return Quote.of(book, demand, jobs.now(), longest);
  }
}
