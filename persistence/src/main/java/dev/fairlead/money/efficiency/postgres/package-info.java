/** The efficiency of attempts on PostgreSQL. */
@NullMarked
package dev.fairlead.money.efficiency.postgres;

import org.jspecify.annotations.NullMarked;
