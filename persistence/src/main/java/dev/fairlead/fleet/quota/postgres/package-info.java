/** The quota tree and its counters in PostgreSQL. */
@NullMarked
package dev.fairlead.fleet.quota.postgres;

import org.jspecify.annotations.NullMarked;
