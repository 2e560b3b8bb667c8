package dev.fairlead.money.budget.service;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetFigures;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import java.math.BigInteger;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads budgets of a tenant. Budgets of a project require a role in it. */
@Service
public class Budgets {
  private final Transactions transactions;
  private final BudgetStore budgets;
  private final TenantStore tenants;
  private final QuotaStore quotas;

  public Budgets(
      Transactions transactions, BudgetStore budgets, TenantStore tenants, QuotaStore quotas) {
    this.transactions = transactions;
    this.budgets = budgets;
    this.tenants = tenants;
    this.quotas = quotas;
  }

  /** All visible budgets by name. */
  public List<BudgetView> all(Actor actor) {
    return transactions.read(() -> views(actor, visible(actor)));
  }

  /**
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public BudgetView named(Actor actor, String text) {
    return transactions.read(() -> view(actor, found(actor, text)));
  }

  /** Builds the view in the open transaction. */
  BudgetView view(Actor actor, BudgetState state) {
    return views(actor, List.of(state)).getFirst();
  }

  /** Finds a budget in the open transaction. */
  BudgetState found(Actor actor, String text) {
    return visible(actor).stream()
        .filter(s -> s.budget().name().equals(text) || s.budget().id().text().equals(text))
        .findFirst()
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no budget \"" + text + "\". GET /api/v1/budgets lists them."));
  }

  private List<BudgetState> visible(Actor actor) {
    List<ProjectId> its = actor.projects();
    return budgets.budgets(actor.tenant()).stream()
        .filter(state -> {
          ProjectId project = state.budget().scope().project();
          return its == null || project == null || its.contains(project);
        })
        .toList();
  }

  private List<BudgetView> views(Actor actor, List<BudgetState> states) {
    long now = budgets.now();
    SortedMap<BudgetId, BigInteger> running =
        budgets.running(states.stream().map(BudgetState::budget).toList(), now);
    return states.stream()
        .map(state -> {
          Budget budget = state.budget();
          return new BudgetView(
              budget,
              project(actor, budget.scope().project()),
              queue(actor, budget.scope().queue()),
              BudgetFigures.of(state, running.getOrDefault(budget.id(), BigInteger.ZERO), now));
        })
        .toList();
  }

  private @Nullable String project(Actor actor, @Nullable ProjectId id) {
    return id == null
        ? null
        : tenants.project(actor.tenant(), id).map(Project::name).orElse(id.text());
  }

  private @Nullable String queue(Actor actor, @Nullable QuotaNodeId id) {
    return id == null
        ? null
        : quotas.node(actor.tenant(), id).map(QuotaNode::name).orElse(id.text());
  }

  /**
   * Resolves the project and queue of a scope in the open transaction.
   *
   * @throws Refusal INVALID_FIELD for an unknown project or queue
   */
  BudgetScope scope(Actor actor, @Nullable String project, @Nullable String queue) {
    return new BudgetScope(
        actor.tenant(),
        project == null
            ? null
            : tenants
                .projectNamed(actor.tenant(), project)
                .map(Project::id)
                .orElseThrow(() -> missing("/project", "project", project)),
        queue == null
            ? null
            : quotas
                .nodeNamed(actor.tenant(), queue)
                .filter(QuotaNode::isQueue)
                .map(QuotaNode::id)
                .orElseThrow(() -> missing("/queue", "queue", queue)),
        null);
  }

  private static Refusal missing(String pointer, String kind, String name) {
    return Refusal.field(pointer, "There is no " + kind + " \"" + name + "\".");
  }
}
