/** Leases and fences in PostgreSQL, with a separate connection pool. */
@NullMarked
package dev.fairlead.kernel.lease.postgres;

import org.jspecify.annotations.NullMarked;
