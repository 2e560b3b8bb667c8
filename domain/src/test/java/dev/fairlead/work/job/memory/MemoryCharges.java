package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.money.budget.BudgetPlace;
import dev.fairlead.money.budget.memory.MemoryUses;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.BudgetLedger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Intervals of use, charges to budgets and licences, in the transaction of the allocation. */
final class MemoryCharges {
  private final MemoryInventoryStore inventory;
  private final MemoryUses uses;
  private final BudgetLedger budgets;
  private final LicenceStore licences;
  private final AppendGuards guards;

  MemoryCharges(
      MemoryInventoryStore inventory,
      MemoryUses uses,
      BudgetLedger budgets,
      LicenceStore licences,
      AppendGuards guards) {
    this.inventory = inventory;
    this.uses = uses;
    this.budgets = budgets;
    this.licences = licences;
    this.guards = guards;
  }

  /**
   * @param stored the attempt before the transition, null for a new one
   */
  void change(Transition transition, Attempt attempt, @Nullable Attempt stored) {
    switch (transition.holding()) {
      case TAKE -> take(transition.job(), attempt, attempt.members());
      case JOIN -> take(transition.job(), attempt, attempt.without(held(stored)));
      case LEAVE -> giveBack(attempt, held(stored).without(attempt));
      case MOVE -> {
        giveBack(attempt, held(stored).without(attempt));
        take(transition.job(), attempt, attempt.without(held(stored)));
      }
      case TRANSFER -> transfer(transition.job(), attempt);
      case RELEASE -> giveBack(attempt, held(stored).members());
      case KEEP -> {}
    }
    guards.budgets(() -> budgets.apply(List.of(transition)));
    guards.licences(transition, licences);
  }

  private void transfer(Job job, Attempt attempt) {
    if (guards.transfers()) {
      giveBack(attempt, attempt.members());
      take(job, attempt, attempt.members());
    }
  }

  private static Attempt held(@Nullable Attempt stored) {
    if (stored == null) {
      throw new IllegalArgumentException("not stored");
    }
    return stored;
  }

  private void take(Job job, Attempt attempt, List<Member> members) {
    for (Member member : members) {
      if (member.gpuMilli() > 0) {
        NodePool pool = inventory.node(member.node()).map(Node::pool).orElse(null);
        String name = pool == null ? "" : pool.name();
        uses.take(
            MemberKey.of(member).text(),
            new MemoryUses.Use(
                BudgetLedger.scope(job),
                job.id(),
                attempt.id().value(),
                new BudgetPlace(attempt.cluster(), name, member.flavor()),
                member.gpuMilli(),
                0,
                0));
      }
    }
  }

  private void giveBack(Attempt attempt, List<Member> members) {
    for (Member member : members) {
      if (member.gpuMilli() > 0) {
        uses.giveBack(attempt.id().value(), MemberKey.of(member).text());
      }
    }
  }
}
