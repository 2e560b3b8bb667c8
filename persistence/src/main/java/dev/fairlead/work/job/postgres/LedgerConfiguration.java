package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.work.job.store.BudgetLedger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of domain types that ledgers need. */
@Configuration(proxyBeanMethods = false)
class LedgerConfiguration {
  @Bean
  BudgetLedger budgetLedger(BudgetStore budgets, QuotaStore quotas) {
    return new BudgetLedger(budgets, quotas);
  }
}
