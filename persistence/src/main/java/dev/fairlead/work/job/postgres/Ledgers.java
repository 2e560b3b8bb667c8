package dev.fairlead.work.job.postgres;

import dev.fairlead.work.job.store.BudgetLedger;
import org.springframework.stereotype.Component;

/** The ledgers that record an allocation, in lock order. */
@Component
record Ledgers(
    QuotaLedger quota,
    NodeCapacityLedger room,
    GpuLedger gpus,
    SliceLedger slices,
    LabelLedger labels,
    BudgetLedger budgets,
    LicenceLedger licences) {}
