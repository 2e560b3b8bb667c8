package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.placement.decision.Decision;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * The writes of one plan under the scheduler's fence, in batches. A failed batch is repeated one
 * decision at a time. A failed decision is counted ({@code fairlead.plan.failed}), logged and
 * skipped, so that it does not block later decisions.
 */
final class IsolatedWrites {
  private static final Logger LOG = LoggerFactory.getLogger(IsolatedWrites.class);
  private final Transactions transactions;
  private final HeldLease lease;
  private final MeterRegistry metrics;
  private final List<Applied.Failure> failures = new ArrayList<>();
  private int written;
  private int dropped;

  IsolatedWrites(Transactions transactions, HeldLease lease, MeterRegistry metrics) {
    this.transactions = transactions;
    this.lease = lease;
    this.metrics = metrics;
  }

  /**
   * Writes the decisions in order.
   *
   * @param most decisions in one transaction
   * @param write writes a batch and returns the number of dropped decisions
   * @throws FenceLost when another scheduler acts
   * @throws CannotCreateTransactionException when the database is unavailable: then no other write
   *     would succeed either
   */
  <D extends Decision> void run(List<D> decisions, int most, ToIntFunction<List<D>> write) {
    for (int from = 0; from < decisions.size(); from += most) {
      batch(decisions.subList(from, Math.min(from + most, decisions.size())), write);
    }
  }

  Applied result() {
    return new Applied(written, dropped, failures);
  }

  void drop(String guard) {
    count(Metric.PLAN_DROPPED, guard);
  }

  private <D extends Decision> void batch(List<D> batch, ToIntFunction<List<D>> write) {
    try {
      int left = transactions.callFenced(lease, () -> write.applyAsInt(batch));
      dropped += left;
      written += batch.size() - left;
      written(batch, left);
    } catch (FenceLost | CannotCreateTransactionException away) {
      throw away;
    } catch (Conflict conflict) {
      if (batch.size() > 1) {
        run(batch, 1, write);
      } else {
        drop(conflict.guard().name());
        dropped++;
      }
    } catch (RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      if (batch.size() > 1) {
        LOG.warn("a batch of {} decisions failed, and each is retried alone", batch.size(), failed);
        run(batch, 1, write);
      } else {
        failed(batch.getFirst(), failed);
      }
    }
  }

  /** Only one kind of batch drops decisions without a failure. */
  private void written(List<? extends Decision> batch, int left) {
    for (Decision decision : batch.subList(0, batch.size() - left)) {
      count(Metric.PLAN_WRITTEN, kind(decision));
      if (decision instanceof Decision.Preempt preempt) {
        preempt.victims().forEach(victim -> count(Metric.EVICTIONS, victim.right().name()));
      }
    }
  }

  private void count(Metric metric, String label) {
    metrics.counter(metric.meter(), metric.tags(label)).increment();
  }

  private static String kind(Decision decision) {
    return decision.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private void failed(Decision decision, Throwable failed) {
    String kind = kind(decision);
    count(Metric.PLAN_FAILED, kind);
    LOG.warn("the {} of job {} could not be written", kind, decision.job().text(), failed);
    failures.add(new Applied.Failure(decision, failed));
  }
}
