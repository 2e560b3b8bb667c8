package dev.fairlead.world.postgres;

import dev.fairlead.booking.BookingStore;
import dev.fairlead.budget.BudgetStore;
import dev.fairlead.health.HealthStore;
import dev.fairlead.licence.LicenceStore;
import dev.fairlead.price.PriceStore;
import dev.fairlead.quota.QuotaTrees;
import dev.fairlead.supply.SupplyStore;
import dev.fairlead.volume.VolumeStore;
import org.springframework.stereotype.Component;

/**
 * What bounds placements beside the fleet itself: quota, prices, budgets, licences, bookings,
 * quarantined domains, nodes to come, and where volumes are.
 */
@Component
record Bounds(
    QuotaTrees quotas,
    PriceStore prices,
    BudgetStore budgets,
    LicenceStore licences,
    SupplyStore supplies,
    BookingStore bookings,
    HealthStore health,
    VolumeStore volumes) {}
