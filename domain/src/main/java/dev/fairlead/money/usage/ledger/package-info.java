/** Facts of use by the hour and day, and the report that sums them by any dimensions. */
@NullMarked
package dev.fairlead.money.usage.ledger;

import org.jspecify.annotations.NullMarked;
