package dev.fairlead.people.security;

import dev.fairlead.kernel.overload.RequestBudgets;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Charges admitted requests to the budgets of projects. A name without a project is not charged.
 */
final class ProjectRateLimit {
  private final Transactions transactions;
  private final TenantStore tenants;
  private final RequestBudgets budgets;

  /** Names of past projects, bounded by the number of projects ever created. */
  private final Set<Met> met = ConcurrentHashMap.newKeySet();

  ProjectRateLimit(Transactions transactions, TenantStore tenants, RequestBudgets budgets) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.budgets = budgets;
  }

  private record Met(TenantId tenant, String project) {}

  /**
   * @throws dev.fairlead.kernel.problem.Refusal RATE_LIMITED if the project's budget is spent
   */
  void pay(
      TenantId tenant, String project, HttpServletRequest request, HttpServletResponse response) {
    Met asked = new Met(tenant, project);
    if (met.contains(asked) || exists(asked)) {
      budgets.spendOf(tenant, project, request, response);
    }
  }

  private boolean exists(Met asked) {
    boolean found =
        transactions.read(() -> tenants.projectNamed(asked.tenant(), asked.project())).isPresent();
    if (found) {
      boolean _ = met.add(asked);
    }
    return found;
  }
}
