/** In-memory twin of stored responses. */
@NullMarked
package dev.fairlead.kernel.idempotency.memory;

import org.jspecify.annotations.NullMarked;
