package dev.fairlead.work.world.postgres;

import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.price.PriceStore;
import org.springframework.stereotype.Component;

/**
 * Limits of placements other than the fleet itself: quota, prices, budgets, licences, advance
 * reservations, quarantined domains, requested nodes, and locations of volumes.
 */
@Component
record Bounds(
    QuotaTrees quotas,
    PriceStore prices,
    BudgetStore budgets,
    LicenceStore licences,
    SupplyStore supplies,
    AdvanceReservationStore advanceReservations,
    HealthStore health,
    VolumeStore volumes) {}
