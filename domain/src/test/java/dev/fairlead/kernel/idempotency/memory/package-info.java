/** In-memory twin of remembered answers. */
@NullMarked
package dev.fairlead.kernel.idempotency.memory;

import org.jspecify.annotations.NullMarked;
