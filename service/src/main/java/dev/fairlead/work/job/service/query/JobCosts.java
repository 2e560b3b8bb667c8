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
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import java.time.Duration;
import java.util.List;
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
   * GPUs, for an array, which may have many attempts, and if the pool of the node is unknown.
   */
  public @Nullable Quote of(JobView view) {
    Attempt attempt = view.attempt();
    return attempt == null || view.job().array() != null
        ? null
        : of(view.job(), attempt, view.job().spec().maxRuntime());
  }

  /**
   * The total cost of a longer runtime at current prices, for a job with one attempt of a fixed
   * size, null if unknown.
   */
  public @Nullable Money byRuntime(Job job, List<Attempt> live, Duration longest) {
    Quote quote =
        live.size() != 1 || job.array() != null || job.spec().elastic()
            ? null
            : of(job, live.getFirst(), longest);
    return quote == null ? null : quote.byMaxRuntime();
  }

  private @Nullable Quote of(Job job, Attempt attempt, @Nullable Duration longest) {
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
    Quote.Demand demand =
        new Quote.Demand(
            attempt.cluster(),
            pool == null ? null : pool.name(),
            first.flavor().capacity(),
            QuotaCell.gpuMilli(Attempt.charges(all)));
    if (demand.gpuMilli().isEmpty()) {
      return null;
    }
    PriceBook book = prices.book(job.tenant());
    return Quote.of(book, demand, jobs.now(), longest);
  }
}
