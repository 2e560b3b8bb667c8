package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.job.estimate.UseHistory;
import dev.fairlead.work.job.submit.LimitScope;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Allocations of quota and nodes in the twin of {@link dev.fairlead.work.job.store.JobStore}, with
 * all guards except removed ones.
 */
final class MemoryAllocations {
  private final JobTables tables;
  private final MemoryInventoryStore inventory;
  private final MemoryQuotaStore quotas;
  private final AppendGuards guards;
  private final InstantSource clock;
  private final Set<AppendGuard> missing;

  MemoryAllocations(
      InstantSource clock,
      JobTables tables,
      MemoryInventoryStore inventory,
      MemoryQuotaStore quotas,
      AppendGuards guards,
      Set<AppendGuard> missing) {
    this.clock = clock;
    this.tables = tables;
    this.inventory = inventory;
    this.quotas = quotas;
    this.guards = guards;
    this.missing = missing;
  }

  /**
   * Applies the allocations and releases of the transition. The caller writes the attempt's row.
   */
  void change(Transition transition, Attempt attempt) {
    switch (transition.holding()) {
      case TAKE -> take(transition, attempt);
      case KEEP -> guards.held(transition, attempt);
      case JOIN -> join(transition, attempt, guards.held(transition, attempt));
      case LEAVE -> leave(transition, attempt, guards.held(transition, attempt));
      case MOVE -> arrive(transition, attempt, guards.held(transition, attempt));
      case TRANSFER ->
          quotas.leave(
              UseHistory.transferred(
                  quotas.treeOf(transition.job().tenant()),
                  guards.held(transition, attempt),
                  transition));
      case RELEASE -> release(transition, guards.held(transition, attempt), attempt);
    }
  }

  private void take(Transition transition, Attempt attempt) {
    guards.oneLiveAttempt(transition, attempt);
    if (!missing.contains(AppendGuard.CHECK)) {
      quotas.checked(transition);
    }
    if (!missing.contains(AppendGuard.QUOTA)) {
      Job job = transition.job();
      quotas.admit(job, scope -> use(job, scope).and(ask(job, null)));
    }
    take(transition, attempt.members());
  }

  /** The jobs that count together with the job in its queue. */
  private RunLimits.Use use(Job job, LimitScope scope) {
    RunLimits.Use use = RunLimits.Use.NOTHING;
    for (Job each : tables.active()) {
      if (each.queue().equals(job.queue()) && scope.subject(each).equals(scope.subject(job))) {
        for (Attempt attempt : tables.attempts(each.id())) {
          use = attempt.live() ? use.and(ask(each, attempt.startedAt())) : use;
        }
      }
    }
    return use;
  }

  private RunLimits.Demand ask(Job job, @Nullable Instant since) {
    QuotaNode queue = quotas.node(job.tenant(), job.queue()).orElse(null);
    return Runtimes.demand(job, queue, since, clock.instant());
  }

  private void take(Transition transition, List<Member> members) {
    String subject = transition.job().id().text();
    boolean quota = !missing.contains(AppendGuard.QUOTA);
    quotas.take(transition.job(), Attempt.charges(members), quota);
    boolean room = !missing.contains(AppendGuard.ROOM);
    QuotaNode queue = quotas.node(transition.job().tenant(), transition.job().queue()).orElse(null);
    members.forEach(member -> {
      boolean serves =
          inventory.serves(member.node(), transition.job())
              && (missing.contains(AppendGuard.WINDOW)
                  || Runtimes.take(
                      inventory.windows(member.node()), transition, queue, clock.instant()));
      if (room && !serves) {
        throw new Conflict(Conflict.Guard.NODE_ROOM, subject);
      }
      boolean booked =
          inventory.advanceReservations(member.node()).stream()
              .anyMatch(each -> !Runtimes.admit(each, transition.job(), queue, clock.instant()));
      if (room && booked && !missing.contains(AppendGuard.BOOKED)) {
        throw new Conflict(Conflict.Guard.BOOKED, subject);
      }
      inventory.take(member, subject, room);
    });
  }

  private void join(Transition transition, Attempt attempt, Attempt stored) {
    take(transition, attempt.without(stored));
  }

  private void leave(Transition transition, Attempt attempt, Attempt stored) {
    List<Member> gone = stored.without(attempt);
    quotas.giveBack(transition.job(), Attempt.charges(gone));
    gone.forEach(inventory::giveBack);
  }

  /**
   * Releases the allocations of moved members of a batch on their former nodes. The caller releases
   * them before all transitions of the batch, because members may exchange their nodes.
   */
  void depart(List<Transition> transitions) {
    for (Transition each : transitions) {
      Attempt attempt = each.attempt();
      if (attempt != null && each.holding() == Transition.AllocationChange.MOVE) {
        guards.held(each, attempt).without(attempt).forEach(inventory::giveBack);
      }
    }
  }

  /** No node capacity limits it, but a GPU has one holder. */
  private void arrive(Transition transition, Attempt attempt, Attempt stored) {
    attempt.without(stored).forEach(m -> inventory.follow(m, transition.job().id().text()));
  }

  /** Releases the allocation of the stored rows. */
  private void release(Transition transition, Attempt stored, Attempt ended) {
    if (missing.contains(AppendGuard.RELEASE)) {
      return;
    }
    quotas.leave(UseHistory.of(quotas.treeOf(transition.job().tenant()), transition.job(), ended));
    quotas.giveBack(transition.job(), stored.charges());
    stored.members().forEach(inventory::giveBack);
  }
}
