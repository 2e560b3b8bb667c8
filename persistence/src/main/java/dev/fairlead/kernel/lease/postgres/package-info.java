/** Leases and fences in PostgreSQL, over a pool of their own. */
@NullMarked
package dev.fairlead.kernel.lease.postgres;

import org.jspecify.annotations.NullMarked;
