/** The ledger of use in memory. */
@NullMarked
package dev.fairlead.money.usage.ledger.memory;

import org.jspecify.annotations.NullMarked;
