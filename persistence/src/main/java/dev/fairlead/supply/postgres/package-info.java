/** Supplies of pools on PostgreSQL. */
@NullMarked
package dev.fairlead.supply.postgres;

import org.jspecify.annotations.NullMarked;
