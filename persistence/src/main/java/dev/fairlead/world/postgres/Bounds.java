package dev.fairlead.world.postgres;

import dev.fairlead.budget.BudgetStore;
import dev.fairlead.price.PriceStore;
import dev.fairlead.quota.QuotaTrees;
import org.springframework.stereotype.Component;

/** What bounds placements beside the fleet itself: quota, prices and budgets. */
@Component
record Bounds(QuotaTrees quotas, PriceStore prices, BudgetStore budgets) {}
