package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.NamespaceRemoval;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.RemovalOutcome;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes namespaces of deleted projects from one cluster, one after the other and in the
 * background, so that a slow removal does not delay the supervisor's passes.
 */
final class NamespaceUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceUpkeep.class);
  private static final Duration EVERY = Duration.ofSeconds(5);

  /** Maximum number of namespaces in a pass, each of which takes a few seconds. */
  private static final int MOST = 20;

  /** Delay after a call without a response, which proves nothing about the namespace. */
  private static final Duration UNANSWERED = Duration.ofSeconds(30);

  private final ClusterId cluster;
  private final NamespaceRemovalStore removals;
  private final Transactions transactions;
  private final Executor threads;
  private final Recurring look;
  private final AtomicBoolean busy = new AtomicBoolean();

  NamespaceUpkeep(
      ClusterId cluster,
      NamespaceRemovalStore removals,
      Transactions transactions,
      Executor threads,
      MonotonicClock clock) {
    this.cluster = cluster;
    this.removals = removals;
    this.transactions = transactions;
    this.threads = threads;
    this.look = Recurring.fromNowOn(clock, EVERY);
  }

  /** Starts a pass in the background, unless the previous pass still runs. */
  void carry(HeldLease lease, ClusterGateway gateway) {
    if (look.due() && busy.compareAndSet(false, true)) {
      look.done();
      threads.execute(() -> {
        try {
          removals.due(cluster, MOST).forEach(due -> looked(lease, gateway, due));
        } catch (Throwable failed) {
          FatalErrors.rethrow(failed);
          LOG.warn(
              "cluster {}: namespaces of former projects are checked again",
              cluster.text(),
              failed);
        } finally {
          busy.set(false);
        }
      });
    }
  }

  /** Handles one namespace. A failure does not affect the others. */
  private void looked(HeldLease lease, ClusterGateway gateway, NamespaceRemoval due) {
    try {
      remove(lease, gateway, due);
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (RuntimeException failed) {
      LOG.warn(
          "cluster {}: namespace {} is checked again", cluster.text(), due.namespace(), failed);
      String why = "it could not be checked: " + failed.getClass().getSimpleName();
      transactions.runFenced(lease, () -> removals.later(due, why, due.pause()));
    }
  }

  private void remove(HeldLease lease, ClusterGateway gateway, NamespaceRemoval due) {
    transactions.runFenced(
        lease, () -> {}); // fails unless this process still supervises the cluster
    RemovalOutcome outcome = gateway.remove(due.namespace(), due.project());
    transactions.runFenced(
        lease,
        () -> {
          switch (outcome) {
            case RemovalOutcome.Gone gone -> removals.done(due);
            case RemovalOutcome.Kept kept -> removals.done(due);
            case RemovalOutcome.Waits waits -> removals.later(due, waits.why(), due.pause());
            case RemovalOutcome.Unavailable away -> removals.later(due, away.message(), UNANSWERED);
          }
        });
    tell(due, outcome);
  }

  private void tell(NamespaceRemoval due, RemovalOutcome outcome) {
    switch (outcome) {
      case RemovalOutcome.Gone gone -> {
        if (due.why() != null) {
          LOG.info("cluster {}: namespace {} is gone", cluster.text(), due.namespace());
        }
      }
      case RemovalOutcome.Kept kept ->
          LOG.info(
              "cluster {}: namespace {} stays: {}", cluster.text(), due.namespace(), kept.why());
      case RemovalOutcome.Waits waits -> {
        if (!waits.why().equals(due.why())) {
          LOG.info(
              "cluster {}: namespace {} still exists: {}",
              cluster.text(),
              due.namespace(),
              waits.why());
        }
      }
      case RemovalOutcome.Unavailable away ->
          LOG.debug(
              "cluster {}: namespace {}: {}", cluster.text(), due.namespace(), away.message());
    }
  }
}
