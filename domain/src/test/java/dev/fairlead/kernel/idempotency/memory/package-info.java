/** In-memory store of responses. */
@NullMarked
package dev.fairlead.kernel.idempotency.memory;

import org.jspecify.annotations.NullMarked;
