/** The efficiency of attempts on PostgreSQL. */
@NullMarked
package dev.fairlead.efficiency.postgres;

import org.jspecify.annotations.NullMarked;
