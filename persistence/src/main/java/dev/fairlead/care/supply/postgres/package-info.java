/** Supplies of pools on PostgreSQL. */
@NullMarked
package dev.fairlead.care.supply.postgres;

import org.jspecify.annotations.NullMarked;
