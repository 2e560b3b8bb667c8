package dev.fairlead.work.job.service.query;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.RayPoolJob;
import java.time.Duration;
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
  private final PriceStore prices;
  private final InventoryStore inventory;
  private final JobStore jobs;

  public JobCosts(PriceStore prices, InventoryStore inventory, JobStore jobs) {
    this.prices = prices;
    this.inventory = inventory;
    this.jobs = jobs;
  }

  /**
   * Quote of its attempt, with all members in one part of a cluster. Null without a live attempt or
   * GPUs, for an array, which may have many attempts, and if the pool of the node is unknown. A
   * driver of a Ray pool has an equal share of the GPUs of its Ray cluster, of all drivers that run
   * in it.
   */
  public @Nullable Quote of(JobView view) {
    Attempt attempt = view.attempt();
    if (attempt == null || view.job().array() != null) {
      return null;
    }
    Duration longest = view.job().spec().maxRuntime();
    String cluster = RayPoolJob.cluster(view.job().spec());
    return cluster == null
        ? of(view.job(), attempt, longest, 1)
        : attempt.state() == AttemptState.RUNNING ? ofDriver(view.job(), cluster, longest) : null;
  }

  private @Nullable Quote ofDriver(Job driver, String cluster, @Nullable Duration longest) {
    JobFilter inside =
        JobFilter.of(driver.tenant(), driver.project())
            .labelled(new TreeMap<>(Map.of(RayPoolJob.DRIVER, cluster)))
            .withStates(List.of(JobState.RUNNING))
            .withLimit(RayPoolJob.MOST_DRIVERS);
    int drivers = Math.max(1, jobs.list(inside).jobs().size());
    return jobs.activeNamed(driver.tenant(), driver.project(), List.of(cluster)).stream()
        .flatMap(named -> jobs.find(driver.tenant(), named.id()).stream())
        .filter(job -> RayPoolJob.isCluster(job.spec()))
        .flatMap(job ->
            jobs.latestAttempts(job.tenant(), List.of(job.id())).stream()
                .map(live -> of(job, live, longest, drivers))
                .filter(Objects::nonNull))
        .findFirst()
        .orElse(null);
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
    if (!attempt.live() || attempt.members().isEmpty()) {
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
