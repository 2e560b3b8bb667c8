/** In-memory twin of leases and fences. */
@NullMarked
package dev.fairlead.lease.memory;

import org.jspecify.annotations.NullMarked;
