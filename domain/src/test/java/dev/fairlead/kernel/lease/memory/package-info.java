/** In-memory store of leases and fences. */
@NullMarked
package dev.fairlead.kernel.lease.memory;

import org.jspecify.annotations.NullMarked;
